"""What is rarely done: a copy among the drafts, and a post that is given up."""

from app.desktop.composer import ComposerPanel
from app.desktop.widgets.states import MessageStrip
from tests.desktop.composer.composing import Compose, kept
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened, until


def test_a_discarded_post_comes_back_as_it_was(compose: Compose, service: ModelService) -> None:
    x = service.add_account("x")

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        panel.accounts.toggle(x).setChecked(True)
        panel.text_box.editor.setPlainText("A coat")
        before = panel.model.draft
        panel.discard()
        assert panel.text_box.text() == ""
        assert panel.model.accounts.chosen == (x,)
        assert panel.problems.texts() == (), "an empty post isn't a mistake before it's scheduled"
        assert (draft := await kept(opened)) is not None
        assert draft.is_empty
        (strip,) = panel.findChildren(MessageStrip)
        assert panel.frame.said() == "Post discarded."
        strip.acted.emit()
        assert panel.model.draft == before
        assert panel.text_box.text() == "A coat"
        await until(lambda: opened.is_writing_kept)
        assert await kept(opened) == before

    compose(story)


def test_what_was_written_after_a_post_was_discarded_is_saved_when_it_comes_back(compose: Compose) -> None:
    async def story(opened: Opened, panel: ComposerPanel) -> None:
        panel.text_box.editor.setPlainText("A coat")
        panel.discard()
        panel.text_box.editor.setPlainText("A shirt")
        panel.frame.say(MessageStrip("info", "Something else"))
        (strip,) = [one for one in panel.findChildren(MessageStrip) if "discarded" in one.accessibleName()]
        await until(strip.isVisible)  # another message doesn't take the way back
        strip.acted.emit()
        assert panel.text_box.text() == "A coat"
        assert [draft.content.text for draft in opened.drafts.all()] == ["A shirt"]
        assert panel.frame.said() == "Your post was saved to Drafts."
        assert strip.isHidden()

    compose(story)


def test_an_empty_post_cannot_be_discarded(compose: Compose) -> None:
    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        enabled = {action.text(): action.isEnabled() for action in panel.more().actions() if action.text()}
        assert enabled == {"Save a copy to Drafts": False, "Earlier texts…": True, "Discard post": False}
        panel.discard()
        assert panel.frame.said() == ""

    compose(story)


def test_a_copy_is_a_draft_of_its_own(compose: Compose) -> None:
    async def story(opened: Opened, panel: ComposerPanel) -> None:
        panel.text_box.editor.setPlainText("A coat")
        panel.save_copy()
        (draft,) = opened.drafts.all()
        assert draft.content.text == "A coat"
        assert draft.content.draft_id != panel.model.draft_id
        panel.text_box.editor.setPlainText("Another coat")
        assert opened.drafts.all()[0].content.text == "A coat"

    compose(story)
