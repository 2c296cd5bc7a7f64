"""A user at the window of another service."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from app.desktop.shell.main_controller import MainController
from app.desktop.widgets import Skeleton
from app.workspace.messages import Message, Problem
from app.workspace.workspace import Workspace
from tests.hostile.hovering import guessing
from tests.hostile.running import Elsewhere
from tests.hostile.seen import texts, unfit
from tests.hostile.variation import Variation

Shown = TypeVar("Shown", bound=QWidget)

_PATIENCE_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class Visitor:
    """Looks, acts, waits, and checks the texts."""

    controller: MainController
    variation: Variation
    elsewhere: Elsewhere

    @property
    def workspace(self) -> Workspace:
        return self.controller.workspace

    async def until(self, condition: Callable[[], object], what: str | Callable[[], str]) -> None:
        """Wait for a condition; on timeout, report the actual state."""
        try:
            async with asyncio.timeout(_PATIENCE_S):
                while not condition():  # noqa: ASYNC110  there is no event for it
                    await asyncio.sleep(0.02)
        except TimeoutError:
            told = what if isinstance(what, str) else what()
            raise AssertionError(f"{told}; {self.workspace.sync}; {self._said()}") from None

    def judge(self, part: QWidget, name: str, known: str = "") -> None:
        """Check that a part's texts are suitable for users; ``known`` is an allowed technical word."""
        assert texts(part), f"{name} says nothing"
        assert not (found := unfit(part, known)), f"{name} says {found}"
        if self.variation.name == "texts-of-markup":
            assert not (found := guessing(part)), f"{name} takes for markup {found}"

    async def try_out(self, work: Awaitable[object]) -> None:
        """Do something that succeeds or is refused with a sentence."""
        try:
            await work
        except Problem as problem:
            refusal = problem.text
        else:
            return
        assert refusal.endswith("."), refusal

    def hear(self, told: SignalInstance) -> list[Message]:
        """Return the list of a pane's later messages."""
        heard: list[Message] = []
        told.connect(heard.append)
        return heard

    def sheet(self, kind: type[Shown]) -> Shown:
        """Return the visible sheet of a type."""
        found = [one for one in self.controller.window.findChildren(kind) if one.isVisible()]
        assert found, f"no {kind.__name__} shows; {self._said()}"
        return found[-1]

    def is_told(self) -> bool:
        """Whether the window shows that something is wrong."""
        sync = self.workspace.sync
        return bool(self.controller.window.messages.texts() or sync.problem or not sync.connected)

    def _said(self) -> str:
        window = self.controller.window
        pane = window._panes.currentWidget()
        parts = {"the pane": pane, "the panel": window.side, "messages": window.messages}
        return "; ".join(f"{name}: {_words(part)}" for name, part in parts.items() if part is not None)


def is_loading(part: QWidget) -> bool:
    """Whether a part is still loading."""
    return any(one.isVisible() for one in part.findChildren(Skeleton))


def _words(part: QWidget) -> str:
    return " | ".join(dict.fromkeys(texts(part)))[:1_500]
