"""The way back to an earlier text."""

from app.desktop.composer import ComposerPanel
from tests.desktop.composer.composing import Compose
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened

LONG = "The long wool coat is back: same pattern, heavier cloth & pockets."


def test_a_text_that_was_deleted_is_written_again_and_back(compose: Compose) -> None:
    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        assert [entry.isEnabled() for entry in (await panel.earlier.menu()).actions()] == [False]
        panel.text_box.editor.setPlainText(LONG)
        panel._keep()
        panel.text_box.editor.setPlainText("Gone.")
        panel._keep()
        (entry,) = (await panel.earlier.menu()).actions()
        assert entry.text().endswith("  The long wool coat is back: same pattern, h…")
        entry.trigger()
        assert panel.model.text.shared == LONG
        assert panel.text_box.text() == LONG
        labels = [entry.text() for entry in (await panel.earlier.menu()).actions()]
        assert [label.split("  ")[1][:5] for label in labels] == ["Gone.", "The l"]

    compose(story)


def test_a_text_of_one_account_comes_back_to_that_account(compose: Compose, service: ModelService) -> None:
    linkedin, x = service.add_account("linkedin"), service.add_account("x")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        for key in (linkedin, x):
            panel.accounts.toggle(key).setChecked(True)
        panel.text_box.editor.setPlainText("For everybody")
        panel.model.show_version(x)
        panel.text_box.editor.setPlainText(LONG)
        panel._keep()
        panel.model.use_shared_text()
        panel.model.show_version("")
        panel._keep()
        (entry,) = [one for one in (await panel.earlier.menu()).actions() if "The long" in one.text()]
        assert entry.text().split("  ")[1].startswith("X: The long wool coat")
        entry.trigger()
        assert (panel.model.text.shared, panel.model.text.of(x)) == ("For everybody", LONG)
        assert (panel.model.version, panel.text_box.text()) == (x, LONG)

    compose(story)
