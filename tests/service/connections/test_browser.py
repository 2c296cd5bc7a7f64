"""The pages of a flow in a real browser: by keyboard, in both colour schemes, on narrow and wide windows."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.platforms.base import Profile
from tests.service.connections.browsing import callback, initiate, listed
from tests.service.integrations.browser import CHROMIUM, Page, chromium
from tests.service.platforms import ScriptedAdapter
from tests.service.running import Caller

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

PAGES = [
    Profile("page-1", "Marsh Ceramics"),
    Profile("page-2", "W" * 200, "kiln"),
    Profile("page-3", "Glaze"),
]

OUTLINE = "parseFloat(getComputedStyle(document.activeElement.closest('label, button')).outlineWidth)"


@pytest.fixture
def pages(linkedin: ScriptedAdapter) -> ScriptedAdapter:
    linkedin.people = list(PAGES)
    return linkedin


def walk(profile: Path, way: Callable[[Page], Awaitable[None]]) -> None:
    async def run() -> None:
        async with chromium(profile) as page:
            await page.look(dark=False, width=1280, height=900)
            await way(page)

    asyncio.run(run())


async def text(page: Page) -> str:
    return str(await page.evaluate("document.body.innerText"))


@pytest.mark.usefixtures("pages")
def test_accounts_are_chosen_by_keyboard(tmp_path: Path, caller: Caller) -> None:
    address = callback(initiate(caller)["connect_url"], code="c")

    async def way(page: Page) -> None:
        await page.open(address)
        assert (await page.focused()).startswith("Marsh Ceramics")
        await page.press("Enter")
        await page.settle()
        assert "Choose at least one account." in await text(page)
        assert await page.focused() != ""

        await page.press(" ")
        await page.press("Tab", 2)
        await page.press(" ")
        await page.tab_to("Connect")
        await page.press("Enter")
        await page.settle()
        assert "Marsh Ceramics and Glaze on LinkedIn are connected." in await text(page)

    walk(tmp_path, way)
    assert {one["display_name"] for one in listed(caller)} == {"Marsh Ceramics", "Glaze"}


@pytest.mark.usefixtures("pages")
def test_the_browser_follows_to_another_origin_after_the_choice(tmp_path: Path, caller: Caller) -> None:
    """Browsers hold redirects of a form against the page's policy."""
    started = initiate(caller, redirect_url=f"{caller.service.base_url}/landing")

    async def way(page: Page) -> None:
        await page.open(callback(started["connect_url"], code="c"))
        await page.press(" ")
        await page.press("Enter")
        await page.settle()
        href = str(await page.evaluate("location.href"))
        assert href.startswith(f"{caller.service.base_url}/landing?")
        assert "status=connected" in href

    walk(tmp_path, way)


def test_nothing_overflows_and_focus_is_seen(tmp_path: Path, caller: Caller, pages: ScriptedAdapter) -> None:
    choice = callback(initiate(caller)["connect_url"], code="c")

    async def way(page: Page) -> None:
        await page.open(choice)
        for dark in (False, True):
            for width in (320, 768, 1920):
                await page.look(dark=dark, width=width, height=700)
                assert await page.evaluate("document.documentElement.scrollWidth") <= width
        for _ in range(5):
            assert await page.evaluate(OUTLINE) >= 2
            await page.press("Tab")
        pages.people = [Profile("page-9", "V" * 400)]
        await page.open(callback(initiate(caller)["connect_url"], code="c"))
        await page.look(dark=False, width=320, height=700)
        assert await page.evaluate("document.documentElement.scrollWidth") <= 320

    walk(tmp_path, way)
