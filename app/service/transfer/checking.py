"""Checks of an export before anything of it is imported."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final, TypeVar
from uuid import UUID

from sqlalchemy import Connection, Table, exists, select

from app.database import Database
from app.service.accounts.accounts import FILE_BYTES_MAX, Plan, storage_cap
from app.service.media.stores import is_within
from app.service.problems import CommandProblem
from app.service.store.tables import connections, posts, removed_posts, webhook_subscriptions
from app.service.transfer.contents import MEDIA, PARTS, Part
from app.service.transfer.lines import decode, refused
from app.service.transfer.manifest import ExportFolder, Manifest, check_lines
from app.service.webhooks.subscriptions import SUBSCRIPTIONS_MAX, same_place

T = TypeVar("T")
PAGE: Final = 500
"""Rows per transaction."""
_KEPT_IDS_MAX: Final = 100_000
"""Maximum number of connections, whose ids are kept while checking."""
_MEDIA_COLUMNS: Final = {posts.name: "media_storage_path", removed_posts.name: "media_storage_path"}


def pages(lines: Iterable[T]) -> Iterator[list[T]]:
    """Yield groups of a length that fits into one transaction."""
    each = iter(lines)
    while group := list(islice(each, PAGE)):
        yield group


@dataclass(frozen=True, slots=True)
class Rooms:
    """What the account may store here, in bytes.

    Attributes:
        plan: The account's plan here, which limits the size of a file.
        cap: The account's own storage cap; None for that of the plan.
    """

    plan: Plan
    cap: int | None = None


@dataclass
class Checker:
    """Reads a whole export and compares it with itself, and with the rows of other accounts here.

    Blocking. ``check`` raises CommandProblem that names the file, the line and the field.
    """

    folder: ExportFolder
    manifest: Manifest
    database: Database
    rooms: Rooms
    _ids: dict[Table, set[UUID]] = field(default_factory=dict)
    _webhooks: set[str] = field(default_factory=set)
    _bytes: int = 0

    def check(self) -> None:
        """Check every line. Changes nothing."""
        for part in PARTS:
            self._check_part(part)

    def _check_part(self, part: Part) -> None:
        keeps = part.table in {connections, webhook_subscriptions}
        kept = self._ids.setdefault(part.table, set())
        first = 1
        for lines in pages(check_lines(self.folder.rows(part), self.manifest.tables[part.name])):
            rows = [decode(part, line, first + index) for index, line in enumerate(lines)]
            for index, row in enumerate(rows):
                self._check_row(part, row, first + index)
            self.database.read_now(_foreign(part, rows, first, self.manifest.account.id))
            if keeps:
                kept |= {row["id"] for row in rows}
                if len(kept) > _KEPT_IDS_MAX:
                    raise refused(part, first, "id", f"there are more than {_KEPT_IDS_MAX:,} rows")
            first += len(lines)

    def _check_row(self, part: Part, row: Mapping[str, Any], number: int) -> None:
        for column, (owner, *_) in part.refers.items():
            known = self._ids.get(owner)
            if owner in {connections, webhook_subscriptions} and row[column] not in (known or ()):
                raise refused(part, number, column, "isn't in this export")
        name = _MEDIA_COLUMNS.get(part.name)
        if name is not None and row[name] and not is_within(row[name], self.manifest.account.id):
            raise refused(part, number, name, "isn't a path of this account")
        if part is MEDIA:
            self._check_file(row, number)
        if part.table is webhook_subscriptions:
            self._check_webhook(part, row["url"], number)

    def _check_webhook(self, part: Part, url: str, number: int) -> None:
        """Apply the rules for new webhooks: they're few, and none gets every event twice."""
        place = same_place(url)
        if place in self._webhooks:
            raise refused(part, number, "url", "another webhook has the same address")
        if len(self._webhooks) == SUBSCRIPTIONS_MAX:
            raise refused(part, number, "id", f"an account has at most {SUBSCRIPTIONS_MAX} webhooks")
        self._webhooks.add(place)

    def _check_file(self, row: Mapping[str, Any], number: int) -> None:
        path = row["storage_path"]
        name = path.partition("/")[2]
        if not is_within(path, self.manifest.account.id) or name in {"", ".", ".."} or set(name) & set("/\\"):
            raise refused(MEDIA, number, "storage_path", "isn't a path of this account")
        if row["size_bytes"] > FILE_BYTES_MAX[self.rooms.plan]:
            raise refused(
                MEDIA,
                number,
                "size_bytes",
                f"a file of the plan {self.rooms.plan} may have "
                f"{FILE_BYTES_MAX[self.rooms.plan]:,} bytes. Choose another with --plan",
            )
        self._bytes += row["size_bytes"]
        cap = storage_cap(self.rooms.plan, self.rooms.cap)
        if self._bytes > cap:
            raise CommandProblem(
                f"The files of the account exceed its {cap:,} bytes of storage here (size_bytes in "
                "media.ndjson). Choose another --plan, or a --storage-cap. Nothing was imported."
            )
        if row["storage_path"] in self.manifest.left_out:
            return
        file = self.folder.media(row["sha256"])
        if not file.is_file() or file.stat().st_size != row["size_bytes"]:
            raise refused(MEDIA, number, "sha256", f"its file {file.name} is missing or incomplete")


def _foreign(
    part: Part, rows: Sequence[Mapping[str, Any]], first: int, account_id: UUID
) -> Callable[[Connection], None]:
    """Return a query that raises CommandProblem if rows have, or refer to, an id of another account."""

    def work(connection: Connection) -> None:
        if part.is_owned and "id" in part.table.c:
            _require_free(connection, part, "id", part.table, rows, first, account_id)
        for column, owners in part.refers.items():
            for owner in owners:
                _require_free(connection, part, column, owner, rows, first, account_id)
        if not part.is_owned and "id" in part.table.c:
            (column, (owner, *_)), *_ = part.refers.items()
            ids = {row["id"]: number for number, row in enumerate(rows, first)}
            theirs = select(part.table.c.id).where(
                part.table.c.id.in_(ids),
                exists().where(owner.c.id == part.table.c[column], owner.c.account_id != account_id),
            )
            for found in connection.scalars(theirs):
                raise refused(part, ids[found], "id", "is another account's here")

    return work


def _require_free(
    connection: Connection,
    part: Part,
    column: str,
    owner: Table,
    rows: Sequence[Mapping[str, Any]],
    first: int,
    account_id: UUID,
) -> None:
    ids = {row[column]: number for number, row in enumerate(rows, first) if row[column] is not None}
    theirs = select(owner.c.id).where(owner.c.id.in_(ids), owner.c.account_id != account_id)
    for found in connection.scalars(theirs):
        raise refused(part, ids[found], column, "is another account's here")


def require_not_future(manifest: Manifest, now: datetime) -> None:
    """Raise CommandProblem for an export from a computer whose clock is far ahead."""
    if (manifest.exported_at - now.astimezone(UTC)).days >= 1:
        raise CommandProblem(
            "exported_at: the export is from the future. Check the clocks of both computers."
        )
