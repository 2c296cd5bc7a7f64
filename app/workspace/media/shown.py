"""How files were last shown: a setting of the workspace."""

from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter

from app.workspace.core import Core
from app.workspace.store.settings import get_setting, put_setting

_NAME: Final = "media_shown"


@dataclass(frozen=True, slots=True)
class Shown:
    """Names of a form and an order, defined by the pane; empty for its defaults."""

    form: str = ""
    order: str = ""


_SHAPE: Final = TypeAdapter(Shown)


class KeptShown:
    """For the event loop's thread. Every coroutine raises Problem."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def load(self) -> Shown:
        """Return the stored setting."""
        return await self._core.read(lambda rows: get_setting(rows, _NAME, _SHAPE)) or Shown()

    async def keep(self, shown: Shown) -> None:
        """Store the setting."""
        await self._core.write(lambda rows: put_setting(rows, _NAME, shown, _SHAPE))
