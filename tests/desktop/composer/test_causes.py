"""What is in the way, one strip for each cause, and the button that fixes it."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.composer import ComposerPanel
from tests.desktop.composer.composing import Compose, ready, stored, tomorrow
from tests.desktop.running import LISBON, run, shown, workspace
from tests.media.samples import photo
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened, until


def test_a_text_too_long_for_one_platform_is_written_shorter_for_it_alone(
    compose: Compose, service: ModelService
) -> None:
    x, linkedin = service.add_account("x"), service.add_account("linkedin")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        for key in (x, linkedin):
            panel.accounts.toggle(key).setChecked(True)
        panel.text_box.editor.setPlainText("wool " * 56 + "opens the same day")
        assert panel.problems.texts() == ("18 characters too long for X.",)
        assert panel.text_box.highlighter.too_long == "opens the same day"
        QTest.keyClick(panel.problems.button("Write a shorter one for X"), Qt.Key.Key_Space)
        assert panel.model.version == x
        assert panel.text_box.editor.hasFocus()
        assert panel.text_box.editor.textCursor().position() == 280
        for _ in range(len("opens the same day")):
            QTest.keyClick(panel.text_box.editor, Qt.Key.Key_Delete)
        assert panel.problems.texts() == ()
        assert panel.text_box.highlighter.too_long == ""
        assert panel.model.text.of(linkedin).endswith("opens the same day")

    compose(story)


def test_what_another_account_wrote_for_itself_is_not_marked_in_the_shared_text(
    compose: Compose, service: ModelService
) -> None:
    x, linkedin = service.add_account("x"), service.add_account("linkedin")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        for key in (x, linkedin):
            panel.accounts.toggle(key).setChecked(True)
        panel.model.show_version(x)
        panel.text_box.editor.setPlainText("short")
        panel.model.show_version("")
        panel.text_box.editor.setPlainText("a" * 400)
        assert panel.text_box.highlighter.too_long == ""
        panel.model.show_version(x)
        panel.text_box.editor.setPlainText("b" * 300)
        assert len(panel.text_box.highlighter.too_long) == 20
        panel.model.show_version("")
        QTest.keyClick(panel.problems.button("Edit the one for X"), Qt.Key.Key_Space)
        assert panel.model.version == x

    compose(story)


def test_one_account_alone_needs_no_button(compose: Compose, service: ModelService) -> None:
    x = service.add_account("x")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        panel.accounts.toggle(x).setChecked(True)
        panel.text_box.editor.setPlainText("a" * 281)
        assert panel.problems.texts() == ("1 character too long for X.",)
        assert not panel.repair.isVisible()

    compose(story)


def test_platforms_that_refuse_a_type_of_file_are_one_cause(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    accounts = [service.add_account(name) for name in ("instagram", "tiktok", "x")]

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(ComposerPanel(opened, LISBON, tomorrow())) as panel,
        ):
            await ready(panel)
            panel.attachment.take([photo(tmp_path, "coat.gif")])
            await until(lambda: stored(panel))
            for account in accounts:
                panel.accounts.toggle(account).setChecked(True)
            assert panel.problems.texts()[0] == "Instagram and TikTok don't accept GIF."
            assert [text for text in panel.problems.texts() if "accepts only" in text] == []
            await until(panel.repair.make.isVisible)
            assert panel.problems.isAncestorOf(panel.repair.make)

    run(qapp, work)
