"""Reusable texts: snippets, and recent emoji."""

import asyncio
from collections.abc import Iterable
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from app.language import tr
from app.workspace.core import Core
from app.workspace.messages import Problem
from app.workspace.store.stored_value import StoredValue
from app.workspace.store.tables import get_setting, put_setting

NAME_MAX: Final = 80
SNIPPETS_MAX: Final = 200

_NAME: Final = "snippets"
_SHAPE: Final = TypeAdapter(dict[str, str])


class Snippets:
    """Texts by name, sorted by name. They are independent of accounts."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._texts: dict[str, str] | None = None
        self._turn = asyncio.Lock()
        """Snippets are stored in one setting, so each change waits for the previous one."""

    async def load(self) -> dict[str, str]:
        """Return all texts by name. Raises Problem."""
        if self._texts is None:
            kept = await self._core.read(lambda rows: get_setting(rows, _NAME, _SHAPE))
            if self._texts is None:
                self._texts = kept or {}
        return self.all()

    def all(self) -> dict[str, str]:
        """Return the loaded texts."""
        return dict(sorted((self._texts or {}).items(), key=lambda one: one[0].casefold()))

    async def keep(self, name: str, text: str) -> None:
        """Save a text, replacing one of the same name. Raises Problem."""
        async with self._turn:
            await self._keep(name, text)

    async def remove(self, names: Iterable[str]) -> None:
        """Delete texts. Raises Problem."""
        gone = frozenset(names)
        async with self._turn:
            await self._put({name: text for name, text in (await self.load()).items() if name not in gone})

    async def _keep(self, name: str, text: str) -> None:
        texts = await self.load()
        name = " ".join(name.split())[:NAME_MAX]
        if not (name and text.strip()):
            raise Problem(tr("Select some text and give it a name."), kind="invalid")
        if name not in texts and len(texts) >= SNIPPETS_MAX:
            text = tr("You already have {most} saved texts. Delete one first.", most=SNIPPETS_MAX)
            raise Problem(text, kind="invalid")
        await self._put(texts | {name: text.strip("\n")})

    async def _put(self, texts: dict[str, str]) -> None:
        await self._core.write(lambda rows: put_setting(rows, _NAME, texts, _SHAPE))
        self._texts = texts


RECENT_MAX: Final = 36
TONE_MAX: Final = 5

_HABITS_NAME: Final = "emoji"


class _Habits(BaseModel):
    model_config = ConfigDict(frozen=True)

    recent: tuple[str, ...] = ()
    tone: int = Field(default=0, ge=0, le=TONE_MAX)


_HABITS: Final = TypeAdapter(_Habits)


class EmojiHabits:
    """Recent emoji and the skin tone. Changes apply immediately and are stored soon."""

    def __init__(self, core: Core) -> None:
        self._habits = StoredValue(core, _HABITS_NAME, _HABITS)

    @property
    def recent(self) -> tuple[str, ...]:
        """Emoji sequences, newest first, once loaded."""
        return self._habits.value.recent if self._habits.value else ()

    @property
    def tone(self) -> int:
        """From 1 (light) to 5 (dark); 0 for no tone."""
        return self._habits.value.tone if self._habits.value else 0

    async def load(self) -> None:
        """Load the stored values, once. Raises Problem."""
        await self._habits.load()

    async def use(self, text: str) -> None:
        """Move a sequence to the front of the recent ones. Raises Problem."""
        await self.load()  # else the stored ones would be replaced
        recent = (text, *(one for one in self.recent if one != text))[:RECENT_MAX]
        await self._habits.put(_Habits(recent=recent, tone=self.tone))

    async def like(self, tone: int) -> None:
        """Set the skin tone. Raises Problem."""
        await self.load()
        await self._habits.put(_Habits(recent=self.recent, tone=tone))
