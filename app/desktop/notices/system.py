"""The notifications of the system: D-Bus on Linux, the notification centres of macOS and Windows."""

import asyncio
import contextlib
import html
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

import structlog

from app import resources
from app.workspace.messages import MessageAction
from app.workspace.notices.notice import Notice, NoticeKind

if TYPE_CHECKING:
    from desktop_notifier.backends.base import DesktopNotifierBackend

_PATIENCE_S: Final = 10.0
"""A service that D-Bus has to start may take some seconds; one that hangs is not waited for."""
_CONSENT_S: Final = 60.0
"""macOS asks the person, once, whether Kalends may notify."""
_GO: Final = "go"

_log = structlog.get_logger(__name__)


class SystemNotices:
    """Shows notifications, each with its action. Its libraries are loaded in the background when needed."""

    def __init__(self, act: Callable[[MessageAction], None]) -> None:
        """``act`` is called, in the window's thread, with the action of a notice that was clicked."""
        self._act = act
        self._center: DesktopNotifierBackend | None = None
        self._reads_markup = False
        self._turn = asyncio.Lock()

    async def show(self, notice: Notice) -> bool:
        """Whether the system took it. Where there is none to take it, that is found out quietly."""
        async with self._turn:
            try:
                center = self._center or await self._open()
                if center is None:
                    return False
                async with asyncio.timeout(_PATIENCE_S):
                    shown = await self._send(center, notice)
            except Exception as error:  # noqa: BLE001  each system's library has errors of its own
                _log.info("the system shows no notifications", error=repr(error))
                shown = False
            if not shown:
                self._drop()
            return shown

    async def close(self) -> None:
        """Takes back what is shown, since nobody would be there to act on it, and lets go of the system."""
        if self._center is not None:
            with contextlib.suppress(Exception):
                async with asyncio.timeout(1):
                    await self._center.clear_all()
        self._drop()

    async def _open(self) -> "DesktopNotifierBackend | None":
        """Finds who shows notifications here; None when nobody does, or the person refused."""
        make = await asyncio.to_thread(load)
        center = self._center = make()
        async with asyncio.timeout(_PATIENCE_S):
            abilities = await center.get_capabilities()
            interface = getattr(center, "interface", None)
            if interface is not None:
                self._reads_markup = "body-markup" in await interface.call_get_capabilities()
        async with asyncio.timeout(_CONSENT_S):
            return center if abilities and await center.request_authorisation() else None

    async def _send(self, center: "DesktopNotifierBackend", notice: Notice) -> bool:
        from desktop_notifier import Button, Notification, Urgency

        taken: list[bool] = []
        go = partial(asyncio.get_running_loop().call_soon_threadsafe, self._act, notice.action)
        text = _plain(notice.text)
        await center.send(
            Notification(
                _plain(notice.title).replace("\n", " "),
                html.escape(text, quote=False) if self._reads_markup else text,
                urgency=Urgency.Normal if notice.kind is not NoticeKind.UPLOADED else Urgency.Low,
                buttons=(Button(notice.action.label, go, _GO),),
                on_clicked=go,
                on_dispatched=lambda: taken.append(True),
            )
        )
        return bool(taken)

    def _drop(self) -> None:
        """Look for the system's service again next time."""
        center, self._center = self._center, None
        bus = getattr(center, "bus", None)
        if bus is not None:
            bus.disconnect()


def load() -> "Callable[[], DesktopNotifierBackend]":
    """What makes the system's notification centre. Blocking: it takes a tenth of a second."""
    from desktop_notifier import Icon
    from desktop_notifier.main import get_backend_class

    return partial(get_backend_class(), "Kalends", Icon(path=resources.path("icons/kalends-128.png")))


def _plain(text: str) -> str:
    """Without what neither D-Bus nor XML can carry."""
    return "".join(each for each in text if each == "\n" or unicodedata.category(each) not in ("Cc", "Cs"))
