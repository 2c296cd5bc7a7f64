"""Files for single accounts, in place of the one for all."""

import asyncio
from pathlib import Path

from PIL import Image
from PySide6.QtWidgets import QApplication

from app.contract.enums import PostType
from app.desktop.composer import ComposerPanel
from tests.desktop.composer.composing import Compose, kept, ready, stored, tomorrow
from tests.desktop.running import LISBON, run, shown, workspace
from tests.media.samples import made_video, photo
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened, until


def picture(folder: Path, name: str, size: tuple[int, int] = (800, 1_000)) -> Path:
    path = folder / name
    Image.new("RGB", size, "brown").save(path)
    return path


def shown_name(panel: ComposerPanel) -> str:
    return panel.model.upload.name if panel.model.upload else ""


async def attach(panel: ComposerPanel, path: Path) -> None:
    panel.attachment.take([path])
    await until(lambda: shown_name(panel) == path.name and stored(panel))


def test_each_account_gets_its_file_and_all_of_it_comes_back(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    first, second = service.add_account("linkedin"), service.add_account("x")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            async with shown(ComposerPanel(opened, LISBON, tomorrow())) as panel:
                await ready(panel)
                for key in (first, second):
                    panel.accounts.toggle(key).setChecked(True)
                panel.text_box.editor.setPlainText("Wool")
                await attach(panel, picture(tmp_path, "coat.jpg"))
                panel.model.show_version(second)
                assert panel.file.whose.text() == "Same file for all accounts."
                assert not panel.file.cross.isVisible()
                await attach(panel, picture(tmp_path, "square.jpg", (800, 800)))
                assert panel.file.whose.text() == "Only for this account."
                assert "differs" in panel.writing.tabs.tab(second).accessibleName()
                panel.close_panel()
            draft = await kept(opened)
            assert draft is not None
            assert list(draft.upload_ids) == [second]
            async with shown(ComposerPanel(opened, LISBON, tomorrow())) as panel:
                await ready(panel)
                assert shown_name(panel) == "coat.jpg"
                panel.model.show_version(second)
                assert shown_name(panel) == "square.jpg"
                panel.submit()
                await until(lambda: len(service.effects) == 2)

    run(qapp, work)
    paths = {post["platform"]: str(post["media_storage_path"]) for post in service.posts.values()}
    assert "coat" in paths["linkedin"]
    assert "square" in paths["x"]


def test_the_file_for_all_is_taken_again_and_without_it_there_is_none(
    compose: Compose, tmp_path: Path, service: ModelService
) -> None:
    first, second = service.add_account("linkedin"), service.add_account("x")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        for key in (first, second):
            panel.accounts.toggle(key).setChecked(True)
        panel.model.show_version(first)
        await attach(panel, picture(tmp_path, "coat.jpg"))
        assert stored(panel, second) == stored(panel)
        await attach(panel, picture(tmp_path, "square.jpg", (800, 800)))
        assert panel.model.files.ids.differs(first)
        panel.file.other.click()
        assert shown_name(panel) == "coat.jpg"
        await attach(panel, picture(tmp_path, "square.jpg", (800, 800)))
        panel.model.show_version("")
        panel.file.cross.click()
        assert panel.model.post_type is PostType.TEXT
        assert panel.model.files.upload_for(first) is None

    compose(story, tomorrow())


def test_a_file_can_be_removed_as_soon_as_it_is_attached(compose: Compose, tmp_path: Path) -> None:
    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        panel.attachment.take([picture(tmp_path, "coat.jpg")])
        while not shown_name(panel):  # noqa: ASYNC110  in the very step of the loop that attaches it
            await asyncio.sleep(0)
        assert panel.attachment.arriving == ""
        panel.file.cross.click()
        assert panel.model.post_type is PostType.TEXT

    compose(story, tomorrow())


def test_a_copy_for_one_account_leaves_the_others_their_file(
    compose: Compose, tmp_path: Path, service: ModelService
) -> None:
    first, second = service.add_account("instagram"), service.add_account("linkedin")
    path = photo(tmp_path, "coat.webp")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        await attach(panel, path)
        for key in (first, second):
            panel.accounts.toggle(key).setChecked(True)
        panel.model.show_version(first)
        await until(panel.repair.make.isVisible)
        panel.repair.make.click()
        await until(lambda: shown_name(panel) == "coat.jpg")
        linked = panel.model.files.upload_for(second)
        assert linked is not None
        assert linked.name == "coat.webp"

    compose(story, tomorrow())


def test_a_video_does_not_stand_for_a_picture(
    compose: Compose, tmp_path: Path, service: ModelService
) -> None:
    first, second = service.add_account("linkedin"), service.add_account("x")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        await attach(panel, picture(tmp_path, "coat.jpg"))
        for key in (first, second):
            panel.accounts.toggle(key).setChecked(True)
        panel.model.show_version(second)
        panel.attachment.take([made_video(tmp_path, "walk.mp4")])
        await until(lambda: "images or a video, not both" in panel.frame.said())
        assert shown_name(panel) == "coat.jpg"

    compose(story, tomorrow())
