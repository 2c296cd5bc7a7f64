"""What a post costs on X, the ways to pay less, and the question before the month's cap."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.desktop.composer import ComposerPanel
from app.desktop.widgets import Button
from app.workspace.workspace import Workspace
from tests.desktop.composer.composing import Compose, tomorrow
from tests.desktop.running import service_of_today
from tests.workspace.model_by_hand import OFFER
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened, until

LINK = "Orders open at okafor.studio"


@pytest.fixture
def service() -> ModelService:
    made = service_of_today()
    made.practice = False
    made.add_account("x")
    return made


def write(panel: ComposerPanel, text: str) -> None:
    panel.text_box.editor.setFocus()
    QTest.keyClicks(panel.text_box.editor, text)


def choose(opened: Workspace, panel: ComposerPanel, platform: str = "x") -> str:
    key = next(key for key, account in opened.accounts.items() if account.platform == platform)
    if key not in panel.model.accounts.chosen:
        panel.accounts.toggle(key).click()
    return key


def test_a_link_has_its_price_and_its_reason(compose: Compose) -> None:
    async def story(opened: Opened, panel: ComposerPanel) -> None:
        choose(opened, panel)
        assert not panel.cost.isVisible()
        write(panel, "Orders open.")
        assert panel.cost.words.text() == "X charges $0.015 for this post."
        assert not panel.cost.by_hand.isVisible()
        write(panel, f" {LINK}")
        told = "X charges $0.20 for this post because it has a link. Without it, the price is $0.015."
        assert panel.cost.words.text() == told

    compose(story, tomorrow())


def test_nothing_is_said_where_nothing_is_charged(compose: Compose, service: ModelService) -> None:
    service.practice, service.offers = True, ("changes",)

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        await until(lambda: opened.practice)
        choose(opened, panel)
        write(panel, LINK)
        assert not panel.cost.isVisible()

    compose(story, tomorrow())


def test_x_gets_a_version_without_the_link(compose: Compose, service: ModelService) -> None:
    service.add_account("linkedin")

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        key = choose(opened, panel)
        choose(opened, panel, "linkedin")
        write(panel, LINK)
        panel.cost.shorter.click()
        assert panel.model.version == key
        panel.text_box.editor.selectAll()
        write(panel, "Orders open.")
        assert panel.cost.words.text() == "X charges $0.015 for this post."

    compose(story, tomorrow())


def test_the_post_can_be_published_by_hand_instead(compose: Compose, service: ModelService) -> None:
    service.offers = [OFFER, "finishing"]

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        await until(lambda: opened.finishing.takes_single_posts)
        key = choose(opened, panel)
        write(panel, LINK)
        panel.cost.by_hand.click()
        assert panel.model.is_by_hand(key)
        assert panel.by_hand.box(key).hasFocus()
        assert not panel.cost.isVisible()
        assert panel.cost.mills == 0
        QTest.keyClick(panel.by_hand.box(key), Qt.Key.Key_Space)
        assert panel.cost.isVisible()

    compose(story, tomorrow())


def test_cheaper_ways_go_below_each_other_where_both_have_no_room(
    compose: Compose, service: ModelService
) -> None:
    service.add_account("linkedin")
    service.offers = [OFFER, "finishing"]

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        await until(lambda: opened.finishing.takes_single_posts)
        choose(opened, panel)
        choose(opened, panel, "linkedin")
        write(panel, LINK)
        cost = panel.cost
        await until(lambda: cost.shorter.isVisible() and cost.by_hand.isVisible())
        ways = (cost.shorter, cost.by_hand)
        assert cost.minimumSizeHint().width() < sum(way.sizeHint().width() for way in ways)
        cost.shorter.setText("A way with a name as wide as the panel itself")
        await until(lambda: cost.by_hand.y() > cost.shorter.y())

    compose(story, tomorrow())


@pytest.mark.parametrize(("at_once", "anyway"), [(False, "Schedule anyway"), (True, "Publish anyway")])
def test_the_cap_is_asked_about_once(compose: Compose, *, at_once: bool, anyway: str) -> None:
    async def story(opened: Opened, panel: ComposerPanel) -> None:
        await opened.spending.set_cap(150)
        choose(opened, panel)
        write(panel, LINK)
        (panel.frame.publish if at_once else panel.frame.schedule).click()
        await until(panel.frame.said)
        assert panel.frame.said().startswith("With this post, X's charges in ")
        assert panel.frame.said().endswith(" come to about $0.20. Your cap is $0.15.")
        assert not len(opened.posts)
        strips = [one for one in panel.findChildren(Button) if one.text() == anyway]
        strips[-1].click()
        assert len(opened.posts) == 1

    compose(story, tomorrow())


def test_posts_below_the_cap_are_scheduled_unasked(compose: Compose) -> None:
    async def story(opened: Opened, panel: ComposerPanel) -> None:
        await opened.spending.set_cap(200)
        choose(opened, panel)
        write(panel, LINK)
        panel.frame.schedule.click()
        await until(lambda: len(opened.posts))
        assert not panel.frame.said()

    compose(story, tomorrow())
