"""Connecting accounts in the window and in Chromium. The test's output shows how long each took."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_browser import chromium
from tests.real_browser.owner import ALLOW, DENY, Owner, owner
from tests.real_input.desk import missing

_MISSING = ", ".join(filter(None, (missing(), chromium.missing())))

pytestmark = pytest.mark.skipif(bool(_MISSING), reason=f"not installed here: {_MISSING}")


@pytest.fixture
def robin(tmp_path: Path) -> Iterator[Owner]:
    with owner(tmp_path) as found:
        yield found


def say(what: str, seconds: float) -> None:
    print(f"{what}: {seconds * 1_000:.0f} ms after the consent")


def until_gone(robin: Owner) -> None:
    """Wait until no sheet is open."""
    robin.desk.until(lambda: robin.desk.ask("sheet") is None)


def test_an_account_appears_once_its_owner_consents(robin: Owner) -> None:
    page = robin.begin("LinkedIn")
    say("connected", robin.allow(page, "Robin Marsh on linkedin"))
    until_gone(robin)
    page.await_heading("Connected")
    page.close()


@pytest.mark.variation
def test_a_refusal_is_told_and_can_be_tried_again(robin: Owner) -> None:
    page = robin.begin("X")
    page.click(DENY)
    robin.desk.until(lambda: "declined access" in robin.desk.ask("sheet")[-1])
    page.await_heading("Not connected")
    page.close()
    assert robin.desk.ask("seen", "Robin Marsh on x") is None
    robin.press("Try again")
    page = robin.consent()
    robin.allow(page, "Robin Marsh on x")
    until_gone(robin)
    page.close()


@pytest.mark.variation
def test_a_page_that_was_closed_is_opened_again(robin: Owner) -> None:
    robin.begin("TikTok").close()
    robin.press("Open again")
    robin.consent().close()
    robin.press("Cancel")
    until_gone(robin)
    assert robin.desk.ask("seen", "Robin Marsh on tiktok") is None


@pytest.mark.variation
def test_an_account_whose_access_ended_comes_back(robin: Owner) -> None:
    page = robin.begin("Pinterest")
    robin.allow(page, "Robin Marsh on pinterest")
    until_gone(robin)
    page.close()
    robin.end_access("Robin Marsh on pinterest")
    robin.press("Reconnect Robin Marsh")
    page = robin.consent()
    page.click("a[href*=account]")
    other = robin.browser.page("account=kei-tanaka")
    other.click(ALLOW)
    expected = "Pinterest gave access to Kei Tanaka instead of Robin Marsh. Nothing was changed."
    robin.desk.until(lambda: expected in robin.desk.ask("sheet")[-1])
    other.close()
    robin.press("Try again")
    page = robin.consent()
    say("reconnected", robin.allow(page, "Robin Marsh on pinterest"))
    until_gone(robin)
    page.close()


@pytest.mark.variation
def test_one_of_two_pages_is_chosen_in_the_browser(robin: Owner) -> None:
    page = robin.begin("Facebook")
    page.click(ALLOW)
    choice = robin.browser.page("/choose?token=")
    names = choice.evaluate("[...document.querySelectorAll('.name')].map(one => one.innerText)")
    assert len(set(names)) == 2
    choice.click("label:nth-of-type(2) input")
    chosen = choice.click("button[value=connect]")
    say("one Page of two", robin.appeared(f"{names[1]} on facebook") - chosen)
    until_gone(robin)
    assert f"{names[0]} on facebook" not in robin.desk.ask("cards")
    choice.close()


@pytest.mark.variation
def test_both_of_two_pages_are_chosen_in_the_browser(robin: Owner) -> None:
    page = robin.begin("Facebook")
    page.click(ALLOW)
    choice = robin.browser.page("/choose?token=")
    names = choice.evaluate("[...document.querySelectorAll('.name')].map(one => one.innerText)")
    for place in (1, 2):
        choice.click(f"label:nth-of-type({place}) input")
    chosen = choice.click("button[value=connect]")
    say("both Pages", max(robin.appeared(f"{name} on facebook") for name in names) - chosen)
    until_gone(robin)
    choice.close()
