"""The recently used emoji, and the user's skin tone."""

from typing import Final

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from app.workspace.core import Core
from app.workspace.store.tables import get_setting, put_setting

RECENT_MAX: Final = 36
TONE_MAX: Final = 5

_NAME: Final = "emoji"


class _Habits(BaseModel):
    model_config = ConfigDict(frozen=True)

    recent: tuple[str, ...] = ()
    tone: int = Field(default=0, ge=0, le=TONE_MAX)


_SHAPE: Final = TypeAdapter(_Habits)


class EmojiHabits:
    """Changes apply immediately and are stored soon."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._habits: _Habits | None = None

    @property
    def recent(self) -> tuple[str, ...]:
        """Sequences, newest first, once loaded."""
        return self._habits.recent if self._habits else ()

    @property
    def tone(self) -> int:
        """From 1 (light) to 5 (dark); 0 for no tone."""
        return self._habits.tone if self._habits else 0

    async def load(self) -> None:
        """Load the stored values, once. Raises Problem."""
        if self._habits is None:
            kept = await self._core.read(lambda rows: get_setting(rows, _NAME, _SHAPE))
            if self._habits is None:
                self._habits = kept or _Habits()

    async def use(self, text: str) -> None:
        """Move a sequence to the front of the recent ones. Raises Problem."""
        recent = (text, *(one for one in self.recent if one != text))[:RECENT_MAX]
        await self._keep(_Habits(recent=recent, tone=self.tone))

    async def like(self, tone: int) -> None:
        """Set the skin tone. Raises Problem."""
        await self._keep(_Habits(recent=self.recent, tone=tone))

    async def _keep(self, habits: _Habits) -> None:
        self._habits = habits
        await self._core.write(lambda rows: put_setting(rows, _NAME, habits, _SHAPE))
