"""Single posts by hand in the composer: chosen by mouse and by keyboard, kept, and sent."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.composer import ComposerPanel
from tests.desktop.composer.composing import Compose, kept, tomorrow
from tests.desktop.running import service_of_today
from tests.workspace.model_by_hand import OFFER
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened, until


@pytest.fixture
def service() -> ModelService:
    made = service_of_today()
    made.practice, made.offers = False, [OFFER, "finishing"]
    return made


async def begin(opened: Opened, panel: ComposerPanel, *accounts: str, text: str = "Wool") -> None:
    await until(lambda: opened.finishing.takes_single_posts)
    for account in accounts:
        panel.accounts.toggle(account).setChecked(True)
    panel.text_box.editor.setFocus()
    QTest.keyClicks(panel.text_box.editor, text)


def test_a_post_is_chosen_by_mouse_and_sent(compose: Compose, service: ModelService) -> None:
    account = service.add_account("x")

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        await begin(opened, panel, account)
        box = panel.by_hand.box(account)
        assert (box.text(), box.accessibleName(), box.isChecked()) == (
            "Publish by hand",
            "Publish by hand",
            False,
        )
        assert not panel.by_hand.about.isVisible()
        QTest.mouseClick(box, Qt.MouseButton.LeftButton)
        told = "At that time, Kalends reminds you and gives you the text and file for X."
        assert panel.by_hand.about.text() == told
        assert box.accessibleDescription() == told
        panel.submit()
        await until(lambda: service.effects == ["Wool"])
        await until(lambda: [post.by_hand for post in opened.posts] == [True])
        assert [post["by_hand"] for post in service.posts.values()] == [True]

    compose(story, tomorrow())


def test_one_of_several_accounts_is_chosen_by_keyboard(compose: Compose, service: ModelService) -> None:
    x, tiktok, other = (service.add_account(platform) for platform in ("x", "linkedin", "linkedin"))

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        await begin(opened, panel, x, tiktok)
        assert [panel.by_hand.box(one).text() for one in (x, tiktok)] == ["X", "LinkedIn"]
        panel.by_hand.box(x).setFocus()
        QTest.keyClick(panel.by_hand.box(x), Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is panel.by_hand.box(tiktok)
        QTest.keyClick(panel.by_hand.box(tiktok), Qt.Key.Key_Space)
        assert panel.by_hand.box(tiktok).hasFocus()
        panel.accounts.toggle(other).setChecked(True)
        assert [panel.by_hand.box(one).text() for one in (tiktok, other)] == [
            "Account 2 on LinkedIn",
            "Account 3 on LinkedIn",
        ]
        assert panel.by_hand.box(tiktok).accessibleName() == "Publish by hand: Account 2 on LinkedIn"
        panel.accounts.toggle(other).setChecked(False)
        panel.submit()
        await until(lambda: len(service.posts) == 2)
        chosen = {post["platform"]: post["by_hand"] for post in service.posts.values()}
        assert chosen == {"x": False, "linkedin": True}

    compose(story, tomorrow())


def test_the_choice_is_kept_with_the_draft(compose: Compose, service: ModelService) -> None:
    account = service.add_account("x")

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        await begin(opened, panel, account)
        panel.by_hand.box(account).click()
        panel.close_panel()
        await until(lambda: not opened.sync.saving)
        draft = await kept(opened)
        assert draft is not None
        assert draft.by_hand == (account,)
        panel.model.load(draft)
        assert panel.by_hand.box(account).isChecked()

    compose(story, tomorrow())


@pytest.mark.parametrize("reason", ["service", "practice", "bluesky"])
def test_it_is_hidden_where_it_is_not_possible(compose: Compose, service: ModelService, reason: str) -> None:
    account = service.add_account("bluesky" if reason == "bluesky" else "x")
    service.practice = reason == "practice"
    service.offers = ["changes"] if reason == "service" else service.offers

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        await until(lambda: opened.practice is service.practice and opened.sync.connected)
        panel.model.set_accounts(opened.accounts)
        panel.accounts.toggle(account).setChecked(True)
        assert panel.model.accounts.chosen == (account,)
        assert not panel.by_hand.isVisible()

    compose(story, tomorrow())


def chosen(panel: ComposerPanel) -> list[str]:
    return list(panel.model.accounts.chosen)


def test_an_account_whose_access_is_gone_is_published_to_by_hand(
    compose: Compose, service: ModelService
) -> None:
    account = service.add_account("x", available=False)

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        await until(lambda: opened.finishing.takes_single_posts and panel.by_hand.isVisible())
        box = panel.by_hand.box(account)
        assert (box.text(), box.isChecked()) == ("X (access expired)", False)
        assert chosen(panel) == []
        box.click()
        assert chosen(panel) == [account]
        assert panel.accounts.toggle(account).isChecked()
        panel.text_box.editor.setFocus()
        QTest.keyClicks(panel.text_box.editor, "Wool")
        panel.by_hand.box(account).click()
        assert chosen(panel) == []
        panel.by_hand.box(account).click()
        panel.submit()
        await until(lambda: service.effects == ["Wool"])
        assert [post["by_hand"] for post in service.posts.values()] == [True]

    compose(story, tomorrow())
