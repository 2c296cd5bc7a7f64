"""The pages in a real browser, by keyboard alone: every step of an owner, in both colour schemes."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.service.integrations.browser import CHROMIUM, Page, chromium
from tests.service.integrations.visiting import PASSWORD, give_password, new_link
from tests.service.running import Caller, in_hours
from tests.service.test_companion_keys import listed, make, status_of

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


def walk(profile: Path, way: Callable[[Page], Awaitable[None]]) -> None:
    async def run() -> None:
        async with chromium(profile) as page:
            await page.look(dark=False, width=1280, height=900)
            await way(page)

    asyncio.run(run())


async def go(page: Page, name: str) -> None:
    """Tabs to what is called so, and presses Enter."""
    await page.tab_to(name)
    await page.press("Enter")
    await page.settle()


async def title(page: Page) -> str:
    return str(await page.evaluate("document.querySelector('h1').textContent"))


def test_an_owner_does_everything_by_keyboard(tmp_path: Path, caller: Caller) -> None:
    async def way(page: Page) -> None:
        await page.open(new_link(caller.service, caller.account_id))
        await go(page, "Sign in")
        assert await title(page) == "Integrations"

        await page.tab_to("Name")
        await page.type("Zapier")
        await page.tab_to("Expires")
        await page.press("ArrowDown")
        await go(page, "Create key")
        assert await title(page) == "Your new key"
        assert await page.focused() == "Key"  # ready to be copied
        key = str(await page.evaluate("document.activeElement.value"))
        assert status_of(caller.service, key) == 200
        assert listed(caller)[0]["expires_at"] is not None

        await go(page, "Done")
        await go(page, "Revoke Zapier")
        assert await title(page) == "Revoke this key?"
        await go(page, "Revoke key")
        assert status_of(caller.service, key) == 401

        await go(page, "Sign out")
        assert await title(page) == "Sign in"

    walk(tmp_path, way)


def test_a_refusal_has_the_focus(tmp_path: Path, caller: Caller) -> None:
    login = give_password(caller)

    async def way(page: Page) -> None:
        await page.open(f"{caller.service.base_url}/integrations")
        await page.tab_to("Login name")
        await page.type(login)
        await page.tab_to("Password")
        await page.type("wrong horse battery staple")
        await page.press("Enter")
        await page.settle()
        assert await page.evaluate("document.activeElement.getAttribute('role')") == "alert"
        assert await page.evaluate("document.activeElement.matches(':focus-visible')")
        assert await page.evaluate("document.querySelector('#login').value") == login

        await page.tab_to("Password")
        await page.type(PASSWORD)
        await page.press("Enter")
        await page.settle()
        assert await title(page) == "Integrations"

    walk(tmp_path, way)


def test_focus_is_seen_and_nothing_overflows(tmp_path: Path, caller: Caller) -> None:
    caller.connect("threads", display_name="Wool" * 40)
    caller.connect("x", display_name="W" * 300, is_available=False)
    make(caller, name="W" * 100, expires_at=in_hours(24))

    async def way(page: Page) -> None:
        await page.open(new_link(caller.service, caller.account_id))
        await go(page, "Sign in")
        for dark in (False, True):
            for width in (320, 721, 1920):
                await page.look(dark=dark, width=width, height=900)
                assert await page.evaluate("document.documentElement.scrollWidth") <= width
        for _ in range(12):
            await page.press("Tab")
            assert await page.evaluate(
                "document.activeElement === document.body"
                " || parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2"
            )

    walk(tmp_path, way)


def test_a_page_in_another_site_gets_nothing(tmp_path: Path, caller: Caller) -> None:
    """A foreign page that sends our form: the browser sends no cookie along, and names where it was."""

    async def way(page: Page) -> None:
        await page.open(new_link(caller.service, caller.account_id))
        await go(page, "Sign in")
        action = f"{caller.service.base_url}/integrations/keys"
        await page.open(f"data:text/html,<form method=post action='{action}'><button>Go</button></form>")
        await go(page, "Go")
        assert await title(page) == "Sign in"
        assert len(listed(caller)) == 1

    walk(tmp_path, way)
