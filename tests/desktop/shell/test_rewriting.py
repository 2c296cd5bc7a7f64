"""Posts that are written again: edited, duplicated, or taken back before they are published."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.contract.tiktok import TikTokChoice, TikTokPrivacy
from app.desktop.composer import ComposerPanel
from app.desktop.inspector import Inspector
from app.desktop.shell.main_controller import MainController
from app.desktop.shell.rewriting import OnceMore
from app.desktop.shell.window import MainWindow
from app.workspace.clock import Pace, wall_clock
from app.workspace.connections.interruptions import can_be_repeated
from app.workspace.editing.draft import ComposerDraft
from app.workspace.posts.new import NewPost
from app.workspace.posts.reading import PostReader
from tests.desktop.composer.composing import DAY, ready, tomorrow
from tests.desktop.running import LISBON, furnish, run, shown
from tests.workspace.failing_disk import accept, refuse
from tests.workspace.model_service import ModelService
from tests.workspace.model_tiktok import ModelTikTok
from tests.workspace.opened import QUICK, Opened, opened, settled, until


@asynccontextmanager
async def at_home(
    folder: Path, service: ModelService, pace: Pace = QUICK
) -> AsyncIterator[tuple[MainController, Opened]]:
    window = MainWindow(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat), LISBON)
    async with opened(folder, service, pace=pace) as workspace, shown(window, (1280, 800)):
        await workspace.refresh()
        controller = furnish(window, workspace)
        try:
            yield controller, workspace
        finally:
            controller.close()


async def composer_of(controller: MainController) -> ComposerPanel:
    await until(lambda: isinstance(controller.window.side, ComposerPanel))
    panel = controller.window.side
    assert isinstance(panel, ComposerPanel)
    await ready(panel)
    return panel


def inspector_of(controller: MainController, key: str) -> Inspector:
    controller.panels.inspect(key)
    panel = controller.window.side
    assert isinstance(panel, Inspector)
    return panel


def test_an_edited_post_takes_the_place_of_the_one_before(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    service.add_post(account, tomorrow(), "Orders open at nine.")

    async def work() -> None:
        async with at_home(tmp_path, service) as (controller, workspace):
            (old,) = [post.key for post in workspace.posts.all()]
            inspector = inspector_of(controller, old)
            await until(inspector.edit_button.isVisible)
            inspector.edit_button.click()
            panel = await composer_of(controller)
            assert panel.text_box.text() == "Orders open at nine."
            assert panel.when.at() == tomorrow()
            assert panel.frame.schedule.text() == "Replace post"
            panel.text_box.editor.setPlainText("Orders open at ten.")
            panel.submit()
            view = controller.calendar.grid.view
            current = controller.calendar.model.post_at(view.currentIndex().row())
            assert (current.headline, view.hasFocus()) == ("Orders open at ten.", True)
            await settled(workspace)
            current = controller.calendar.model.post_at(view.currentIndex().row())
            assert current.headline == "Orders open at ten."
            statuses = {post.headline: post.status for post in workspace.posts.all()}
            assert statuses == {
                "Orders open at nine.": PostStatus.CANCELLED,
                "Orders open at ten.": PostStatus.SCHEDULED,
            }

    run(qapp, work)


def test_a_post_that_went_out_meanwhile_is_not_replaced(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    service.add_post(account, tomorrow(), "Orders open at nine.")

    async def work() -> None:
        async with at_home(tmp_path, service) as (controller, workspace):
            (old,) = [post.key for post in workspace.posts.all()]
            inspector = inspector_of(controller, old)
            await until(inspector.edit_button.isVisible)
            inspector.edit_button.click()
            panel = await composer_of(controller)
            panel.text_box.editor.setPlainText("Orders open at ten.")
            (post,) = service.posts.values()
            post |= {"status": "posted", "posted_at": post["scheduled_at"]}
            await workspace.refresh()
            panel.submit()
            assert len(workspace.posts) == 1
            assert panel.frame.schedule.text() == "Schedule 1 post"
            panel.submit()
            assert len(workspace.posts) == 2
            await settled(workspace)

    run(qapp, work)
    assert not [one for one in service.requests if one.method == "DELETE"]


def test_one_may_keep_the_old_post_after_all(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    service.add_post(account, tomorrow(), "Orders open at nine.")

    async def work() -> None:
        async with at_home(tmp_path, service) as (controller, workspace):
            (old,) = [post.key for post in workspace.posts.all()]
            inspector = inspector_of(controller, old)
            await until(inspector.edit_button.isVisible)
            inspector.edit_button.click()
            panel = await composer_of(controller)
            panel.frame.keep_old.click()
            assert not panel.frame.keep_old.isVisible()
            panel.submit()
            await settled(workspace)
            assert [post.status for post in workspace.posts.all()] == [PostStatus.SCHEDULED] * 2

    run(qapp, work)


def test_what_is_replaced_is_known_after_the_composer_was_closed(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    service.add_post(account, tomorrow(), "Orders open at nine.")

    async def work() -> None:
        async with at_home(tmp_path, service) as (controller, workspace):
            (old,) = [post.key for post in workspace.posts.all()]
            inspector = inspector_of(controller, old)
            await until(inspector.edit_button.isVisible)
            inspector.edit_button.click()
            (await composer_of(controller)).close_panel()
            panel = controller.panels.compose()
            await ready(panel)
            assert panel.frame.schedule.text() == "Replace post"

    run(qapp, work)


def test_a_duplicate_has_everything_but_the_time(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("pinterest")
    picture = tmp_path / "coat.jpg"
    Image.new("RGB", (800, 1_000), "brown").save(picture)

    async def work() -> None:
        async with at_home(tmp_path, service) as (controller, workspace):
            (upload,) = await workspace.media.add_files([picture])
            await until(lambda: (now := workspace.media.uploads.get(upload.id)) and now.is_done)
            stored = workspace.media.uploads.get(upload.id)
            assert stored is not None
            pin = NewPost(
                account,
                PostingPlatform.PINTEREST,
                PostType.IMAGE,
                "Wool",
                "Three weights",
                wall_clock() + DAY,
                stored.storage_path,
                "board-7",
                "Winter",
                "https://okafor.studio",
            )
            (key,) = workspace.plan([pin])
            await settled(workspace)
            inspector = inspector_of(controller, key)
            await until(inspector.duplicate_button.isVisible)
            assert inspector.preview.title.text() == "Three weights"
            assert inspector.pin.text() == "Board: Winter"
            assert inspector.preview.link.text() == "https://okafor.studio"
            inspector.duplicate_button.click()
            panel = await composer_of(controller)
            panel.submit()
            await until(lambda: len(service.effects) == 2)

    run(qapp, work)
    first, second = (
        json.loads(one.content) for one in service.requests if b"pinterest_board_id" in one.content
    )
    different = {"idempotency_key", "scheduled_at"}
    assert {name for name in first if first[name] != second[name]} == different


def test_a_file_that_is_lost_is_asked_for_before_its_post_is_replaced(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    service.add_post(account, tomorrow(), "With a file that nobody knows")
    (post,) = service.posts.values()
    post |= {"post_type": "image", "media_storage_path": "elsewhere/1"}

    async def work() -> None:
        async with at_home(tmp_path, service) as (controller, workspace):
            (old,) = [post.key for post in workspace.posts.all()]
            inspector = inspector_of(controller, old)
            await until(inspector.edit_button.isVisible)
            inspector.edit_button.click()
            panel = await composer_of(controller)
            panel.submit()
            assert panel.frame.to_fix.text() == "1 to fix"
            assert (panel.file.again.text(), panel.file.again.hasFocus()) == ("Attach again", True)
            assert panel.file.name.text() == "File missing"
            assert controller.window.messages.texts() == []
            assert len(workspace.posts) == 1

    run(qapp, work)


def test_publishing_can_be_taken_back_and_goes_on_in_the_composer(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()

    async def work() -> None:
        async with at_home(tmp_path, service, replace(QUICK, publish_hold=60)) as (controller, workspace):
            workspace.save_composer(ComposerDraft("Now", (account,), zone=LISBON.key))
            panel = controller.panels.compose()
            await ready(panel)
            panel.frame.publish.click()
            assert controller.window.messages.texts() == ["1 post will be published in a moment."]
            assert len(workspace.posts) == 1
            (message,) = controller.window.messages._shown
            controller.window.messages._act(message, message.action)
            again = await composer_of(controller)
            assert again.text_box.text() == "Now"
            assert again.model.accounts.chosen == (account,)
            assert len(workspace.posts) == 0
            assert service.effects == []

    run(qapp, work)


def test_publishing_that_could_not_be_taken_back_can_be_taken_back_again(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()

    async def work() -> None:
        async with at_home(tmp_path, service, replace(QUICK, publish_hold=60)) as (controller, workspace):
            workspace.save_composer(ComposerDraft("Now", (account,), zone=LISBON.key))
            panel = controller.panels.compose()
            await ready(panel)
            panel.frame.publish.click()
            await until(lambda: workspace.is_writing_kept and not workspace.sync.saving)
            await refuse(workspace, "INSERT ON drafts")
            messages = controller.window.messages
            (message,) = messages._shown
            messages._act(message, message.action)
            await until(lambda: "1 post will be published in a moment." in messages.texts())
            await until(lambda: not workspace.sync.saving)
            assert len(workspace.posts) == 1
            await accept(workspace, "INSERT ON drafts")
            (message,) = [one for one in messages._shown if one.action is not None]
            messages._act(message, message.action)
            assert (await composer_of(controller)).text_box.text() == "Now"
            assert (len(workspace.posts), service.effects) == (0, [])

    run(qapp, work)


def test_what_is_out_already_cannot_be_taken_back(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()

    async def work() -> None:
        async with at_home(tmp_path, service) as (controller, workspace):
            workspace.save_composer(ComposerDraft("Now", (account,), zone=LISBON.key))
            panel = controller.panels.compose()
            await ready(panel)
            panel.frame.publish.click()
            (message,) = controller.window.messages._shown
            await until(lambda: service.effects == ["Now"])
            (post,) = service.posts.values()
            post |= {"status": "posted", "posted_at": post["scheduled_at"]}
            await settled(workspace)
            controller.window.messages._act(message, message.action)
            await until(
                lambda: any("is already published" in text for text in controller.window.messages.texts())
            )
            assert controller.window.side is None

    run(qapp, work)


async def publish_now(controller: MainController, workspace: Opened, account: str, text: str) -> str:
    """Publish a post from the composer; return its key."""
    before = {post.key for post in workspace.posts}
    workspace.save_composer(ComposerDraft(text, (account,), zone=LISBON.key))
    panel = controller.panels.compose()
    await ready(panel)
    panel.frame.publish.click()
    (key,) = {post.key for post in workspace.posts} - before
    return key


def undo_first(controller: MainController) -> None:
    """Press Undo of the oldest message."""
    messages = controller.window.messages
    message = next(iter(messages._shown))
    messages._act(message, message.action)


def test_each_of_two_posts_published_now_can_be_taken_back(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()

    async def work() -> None:
        async with at_home(tmp_path, service, replace(QUICK, publish_hold=60)) as (controller, workspace):
            first = await publish_now(controller, workspace, account, "One")
            second = await publish_now(controller, workspace, account, "Two")
            for key, text in ((first, "One"), (second, "Two")):
                undo_first(controller)
                panel = await composer_of(controller)
                assert (panel.text_box.text(), workspace.posts.get(key)) == (text, None)
                panel.close_panel()
            assert service.effects == []

    run(qapp, work)


@pytest.mark.parametrize("change", ["DELETE ON posts", "INSERT ON drafts"])
def test_a_post_whose_publishing_cannot_be_taken_back_is_not_written_again(
    qapp: QApplication, tmp_path: Path, service: ModelService, change: str
) -> None:
    account = service.add_account()

    async def work() -> None:
        async with at_home(tmp_path, service, replace(QUICK, publish_hold=60)) as (controller, workspace):
            key = await publish_now(controller, workspace, account, "Now")
            await until(lambda: workspace.is_writing_kept and not workspace.sync.saving)
            await refuse(workspace, change)
            undo_first(controller)
            await until(lambda: any("was undone" in text for text in controller.window.messages.texts()))
            await until(lambda: key in workspace.posts)
            assert controller.window.side is None
            assert workspace.drafts.all() == []

    run(qapp, work)


def test_a_post_published_now_offline_is_cancelled_by_undo(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()

    async def work() -> None:
        async with at_home(tmp_path, service, replace(QUICK, backoff=60)) as (controller, workspace):
            await settled(workspace)
            service.online = False
            key = await publish_now(controller, workspace, account, "Now")
            mirror = workspace._core.mirror
            await until(lambda: mirror.intentions[key].create_at is not None and not mirror.sending)
            undo_first(controller)
            texts = controller.window.messages.texts
            await until(lambda: any(text.startswith("1 post may have been sent") for text in texts()))
            assert not any("is already published" in text for text in texts())
            service.online = True
            await settled(workspace)
            post = workspace.posts.get(key)
            assert post is not None
            assert post.status is PostStatus.CANCELLED

    run(qapp, work)
    assert service.effects == []


def test_a_post_that_is_undone_twice_is_not_said_to_be_published(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()

    async def work() -> None:
        async with at_home(tmp_path, service, replace(QUICK, publish_hold=60)) as (controller, workspace):
            await publish_now(controller, workspace, account, "Now")
            workspace.undo()
            undo_first(controller)
            await until(lambda: controller.window.messages.texts() == ["There's nothing left to undo."])

    run(qapp, work)
    assert service.effects == []


def test_duplicates_of_several_posts_become_drafts(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    texts = {"Orders open at nine.", "Orders close at five."}
    for text in texts:
        service.add_post(account, tomorrow(), text)

    async def work() -> None:
        async with at_home(tmp_path, service) as (controller, workspace):
            keys = [post.key for post in workspace.posts.all()]
            controller.calendar.duplicateRequested.emit(keys)
            await until(lambda: len(workspace.drafts.all()) == 2)
            copies = [draft.content for draft in workspace.drafts.all()]
            assert {copy.text for copy in copies} == texts
            assert {copy.at for copy in copies} == {None}
            assert controller.window.messages.texts() == ["2 drafts created."]
            assert controller.window.side is None
            assert len(workspace.posts) == 2

    run(qapp, work)


def test_a_duplicate_that_cannot_be_read_leaves_no_draft(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    service.add_post(account, tomorrow(), "Orders open at nine.")

    async def work() -> None:
        async with at_home(tmp_path, service) as (controller, workspace):
            keys = [*(post.key for post in workspace.posts.all()), "unknown"]
            controller.calendar.duplicateRequested.emit(keys)
            await until(controller.window.messages.texts)
            assert workspace.drafts.all() == []

    run(qapp, work)


def test_an_edited_post_keeps_its_choice_for_tiktok_and_a_duplicate_asks_again(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    tiktok, account = ModelTikTok(service), service.add_account("tiktok")
    post_id = service.add_post(account, tomorrow(), "Hem in a minute")
    [post] = service.posts.values()
    post |= {"platform": "tiktok", "post_type": "video"}
    tiktok.posts[post_id] = {"privacy": "SELF_ONLY", "allow_comments": True}

    async def work() -> None:
        async with at_home(tmp_path, service) as (controller, workspace):
            await until(lambda: workspace.tiktok.offered)
            (old,) = [post.key for post in workspace.posts.all()]
            for is_edited in (True, False):
                inspector = inspector_of(controller, old)
                button = inspector.edit_button if is_edited else inspector.duplicate_button
                await until(button.isVisible)
                button.click()
                panel = await composer_of(controller)
                chosen = panel.model.draft.tiktok.get(account)
                assert (chosen is not None) is is_edited
                if chosen is not None:
                    assert (chosen.privacy, chosen.comments) == ("SELF_ONLY", True)
                panel.close_panel()

    run(qapp, work)


def test_a_film_that_failed_keeps_its_audience_when_it_is_published_again(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    """Another post with the same file has been scheduled for everyone since."""
    service.files["me/1-film.mp4"] = b"film"
    ModelTikTok(service)
    account = service.add_account("tiktok")

    def film(privacy: TikTokPrivacy) -> NewPost:
        return NewPost(
            account,
            PostingPlatform.TIKTOK,
            PostType.VIDEO,
            "Only for me" if privacy is TikTokPrivacy.ONLY_ME else "For everyone",
            at=tomorrow(),
            media_storage_path="me/1-film.mp4",
            tiktok=TikTokChoice(privacy=privacy),
        )

    async def work() -> None:
        async with at_home(tmp_path, service) as (controller, workspace):
            (key,) = workspace.plan([film(TikTokPrivacy.ONLY_ME)])
            await settled(workspace)
            workspace.plan([film(TikTokPrivacy.EVERYONE)])
            await settled(workspace)
            (failed,) = [post for post in service.posts.values() if post["description"] == "Only for me"]
            failed["status"] = "failed"
            await workspace.refresh()
            await until(lambda: can_be_repeated(workspace.posts.get(key)))
            before = len(service.requests)
            await OnceMore(controller.window, workspace, LISBON).publish([key])
            await until(lambda: any(b"SELF_ONLY" in sent.content for sent in service.requests[before:]))

    run(qapp, work)


def test_a_double_click_opens_one_composer_whatever_the_service_does(
    qapp: QApplication, tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.add_post(service.add_account(), tomorrow(), "Orders open at nine.")

    async def say_nothing(*_: object) -> None:
        await asyncio.Event().wait()

    async def work() -> None:
        async with at_home(tmp_path, service) as (controller, workspace):
            monkeypatch.setattr(PostReader, "_attempts", say_nothing)
            (post,) = workspace.posts.all()
            await asyncio.gather(*(controller.rewriting.replace(post.key) for _ in range(2)))
            composer = await composer_of(controller)
            assert composer.text_box.text() == "Orders open at nine."
            assert workspace.drafts.all() == []
            assert controller.window.messages.texts() == []

    run(qapp, work)
