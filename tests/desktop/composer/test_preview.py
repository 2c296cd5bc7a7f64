"""The preview shows whole lines, also of a draft that comes back."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from app.contract.enums import ConnectionPlatform
from app.desktop.composer import ComposerPanel
from app.desktop.composer.preview import Preview, Sketch, first_lines
from app.desktop.widgets import ElidedLabel, Label
from app.workspace.editing.draft import ComposerDraft
from tests.desktop.composer.composing import ready, tomorrow
from tests.desktop.running import LISBON, run, service_of_today, shown, workspace
from tests.desktop.studio import accounts
from tests.workspace.opened import until

TEXTS = [
    "Short.",
    "A first line that is so long that it breaks into several lines of words.\nTwo\nThree\nFour\nFive",
    "wool " * 200,
    "One\n\nThree after an empty line, and long enough to break once or twice.\n\n#tags",
]


def cut(panel: ComposerPanel) -> list[str]:
    """The labels of the preview that have less room than their words take."""
    labels = [one for one in panel.preview.findChildren(Label) if one.isVisible() and one.text()]
    return [
        f"{one.text()[:20]} {one.height()} of {need}"
        for one in labels
        if one.height()
        < (need := one.heightForWidth(one.width()) if one.wordWrap() else one.sizeHint().height())
    ]


@pytest.mark.parametrize("height", [420, 900])
@pytest.mark.parametrize("text", TEXTS)
def test_a_draft_that_comes_back_is_previewed_whole(
    qapp: QApplication, tmp_path: Path, text: str, height: int
) -> None:
    service = service_of_today()
    keys = tuple(service.add_account(platform) for platform in ("x", "linkedin", "youtube"))

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            opened.save_composer(
                ComposerDraft(zone=LISBON.key, text=text, title="A title", account_keys=keys, at=tomorrow())
            )
            async with shown(ComposerPanel(opened, LISBON)) as panel:
                panel.resize(440, height)
                await ready(panel)
                await until(lambda: not cut(panel), patience=5)
                for key in keys:
                    panel.preview.show_account(key)
                    await until(lambda: not cut(panel), patience=5)

    run(qapp, work)


def test_a_long_text_ends_with_a_whole_word() -> None:
    for length in range(120, 160):
        shown = first_lines("a" * length + " longer words " * 9)
        assert shown.endswith(" …more")
        assert shown.split()[-2] in {"a" * length, "a" * 140, "longer", "words"}
    assert first_lines("Short.\nAnd whole.") == "Short.\nAnd whole."


def test_a_long_handle_is_shortened_before_the_time(qapp: QApplication) -> None:
    preview = Preview()
    account = replace(accounts()[0], platform=ConnectionPlatform.INSTAGRAM, handle="okafor.studio.of.lisbon")
    preview.show_posts([Sketch(account, "", "A coat", QImage())], "Thu 3 Dec, 09:30")
    preview.resize(400, 200)
    preview.show()
    qapp.processEvents()
    (about,) = (one for one in preview._card.findChildren(ElidedLabel) if "09:30" in one.text())
    about.setFixedWidth(about.sizeHint().width() - 40)
    assert about.shown_text().endswith("… · Thu 3 Dec, 09:30")
    preview.deleteLater()


def test_a_long_text_leaves_the_preview_one_line_and_the_time_in_view(
    qapp: QApplication, tmp_path: Path
) -> None:
    service = service_of_today()
    key = service.add_account("x")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ComposerPanel(opened, LISBON)) as panel:
            panel.resize(440, 700)
            await ready(panel)
            panel.accounts.toggle(key).setChecked(True)
            preview, text = panel.preview, panel.text_box.editor
            for words, brief in (("A coat", False), ("One\n" * 12, True), ("A coat", False)):
                text.setPlainText(words)
                await until(preview._brief.isVisible if brief else preview._card.isVisible, patience=5)
                assert preview._card.isVisible() is not brief
                assert not panel.frame.bar.isEnabled() or brief
                assert panel.when.visibleRegion().boundingRect() == panel.when.rect()
            assert [one.text() for one in preview._brief.findChildren(ElidedLabel)][-1] == "A coat"

    run(qapp, work)


def test_a_preview_that_was_asked_for_stays_whole(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    key = service.add_account("x")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ComposerPanel(opened, LISBON)) as panel:
            panel.resize(440, 700)
            await ready(panel)
            panel.accounts.toggle(key).setChecked(True)
            panel.text_box.editor.setPlainText("One\n" * 12)
            await until(panel.preview._brief.isVisible, patience=5)
            for is_whole in (False, True):
                panel.preview._fold.click()
                assert panel.preview._card.isVisible() is is_whole
                panel.resize(440, 690 + 5 * is_whole)
                assert not panel.preview._brief.isVisible()

    run(qapp, work)
