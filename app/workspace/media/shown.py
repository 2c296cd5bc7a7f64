"""How files were shown last: a setting of the workspace."""

from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter

from app.workspace.core import Core
from app.workspace.store.settings import get_setting, put_setting

_NAME: Final = "media_shown"


@dataclass(frozen=True, slots=True)
class Shown:
    """Words of whoever shows files: in which form, and in which order; empty for their own choice."""

    form: str = ""
    order: str = ""


_SHAPE: Final = TypeAdapter(Shown)


class KeptShown:
    """For the event loop's thread. Every coroutine raises Problem."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def load(self) -> Shown:
        """What was kept last."""
        return await self._core.read(lambda rows: get_setting(rows, _NAME, _SHAPE)) or Shown()

    async def keep(self, shown: Shown) -> None:
        """It holds after a restart."""
        await self._core.write(lambda rows: put_setting(rows, _NAME, shown, _SHAPE))
