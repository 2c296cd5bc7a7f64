"""What is pasted into the composer, or dropped on it: words, files, and pictures without a file."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, QPoint, QUrl
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication

from app.contract.enums import PostType
from app.desktop.carried import MEDIA, pack
from app.desktop.composer import ComposerPanel
from tests.desktop.composer.composing import Compose, stored, tomorrow
from tests.desktop.dragged import dropping, entering
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened, until


def words(text: str) -> QMimeData:
    data = QMimeData()
    data.setText(text)
    return data


def page(html: str) -> QMimeData:
    data = QMimeData()
    data.setHtml(html)
    return data


def picture(text: str = "") -> QMimeData:
    image = QImage(400, 300, QImage.Format.Format_RGB32)
    image.fill(QColor("brown"))
    data = QMimeData()
    data.setImageData(image)
    if text:
        data.setText(text)
    return data


def files(paths: Sequence[Path]) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def coat(folder: Path, name: str = "coat.jpg", width: int = 800) -> Path:
    path = folder / name
    Image.new("RGB", (width, 1_000), "brown").save(path)
    return path


def drop(panel: ComposerPanel, data: QMimeData) -> bool:
    """Whether the panel takes it."""
    enter = entering(QPoint(5, 5), data)
    QApplication.sendEvent(panel, enter)
    if enter.isAccepted():
        QApplication.sendEvent(panel, dropping(QPoint(5, 5), data))
    return enter.isAccepted()


def test_words_are_pasted_plainly_where_the_cursor_is(compose: Compose) -> None:
    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        editor = panel.text_box.editor
        for source, read in (
            (words("wool"), "wool"),
            (words(" and linen"), "wool and linen"),
            (page("<b>!</b>"), "wool and linen!"),
            (picture("?"), "wool and linen!?"),
            (words("<p><i>felt</i>"), "wool and linen!?<p><i>felt</i>"),
        ):
            assert editor.canInsertFromMimeData(source)
            editor.insertFromMimeData(source)
            assert panel.model.text.shared == read
        assert panel.model.files.ids.of(panel.model.version) == ""

    compose(story)


def test_a_pasted_picture_becomes_the_posts_file(compose: Compose, service: ModelService) -> None:
    service.add_account("x")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        assert panel.text_box.editor.canInsertFromMimeData(picture())
        panel.text_box.editor.insertFromMimeData(picture())
        await until(lambda: stored(panel))
        assert panel.model.post_type is PostType.IMAGE
        assert panel.file.name.text() == "Pasted picture.png"
        assert panel.model.text.shared == ""

    compose(story)
    (content,) = service.files.values()
    assert content is not None
    assert content.startswith(b"\x89PNG")


def test_files_are_attached_where_they_are_pasted_or_dropped(
    compose: Compose, tmp_path: Path, service: ModelService
) -> None:
    service.add_account("x")
    # Unlike each other: a file that is there already is not uploaded again.
    paths = [coat(tmp_path, f"{width}.jpg", width) for width in (801, 802, 803)]

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        assert not drop(panel, words("no file"))
        panel.text_box.editor.insertFromMimeData(files(paths[:1]))
        await until(lambda: panel.file.name.text() == "801.jpg")
        assert drop(panel, files(paths[1:]))
        await until(lambda: panel.file.name.text() == "802.jpg" and stored(panel))
        path = stored(panel)
        panel.model.remove_file()
        data = QMimeData()
        pack(data, MEDIA, [path])
        assert drop(panel, data)
        await until(lambda: stored(panel) == path)
        assert panel.model.text.shared == ""

    compose(story)


def test_the_last_of_several_files_is_attached_whichever_is_inspected_first(
    compose: Compose, tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.add_account("x")
    slow, quick = coat(tmp_path, "slow.jpg", 801), coat(tmp_path, "quick.jpg", 802)

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        add, seen = opened.media.add_files, asyncio.Event()

        async def late(paths: Sequence[Path]) -> object:
            if slow in paths:
                await seen.wait()
            return await add(paths)

        monkeypatch.setattr(opened.media, "add_files", late)
        assert drop(panel, files([slow]))
        await until(lambda: panel.attachment.arriving == "slow.jpg")
        assert drop(panel, files([quick]))
        assert panel.attachment.arriving == "quick.jpg"
        await until(lambda: bool(stored(panel)))
        seen.set()
        for _ in range(50):
            await asyncio.sleep(0.002)
        assert panel.file.name.text() == "quick.jpg"

    compose(story)


def test_a_picture_that_finds_no_room_on_the_disk_says_so(compose: Compose, tmp_path: Path) -> None:
    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        (tmp_path / "workspace.copies").write_bytes(b"in the way")
        panel.text_box.editor.insertFromMimeData(picture())
        await until(lambda: "Couldn't write" in panel.frame.said())

    compose(story)


def test_what_nobody_can_see_is_not_pasted(compose: Compose, service: ModelService) -> None:
    """Slides part lines by a vertical tab, which no service takes."""
    account = service.add_account("x")

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        panel.text_box.editor.insertFromMimeData(words("Wool\x0band linen\x00\x1b: "))
        panel.text_box.editor.insertFromMimeData(words(" new"))
        assert panel.model.text.shared == "Wool\nand linen:  new"
        panel.accounts.toggle(account).click()
        panel.schedule()
        assert len(opened.posts) == 1

    compose(story, tomorrow())


def test_a_space_that_keeps_words_together_stays(compose: Compose) -> None:
    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        panel.text_box.editor.insertFromMimeData(words("Bonjour\xa0!\n12\u202f€"))
        assert panel.model.text.shared == "Bonjour\xa0!\n12\u202f€"

    compose(story)


def test_lines_that_are_pasted_as_a_title_become_one(compose: Compose, service: ModelService) -> None:
    account = service.add_account("linkedin")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        panel.accounts.toggle(account).click()
        QApplication.clipboard().setText("Wool\x0band\nlinen")
        panel.writing.title.line.setFocus()
        panel.writing.title.line.paste()
        assert panel.model.title.shared == "Wool and linen"

    compose(story)


def test_a_text_that_is_no_post_is_not_pasted_and_said_so(compose: Compose) -> None:
    """Every key in it would be waited for, and so would the next start, which brings it back."""

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        panel.text_box.editor.insertFromMimeData(words("Wool"))
        panel.text_box.editor.insertFromMimeData(words("wool " * 200_000))
        assert panel.model.text.shared == "Wool"
        assert panel.frame.said().startswith("1,000,000 characters are too many for a post")

    compose(story)
