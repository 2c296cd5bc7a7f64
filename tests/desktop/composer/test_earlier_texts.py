"""The way back to an earlier text."""

from app.desktop.composer import ComposerPanel
from tests.desktop.composer.composing import Compose
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
