"""The speed limit for uploads: a setting of the workspace."""

from collections.abc import Callable
from typing import Final

from pydantic import TypeAdapter
from sqlalchemy import Connection

from app.workspace.core import Core
from app.workspace.listeners import Listeners
from app.workspace.store.settings import get_setting, put_setting

_NAME: Final = "upload_limit"
_SHAPE: Final = TypeAdapter(int)


class SpeedLimit:
    """Bytes per second for all uploads together; 0 for no limit."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._throttle = core.client.media.throttle
        self._told: Listeners[int] = Listeners()
        self._is_chosen = False

    @property
    def rate(self) -> int:
        return self._throttle.rate

    def listen(self, listener: Callable[[int], None]) -> Callable[[], None]:
        """Subscribe to changes of the limit; call the result to unsubscribe."""
        return self._told.add(listener)

    async def set(self, rate: int) -> None:
        """Set the limit, also for running uploads, and store it. Raises Problem."""
        self._is_chosen = True
        self._take(rate)
        await self._core.write(lambda connection: put_setting(connection, _NAME, rate or None, _SHAPE))

    async def load(self) -> None:
        """Apply the stored limit, unless another one was set in the meantime. Raises DatabaseError."""
        kept = await self._core.database.read(_kept)
        if not self._is_chosen:
            self._take(kept)

    def _take(self, rate: int) -> None:
        self._throttle.set_rate(rate)
        self._told.tell(rate)


def _kept(connection: Connection) -> int:
    return max(0, get_setting(connection, _NAME, _SHAPE) or 0)
