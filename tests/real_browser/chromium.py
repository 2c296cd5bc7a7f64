"""The tests' default browser: Chromium with a separate profile, controlled with DevTools."""

import asyncio
import json
import os
import shlex
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import psutil

T = TypeVar("T")

_PATIENCE_S = 60
_FLAGS = (
    "--remote-debugging-port=0",
    # Otherwise Chromium drops clicks before a page's first frame, which comes late on a busy machine.
    "--allow-pre-commit-input",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--password-store=basic",
    "--window-position=1300,0",
    "--window-size=600,900",
)


def missing() -> str:
    """Return the missing program."""
    return "" if shutil.which("chromium") else "chromium"


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a DevTools command, and when it was sent, by ``time.monotonic``."""

    sent: float
    result: dict[str, Any]


class Page:
    """A tab."""

    def __init__(self, runner: asyncio.Runner, told: dict[str, Any]) -> None:
        self._runner = runner
        self.id, self.url, self.title = told["id"], told["url"], told["title"]
        self._socket = told["webSocketDebuggerUrl"]

    def click(self, selector: str) -> float:
        """Click on the element and return the time, by ``time.monotonic``."""
        x, y = self._place(selector)
        mouse = {"x": x, "y": y, "button": "left", "clickCount": 1}
        kinds = ("mousePressed", "mouseReleased")
        events = [("Input.dispatchMouseEvent", {**mouse, "type": kind}) for kind in kinds]
        return self._tell(("Page.bringToFront", {}), *events)[-1].sent

    def write(self, text: str) -> None:
        """Write into the element with the focus."""
        self._tell(("Input.insertText", {"text": text}))

    def go(self, address: str) -> None:
        """Navigate to another URL."""
        self._tell(("Page.navigate", {"url": address}))

    def evaluate(self, script: str) -> Any:
        """Return the result of a script in the page."""
        (answer,) = until(
            lambda: self._try(("Runtime.evaluate", {"expression": script, "returnByValue": True}))
        )
        return answer.result["result"].get("value")

    def await_heading(self, text: str) -> None:
        """Wait for a page with this heading: the app may know of a step before the browser shows it."""
        script = "document.querySelector('h1')?.innerText ?? ''"
        with saying(lambda: f"{self.evaluate(script)!r} instead of {text!r}"):
            until(lambda: self.evaluate(script) == text)

    def close(self) -> None:
        """Close the tab."""
        self._tell(("Page.close", {}))

    def _place(self, selector: str) -> tuple[float, float]:
        """Scroll to an element and return its centre."""
        script = f"""(() => {{
            const found = document.querySelector({json.dumps(selector)});
            if (!found || document.readyState !== "complete") return null;
            found.scrollIntoView({{block: "center", behavior: "instant"}});
            const box = found.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()"""
        with saying(lambda: f"no {selector} in {self.evaluate('document.documentElement.outerHTML')}"):
            x, y = until(lambda: self.evaluate(script))
        return x, y

    def _try(self, *commands: tuple[str, dict[str, Any]]) -> list[Answer]:
        """Return no answers if the page was left meanwhile; the next one answers."""
        try:
            return self._tell(*commands)
        except PageLeftError:
            return []

    def _tell(self, *commands: tuple[str, dict[str, Any]]) -> list[Answer]:
        return self._runner.run(_tell(self._socket, commands))


class Browser:
    """Chromium, which starts with the first opened page."""

    def __init__(self, folder: Path) -> None:
        self._profile = folder / "profile"
        self._runner = asyncio.Runner()

    def pages(self) -> list[Page]:
        """Return the tabs, newest first; none before the browser has started."""
        try:
            port = (self._profile / "DevToolsActivePort").read_text().split()[0]
            told = self._runner.run(_get(f"http://127.0.0.1:{port}/json/list"))
        except (OSError, IndexError, aiohttp.ClientError):  # not there, not written whole, not listened to
            return []
        return [Page(self._runner, one) for one in told if one["type"] == "page"]

    def page(self, part: str) -> Page:
        """Wait for a tab with this text in its URL, and until it's loaded."""

        def loaded() -> Page | None:
            found = next((page for page in self.pages() if part in page.url), None)
            return found if found and found.evaluate("document.readyState") == "complete" else None

        with saying(lambda: f"no {part} in {[(page.url, page.title) for page in self.pages()]}"):
            return until(loaded)

    def titles(self) -> list[str]:
        return [page.title for page in self.pages()]

    def end(self) -> None:
        """Quit the browser, if it was started."""
        self._runner.close()
        try:
            owner = (self._profile / "SingletonLock").readlink()  # HOST-PID
            process = psutil.Process(int(owner.name.rpartition("-")[2]))
            process.terminate()
            process.wait(_PATIENCE_S)
        except (OSError, psutil.NoSuchProcess):
            pass


@contextmanager
def browser(folder: Path) -> Iterator[tuple[Browser, dict[str, str]]]:
    """Provide a browser that starts with the first opened page, and the environment to find it."""
    programs = folder / "programs"
    programs.mkdir(parents=True)
    opener = programs / "xdg-open"
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    words = ["chromium", f"--user-data-dir={folder / 'profile'}", *_FLAGS, *sandbox]
    home, log = (shlex.quote(str(folder / name)) for name in ("home", "log"))
    opener.write_text(f'#!/bin/sh\nexport HOME={home}\nexec {shlex.join(words)} "$@" 2>>{log}\n')
    opener.chmod(0o755)
    opened = Browser(folder)
    try:
        yield opened, {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    finally:
        opened.end()


def until(look: Callable[[], T | None]) -> T:
    """Poll until there is a result; fail on timeout."""
    end = time.monotonic() + _PATIENCE_S
    while not (found := look()):
        if time.monotonic() > end:
            raise TimeoutError("it never came")
        time.sleep(0.05)
    return found


@contextmanager
def saying(what: Callable[[], str]) -> Iterator[None]:
    """Add to a timeout what there is instead."""
    try:
        yield
    except TimeoutError as error:
        error.add_note(what())
        raise


class PageLeftError(Exception):
    """DevTools couldn't carry out a command, usually because the page was left meanwhile."""


async def _get(address: str) -> Any:
    async with aiohttp.ClientSession() as session, session.get(address) as answer:
        return await answer.json()


async def _tell(socket: str, commands: tuple[tuple[str, dict[str, Any]], ...]) -> list[Answer]:
    """Send DevTools commands one after the other, and return their results."""
    async with aiohttp.ClientSession() as session, session.ws_connect(socket) as line:
        answers = []
        for number, (method, parameters) in enumerate(commands):
            sent = time.monotonic()
            await line.send_json({"id": number, "method": method, "params": parameters})
            while (told := await line.receive_json(timeout=_PATIENCE_S)).get("id") != number:
                continue
            if (error := told.get("error")) is not None:
                raise PageLeftError(error)
            answers.append(Answer(sent, told["result"]))
        return answers
