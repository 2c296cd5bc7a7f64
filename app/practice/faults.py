"""Faults on order: the next calls of an operation go wrong in a chosen way."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from app.practice.store import Store


class Operation(StrEnum):
    """What a program does at a platform."""

    PUBLISH = "publish"
    UPLOAD = "upload"
    TOKEN = "token"  # noqa: S105  # a name, no secret
    METRICS = "metrics"
    LOOK_BACK = "look_back"


class FaultKind(StrEnum):
    """How it goes wrong."""

    REJECT = "reject"
    ERROR_500 = "error_500"
    RATE_LIMIT = "rate_limit"
    TIMEOUT_AFTER_ACCEPT = "timeout_after_accept"
    EXPIRED_TOKEN = "expired_token"  # noqa: S105  # a name, no secret
    SLOW = "slow"


class FaultOrder(BaseModel):
    """The body of ``POST /faults``; ``account`` None means every account of the platform."""

    model_config = ConfigDict(extra="forbid")

    platform: str
    operation: Operation
    kind: FaultKind
    times: int = Field(default=1, ge=1, le=1_000_000, strict=True)
    account: str | None = None

    @property
    def ends_grants(self) -> bool:
        """It acts at once, on the account's tokens, and not on calls to come."""
        return (self.operation, self.kind) == (Operation.TOKEN, FaultKind.EXPIRED_TOKEN)


class Faults:
    """The faults that wait for their calls, oldest first."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def order(self, order: FaultOrder) -> None:
        with self._store.transaction() as db:
            db.execute(
                "INSERT INTO faults (platform, operation, kind, account, remaining) VALUES (?, ?, ?, ?, ?)",
                (order.platform, order.operation, order.kind, order.account, order.times),
            )

    def take(self, platform: str, operation: Operation, account: str | None) -> FaultKind | None:
        """The fault that this call has to suffer, counted down; None: it goes well."""
        with self._store.transaction() as db:
            row = db.execute(
                "UPDATE faults SET remaining = remaining - 1 WHERE id = (SELECT min(id) FROM faults"
                " WHERE platform = ? AND operation = ? AND remaining > 0"
                " AND (account IS NULL OR account = ?))"
                " RETURNING kind",
                (platform, operation, account),
            ).fetchone()
        return None if row is None else FaultKind(row["kind"])

    def waiting(self) -> list[dict[str, object]]:
        """Faults that still have calls to spoil."""
        rows = self._store.rows(
            "SELECT platform, operation, kind, account, remaining FROM faults WHERE remaining > 0 ORDER BY id"
        )
        return [dict(row) for row in rows]
