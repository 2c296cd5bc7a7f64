"""A simulated user who writes a post, and reports continuously what the screen shows."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest

from app.desktop.application import Application
from app.desktop.composer import ComposerPanel
from tests.benchmarks.appkills.lives import tell, waited_ns
from tests.benchmarks.appkills.program import opened
from tests.benchmarks.appkills.world import PLATFORMS

_LETTERS: Final = "etaoin shrdlu,.äß🦊中"
_LONGEST: Final = 500
_DRAFTS: Final = 6
_CTRL: Final = Qt.KeyboardModifier.ControlModifier


@dataclass
class Writer:
    """The user of one composer; ``files`` can be attached."""

    pipe: int
    seed: float
    files: list[Path]
    close_after_s: float | None
    """When to close the window, in s; None for never."""

    async def write(self, application: Application) -> None:
        """Write until the app ends."""
        self._controller, self._window = await opened(application), application.window
        self._random = random.Random(self.seed)  # noqa: S311  not for security
        while len(self._controller.workspace.accounts) < len(PLATFORMS):  # noqa: ASYNC110  only in the first life
            await asyncio.sleep(0.01)
        await self._open()
        tell(self.pipe, "found", self._seen())
        self._say()
        if self.close_after_s is not None:
            asyncio.get_running_loop().call_later(self.close_after_s, self._close_window, application)
        while self._window.isVisible():
            await self._something()()

    async def look(self, application: Application) -> None:
        """Only report what's there, and close the window."""
        self._controller, self._window = await opened(application), application.window
        await self._open()
        tell(self.pipe, "found", self._seen())
        application.window.close()

    def _close_window(self, application: Application) -> None:
        tell(self.pipe, "closing", [time.monotonic_ns(), waited_ns()])
        application.window.close()

    async def _open(self) -> None:
        self._panel = panel = self._controller.panels.compose()
        while panel.text_box.editor.isReadOnly():  # noqa: ASYNC110
            await asyncio.sleep(0.002)
        panel.model.listen(self._say)

    def _something(self) -> Callable[[], Awaitable[None]]:
        ways = [self._type, self._switch, self._toggle, self._step_time, self._attach, self._close]
        ways += [self._put_aside, self._take_up, self._begin_anew]
        return self._random.choices(ways, [12, 3, 2, 2, 1, 1, 1, 1, 0.4])[0]

    async def _type(self) -> None:
        """Type without a pause."""
        if len(self._panel.text_box.text()) > _LONGEST:
            await self._put_aside()
        for _ in range(self._random.randrange(1, 25)):
            letter = self._random.choice(_LETTERS)
            if not self._window.isVisible():
                return
            before = self._panel.text_box.text()
            self._intend(before + letter)
            editor = self._panel.text_box.editor
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                key = QKeyEvent(kind, Qt.Key.Key_unknown, Qt.KeyboardModifier.NoModifier, letter)
                QCoreApplication.postEvent(editor, key)
            while self._panel.text_box.text() == before:  # noqa: ASYNC110
                await asyncio.sleep(0)
            await asyncio.sleep(self._random.uniform(0.02, 0.11))

    async def _begin_anew(self) -> None:
        """Select everything and type over it."""
        self._panel.text_box.editor.selectAll()
        self._intend("A")
        QTest.keyClicks(self._panel.text_box.editor, "A")

    async def _switch(self) -> None:
        versions = ["", *self._panel.model.accounts.chosen]
        if len(versions) > 2:
            self._panel.writing.tabs.tab(self._random.choice(versions)).click()
            await asyncio.sleep(0.02)

    async def _toggle(self) -> None:
        """Select or deselect an account. Versions of deselected accounts are kept too."""
        account = self._random.choice(list(self._controller.workspace.accounts))
        chosen = sorted({account}.symmetric_difference(self._panel.model.accounts.chosen))
        seen = self._seen()
        writing = seen["writing"] or self._writing(self._panel)
        tell(self.pipe, "next", seen | {"writing": writing | {"accounts": chosen}})
        self._panel.accounts.toggle(account).click()
        self._say()

    async def _step_time(self) -> None:
        key = self._random.choice([Qt.Key.Key_Up, Qt.Key.Key_Down])
        QTest.keyClick(self._panel.when.time, key)

    async def _attach(self) -> None:
        """Attach a file while typing continues."""
        if self._panel.model.upload:
            self._panel.model.remove_file()
        else:
            self._panel.attachment.take([self._random.choice(self.files)])

    async def _close(self) -> None:
        QTest.keyClick(self._panel.text_box.editor, Qt.Key.Key_Escape)
        await self._open()
        self._say()

    async def _put_aside(self) -> None:
        """Save the text as a draft and delete an old one."""
        seen = self._seen()
        drafts = seen["drafts"]
        if seen["writing"] is not None:
            drafts = sorted([*drafts, seen["writing"]["text"]])
        tell(self.pipe, "next", {"writing": None, "drafts": drafts})
        QTest.keyClick(self._panel.text_box.editor, Qt.Key.Key_S, _CTRL)
        await self._open()
        self._say()
        drafts_now = self._controller.workspace.drafts
        if len(all_drafts := drafts_now.all()) > _DRAFTS:
            left = sorted(draft.content.text for draft in all_drafts[:-1])
            tell(self.pipe, "next", self._seen() | {"drafts": left})
            drafts_now.remove([all_drafts[-1].id])
            self._say()

    async def _take_up(self) -> None:
        """Continue a draft. The current text becomes one."""
        if not (drafts := self._controller.workspace.drafts.all()):
            return
        draft = self._random.choice(drafts)
        panel = self._panel
        self._controller.open_draft(draft.id)
        tell(self.pipe, "any")
        while self._controller.window.side is panel or self._controller.workspace.drafts.get(draft.id):  # noqa: ASYNC110
            await asyncio.sleep(0)
        await self._open()
        self._say()

    def _intend(self, text: str) -> None:
        """Report what the screen will show next, because it may be saved before the screen's report."""
        seen = self._seen()
        writing = seen["writing"] or self._writing(self._panel)
        version = self._panel.model.version
        own = dict(writing["own"])
        if not version:
            writing = writing | {"text": text}
        elif text == writing["text"]:
            own.pop(version, None)
        else:
            own[version] = text
        tell(self.pipe, "next", seen | {"writing": writing | {"own": own}})

    def _say(self, *_changed: object) -> None:
        if not self._window.isVisible():
            return  # changes behind a closed window aren't the user's
        seen = self._seen()
        tell(self.pipe, "state", [time.monotonic_ns(), waited_ns(), seen])

    def _seen(self) -> dict[str, Any]:
        writing = self._writing(self._panel)
        is_empty = not (writing["text"].strip() or writing["own"] or writing["file"])
        drafts = sorted(draft.content.text for draft in self._controller.workspace.drafts.all())
        return {"writing": None if is_empty else writing, "drafts": drafts}

    def _writing(self, panel: ComposerPanel) -> dict[str, Any]:
        text = panel.model.text
        assert panel.text_box.text() == text.of(panel.model.version)
        upload = panel.model.upload
        return {
            "text": text.shared,
            "own": dict(text.own),
            "accounts": sorted(panel.model.accounts.chosen),
            "at": panel.model.schedule.at,
            "file": upload.name if upload else "",
        }
