"""The last state of a workspace, which the calendar shows until the workspace itself is open.

Reading it takes a moment; importing and opening a whole workspace takes much longer. Commands given in the
meantime are carried out once the workspace is open.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from app.workspace.accounts.account import Account
from app.workspace.changes import Changes, Listeners
from app.workspace.posts.mirror import Mirror
from app.workspace.posts.planned import Timeline
from app.workspace.slots.slots import Slot
from app.workspace.store.first import FirstRows, read_first
from app.workspace.sync.status import SyncStatus
from app.workspace.undo import Entry
from app.workspace.warnings.warning import PlanWarnings

if TYPE_CHECKING:
    from app.workspace.workspace import Workspace


class LastState:
    """Stored posts, accounts and posting times; after `go_on_with`, those of the workspace.

    Earlier commands wait for it.
    """

    def __init__(self, rows: FirstRows) -> None:
        self.rows = rows
        mirror = Mirror(Timeline(rows.posts))
        for key, service_id in rows.service_ids:
            mirror.identify(key, service_id)
        mirror.want(rows.intentions)
        self._posts = mirror.timeline
        self._accounts = MappingProxyType(
            {account.key: account for account, is_listed in rows.accounts if is_listed}
        )
        self._workspace: Workspace | None = None
        self._arrived: asyncio.Future[Workspace] = asyncio.get_running_loop().create_future()
        self._waiting: list[Callable[[Workspace], object]] = []
        self._listeners: Listeners[Changes] = Listeners()

    @classmethod
    async def read(cls, file: Path) -> "LastState | None":
        """Read a workspace's file; None if it has no accounts, or has to be migrated or repaired first."""
        rows = await asyncio.to_thread(read_first, file)
        return cls(rows) if rows is not None and any(is_listed for _, is_listed in rows.accounts) else None

    def go_on_with(self, workspace: "Workspace") -> None:
        """Show the workspace from now on, and carry out the waiting commands."""
        is_same = workspace.posts.all() == self._posts.all() and workspace.accounts == self._accounts
        self._workspace = workspace
        workspace.listen(self._listeners.tell)
        self._listeners.tell(
            Changes(reset=not is_same, accounts=not is_same, undo=True, warnings=True, sync=True)
        )
        self._arrived.set_result(workspace)
        waiting, self._waiting = self._waiting, []
        for command in waiting:
            command(workspace)

    @property
    def posts(self) -> Timeline:
        return self._workspace.posts if self._workspace else self._posts

    @property
    def accounts(self) -> Mapping[str, Account]:
        return self._workspace.accounts if self._workspace else self._accounts

    @property
    def sync(self) -> SyncStatus:
        return self._workspace.sync if self._workspace else SyncStatus()

    @property
    def slots(self) -> "LastState":
        return self

    def all(self) -> Sequence[Slot]:
        """The weekly slots."""
        return self._workspace.slots.all() if self._workspace else self.rows.slots

    @property
    def media(self) -> "LastState":
        return self

    async def picture(self, storage_path: str) -> bytes | None:
        return await (await self._whole()).media.picture(storage_path)

    @property
    def analytics(self) -> "LastState":
        return self

    async def views(self, keys: Sequence[str]) -> Mapping[str, int]:
        return await (await self._whole()).analytics.views(keys)

    @property
    def warnings(self) -> PlanWarnings:
        return self._workspace.warnings if self._workspace else PlanWarnings()

    @property
    def undo_label(self) -> str | None:
        return self._workspace.undo_label if self._workspace else None

    @property
    def redo_label(self) -> str | None:
        return self._workspace.redo_label if self._workspace else None

    @property
    def history(self) -> Sequence[Entry]:
        return self._workspace.history if self._workspace else ()

    def listen(self, listener: Callable[[Changes], None]) -> Callable[[], None]:
        """Subscribe to changes; call the result to unsubscribe."""
        return self._listeners.add(listener)

    def refusal(self, key: str, at: int, *, again: bool = False) -> str | None:
        """Return why a move would be refused; None before the workspace is open: the move itself says so."""
        return self._workspace.refusal(key, at, again=again) if self._workspace else None

    def move(self, times: Mapping[str, int]) -> None:
        self._do(lambda workspace: workspace.move(times))

    def schedule_again(self, times: Mapping[str, int]) -> Sequence[str]:
        if self._workspace:
            return self._workspace.schedule_again(times)
        self._do(lambda workspace: workspace.schedule_again(times))
        return tuple(times)

    def cancel(self, keys: Iterable[str]) -> None:
        chosen = tuple(keys)
        self._do(lambda workspace: workspace.cancel(chosen))

    def undo(self) -> None:
        self._do(lambda workspace: workspace.undo())

    def redo(self) -> None:
        self._do(lambda workspace: workspace.redo())

    async def texts(self, keys: Sequence[str]) -> Mapping[str, str]:
        return await (await self._whole()).texts(keys)

    async def matching(self, typed: str) -> frozenset[str] | None:
        return await (await self._whole()).matching(typed)

    def _do(self, command: "Callable[[Workspace], object]") -> None:
        if self._workspace:
            command(self._workspace)
        else:
            self._waiting.append(command)

    async def _whole(self) -> "Workspace":
        return await asyncio.shield(self._arrived)
