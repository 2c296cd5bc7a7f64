"""Chromium, driven over its debugging protocol: pages as a person meets them, by keyboard alone."""

import asyncio
import base64
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--remote-debugging-port=0", "--ignore-certificate-errors",
)  # fmt: skip
_KEYS = {"Tab": 9, "Enter": 13, " ": 32, "ArrowDown": 40}
_START_S = 40


@dataclass
class Page:
    """The one page of a browser of this test's own."""

    socket: aiohttp.ClientWebSocketResponse
    session: str
    _number: int = field(default=0)

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One call of the debugging protocol; gives its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters, "sessionId": self.session}
        await self.socket.send_json(message)
        while True:
            told = await self.socket.receive_json(timeout=_START_S)
            if told.get("id") == self._number:
                assert "error" not in told, told
                result: dict[str, Any] = told["result"]
                return result

    async def evaluate(self, expression: str) -> Any:
        """What an expression is on the page. The page itself runs no script; the debugger does."""
        told = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return told["result"].get("value")

    async def open(self, url: str) -> None:
        await self.call("Page.navigate", url=url)
        await self.settle()

    async def settle(self) -> None:
        """Waits until a page is there as a whole."""
        await asyncio.sleep(0.1)  # a navigation that a key began is not seen at once
        async with asyncio.timeout(_START_S):
            while await self.evaluate("document.readyState") != "complete":  # noqa: ASYNC110  another program
                await asyncio.sleep(0.05)
        await self.call("Runtime.evaluate", expression="document.fonts.ready", awaitPromise=True)

    async def press(self, key: str, times: int = 1, *, shift: bool = False) -> None:
        """A key of the keyboard; Enter and Space also as the character that they write."""
        about = {"key": key, "windowsVirtualKeyCode": _KEYS[key], "modifiers": 8 if shift else 0}
        text = {"Enter": "\r", " ": " "}.get(key)
        for _ in range(times):
            down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
            await self.call("Input.dispatchKeyEvent", **down, **about)
            await self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    async def type(self, text: str) -> None:
        await self.call("Input.insertText", text=text)

    async def tab_to(self, wanted: str) -> None:
        """Tabs until the focus is on what says ``wanted``, as its name or text."""
        said = []
        for _ in range(40):
            await self.press("Tab")
            said.append(await self.focused())
            if said[-1] == wanted:
                return
        raise AssertionError(f"{wanted!r} cannot be reached by keyboard; there is {said}")

    async def focused(self) -> str:
        """The accessible name of what has the focus."""
        element = await self.call("Runtime.evaluate", expression="document.activeElement")
        about = {"objectId": element["result"]["objectId"], "fetchRelatives": False}
        tree = await self.call("Accessibility.getPartialAXTree", **about)
        return str(tree["nodes"][0].get("name", {}).get("value", ""))

    async def look(self, *, dark: bool, width: int, height: int) -> None:
        """The colours that the person prefers, and the size of the window."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.call("Emulation.setEmulatedMedia", features=[scheme])
        await self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    async def picture(self) -> bytes:
        """What the window shows, as PNG."""
        taken = await self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        return base64.b64decode(taken["data"])


@asynccontextmanager
async def chromium(profile: Path) -> AsyncIterator[Page]:
    """Starts a browser with a fresh profile and gives its page."""
    assert CHROMIUM is not None
    process = await asyncio.create_subprocess_exec(
        CHROMIUM,
        *_FLAGS,
        f"--user-data-dir={profile}",
        "about:blank",
        env={**os.environ, "LANG": "en_US.UTF-8"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url = await _debugger(profile / "DevToolsActivePort")
        async with aiohttp.ClientSession() as http, http.ws_connect(url, max_msg_size=0) as socket:
            yield await _attach(socket)
    finally:
        process.terminate()
        await process.wait()


async def _debugger(announced: Path) -> str:
    async with asyncio.timeout(_START_S):
        while len(place := _read(announced)) < 2:  # noqa: ASYNC110  another program writes it
            await asyncio.sleep(0.05)
    port, path = place
    return f"ws://127.0.0.1:{port}{path}"


def _read(announced: Path) -> list[str]:
    return announced.read_text(encoding="utf-8").split() if announced.exists() else []


async def _attach(socket: aiohttp.ClientWebSocketResponse) -> Page:
    browser = Page(socket, "")

    async def ask(number: int, method: str, **parameters: Any) -> dict[str, Any]:
        await socket.send_str(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            told = await socket.receive_json(timeout=_START_S)
            if told.get("id") == number:
                result: dict[str, Any] = told["result"]
                return result

    targets = (await ask(-1, "Target.getTargets"))["targetInfos"]
    page = next(target["targetId"] for target in targets if target["type"] == "page")
    session = (await ask(-2, "Target.attachToTarget", targetId=page, flatten=True))["sessionId"]
    browser.session = session
    for domain in ("Page", "Runtime", "Accessibility", "DOM"):
        await browser.call(f"{domain}.enable")
    await browser.call("Emulation.setFocusEmulationEnabled", enabled=True)  # as on a screen, in front
    return browser
