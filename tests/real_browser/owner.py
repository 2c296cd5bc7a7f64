"""A user who connects accounts with clicks in the app's window and in the browser."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.real_browser import chromium
from tests.real_browser.chromium import Browser, Page
from tests.real_input.desk import Desk, desk

ALLOW, DENY = "button[name=decision][value=allow]", "button[name=decision][value=deny]"


@dataclass
class Owner:
    """The user of the app and its browser."""

    desk: Desk
    browser: Browser

    def press(self, name: str) -> None:
        """Click on a button of the app once it's enabled."""
        self._click("button", name)

    def choose(self, entry: str) -> None:
        """Click on an entry of the open menu."""
        self._click("entry", entry)

    def begin(self, platform: str) -> Page:
        """Start connecting an account, and return the consent page."""
        self.press("Connect account")
        self.choose(platform)
        return self.consent()

    def consent(self) -> Page:
        """Wait for the consent page."""
        return self.browser.page("redirect_uri=")

    def allow(self, page: Page, card: str) -> float:
        """Allow access; return the seconds until the account's card was painted in the app."""
        allowed = page.click(ALLOW)
        return self.appeared(card) - allowed

    def appeared(self, card: str) -> float:
        """Wait for a card in the app; return when it was painted, by ``time.monotonic``."""
        try:
            return float(self.desk.until(lambda: self.desk.ask("seen", card)))
        except TimeoutError as error:
            error.add_note(
                f"what shows instead of {card}: {self.desk.ask('cards')}, {self.desk.ask('sheet')}"
            )
            raise

    def end_access(self, card: str) -> None:
        """Revoke access at Pinterest, which shows on the next request for boards."""
        _, practice = self.desk.ask("folders")
        told = {"platform": "pinterest", "operation": "token", "kind": "expired_token"}
        httpx.post(f"{practice}/faults", json=told, trust_env=False).raise_for_status()
        self.desk.ask("ask_boards", card)
        self.appeared(f"{card}, ended")

    def _click(self, *question: str) -> None:
        try:
            place = self.desk.until(lambda: self.desk.ask(*question))
        except TimeoutError as error:
            error.add_note(f"what shows instead of {question}: {self.desk.ask('sight')}")
            raise
        self.desk.ask("settle")
        place = self.desk.ask(*question) or place
        self.desk.xdotool("mousemove", *place)
        self.desk.xdotool("click", 1)
        self.desk.ask("settle")


@contextmanager
def owner(folder: Path) -> Iterator[Owner]:
    """Run the app with a user."""
    with chromium.browser(folder / "browser") as (browser, changes):
        program = "tests.real_browser.program"
        with desk(folder / "desk", program=program, changes=changes) as opened:
            yield Owner(opened, browser)
