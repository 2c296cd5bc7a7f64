"""Texts and groups of hashtags that are saved under a name, to be put into posts."""

import asyncio
from collections.abc import Iterable
from typing import Final

from pydantic import TypeAdapter

from app.language import tr
from app.workspace.core import Core
from app.workspace.messages import Problem
from app.workspace.store.tables import get_setting, put_setting

NAME_MAX: Final = 80
SNIPPETS_MAX: Final = 200

_NAME: Final = "snippets"
_SHAPE: Final = TypeAdapter(dict[str, str])


class Snippets:
    """Texts by name, in the order of names. They belong to no account."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._texts: dict[str, str] | None = None
        self._turn = asyncio.Lock()
        """All are written together: who changes one waits until the change before is there."""

    async def load(self) -> dict[str, str]:
        """Every text by its name. Raises Problem."""
        if self._texts is None:
            kept = await self._core.read(lambda rows: get_setting(rows, _NAME, _SHAPE))
            if self._texts is None:
                self._texts = kept or {}
        return self.all()

    def all(self) -> dict[str, str]:
        """What was loaded."""
        return dict(sorted((self._texts or {}).items(), key=lambda one: one[0].casefold()))

    async def keep(self, name: str, text: str) -> None:
        """Saves a text; one of the same name gives way. Raises Problem."""
        async with self._turn:
            await self._keep(name, text)

    async def remove(self, names: Iterable[str]) -> None:
        """Deletes texts. Raises Problem."""
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
