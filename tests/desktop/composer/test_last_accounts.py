"""A new post is for the accounts that the last one was for, while they are there."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.composer import ComposerPanel
from tests.desktop.composer.composing import kept, ready, tomorrow
from tests.desktop.running import LISBON, run, shown, workspace
from tests.workspace.model_service import ModelService

END = {
    "scheduled": lambda panel: panel.schedule(),
    "published now": lambda panel: panel.submit(at_once=True),
    "kept as a draft": lambda panel: panel.save_as_draft(),
}


@pytest.mark.parametrize("end", END.values(), ids=END)
def test_the_accounts_of_the_last_post_are_chosen_again(
    qapp: QApplication, tmp_path: Path, service: ModelService, end: Callable[[ComposerPanel], None]
) -> None:
    used, _other = service.add_account("x"), service.add_account("linkedin")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            async with shown(ComposerPanel(opened, LISBON, tomorrow())) as panel:
                await ready(panel)
                assert panel.model.accounts.chosen == ()
                panel.accounts.toggle(used).setChecked(True)
                panel.text_box.editor.setPlainText("The first")
                end(panel)
            async with shown(ComposerPanel(opened, LISBON, tomorrow())) as panel:
                await ready(panel)
                assert panel.model.accounts.chosen == (used,)
                assert panel.text_box.text() == ""
        async with workspace(tmp_path, service) as opened:  # the app was closed meanwhile
            draft = await kept(opened)
            assert draft is not None
            assert draft.is_empty
            assert draft.account_keys == (used,)

    run(qapp, work)


def test_an_account_that_is_gone_is_not_chosen(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    gone, stays = service.add_account("x"), service.add_account("linkedin")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            async with shown(ComposerPanel(opened, LISBON, tomorrow())) as panel:
                await ready(panel)
                for key in (gone, stays):
                    panel.accounts.toggle(key).setChecked(True)
                panel.text_box.editor.setPlainText("The first")
                panel.schedule()
            service.connections = [one for one in service.connections if one["id"] != gone]
            await opened.refresh()
            assert gone not in opened.accounts
            async with shown(ComposerPanel(opened, LISBON, tomorrow())) as panel:
                await ready(panel)
                assert panel.model.accounts.chosen == (stays,)
                assert panel.model.accounts.waiting == ()

    run(qapp, work)
