"""Faults, scheduled for the next calls or at random in bad weather, and calls without a response."""

import asyncio
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Any

from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from app.practice.store import Store


class Operation(StrEnum):
    """An operation of a client at a platform."""

    PUBLISH = "publish"
    UPLOAD = "upload"
    TOKEN = "token"  # noqa: S105  # a name, no secret
    METRICS = "metrics"
    LOOK_BACK = "look_back"


class FaultKind(StrEnum):
    """How the operation fails."""

    REJECT = "reject"
    ERROR_500 = "error_500"
    RATE_LIMIT = "rate_limit"
    TIMEOUT_AFTER_ACCEPT = "timeout_after_accept"
    EXPIRED_TOKEN = "expired_token"  # noqa: S105  # a name, no secret
    SLOW = "slow"


class FaultOrder(BaseModel):
    """Body of ``POST /faults``; ``account`` None means every account of the platform."""

    model_config = ConfigDict(extra="forbid")

    platform: str
    operation: Operation
    kind: FaultKind
    times: int = Field(default=1, ge=1, le=1_000_000, strict=True)
    account: str | None = None

    @property
    def ends_grants(self) -> bool:
        """Whether it acts immediately on the account's tokens, instead of on later calls."""
        return (self.operation, self.kind) == (Operation.TOKEN, FaultKind.EXPIRED_TOKEN)


class Weather(BaseModel):
    """Body of ``POST /weather``: shares of all calls that fail at random, until the next such body.

    Attributes:
        seed: Random seed.
        lost: Share of calls that are executed and disconnected. Refreshes that use up their token are exempt,
            because the consent would be lost with the response.
        error_500: Share of calls rejected with a server error.
        rate_limit: Share of calls rejected, to be retried after ``retry_after_s``.
        expired_token: Share of calls rejected after ending the account's access tokens, except new ones.
    """

    model_config = ConfigDict(extra="forbid")

    seed: int = 0
    lost: float = Field(default=0, ge=0, le=1)
    error_500: float = Field(default=0, ge=0, le=1)
    rate_limit: float = Field(default=0, ge=0, le=1)
    expired_token: float = Field(default=0, ge=0, le=1)
    retry_after_s: int = Field(default=1, ge=0, le=3600)

    def kind(self, roll: float) -> FaultKind | None:
        """Return the fault for a random number from 0 to 1."""
        shares = (
            (FaultKind.TIMEOUT_AFTER_ACCEPT, self.lost),
            (FaultKind.ERROR_500, self.error_500),
            (FaultKind.RATE_LIMIT, self.rate_limit),
            (FaultKind.EXPIRED_TOKEN, self.expired_token),
        )
        for kind, share in shares:
            if roll < share:
                return kind
            roll -= share
        return None


@dataclass(frozen=True)
class Fault:
    """A fault of a call.

    Attributes:
        by_chance: It's random, not scheduled.
        retry_after_s: Retry delay in a ``rate_limit`` response; None for the platform's own.
    """

    kind: FaultKind
    by_chance: bool = False
    retry_after_s: int | None = None


class Faults:
    """Scheduled faults, oldest first, and the weather, which ends with the program."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._weather: Weather | None = None
        self._random = Random()  # noqa: S311  chance, no secret
        self._ordered = bool(self.waiting())

    @property
    def none_due(self) -> bool:
        """True when no fault is configured, so callers can skip the lookup."""
        return not self._ordered and self._weather is None

    def change(self, weather: Weather) -> None:
        """Change the weather."""
        self._random.seed(weather.seed)
        self._weather = weather

    def order(self, order: FaultOrder) -> None:
        self._ordered = True
        with self._store.transaction() as db:
            db.execute(
                "INSERT INTO faults (platform, operation, kind, account, remaining) VALUES (?, ?, ?, ?, ?)",
                (order.platform, order.operation, order.kind, order.account, order.times),
            )

    def take(self, platform: str, operation: Operation, account: str | None) -> Fault | None:
        """Return the fault of this call and count it down; None if it succeeds."""
        if self._ordered and (kind := self._next_ordered(platform, operation, account)):
            return Fault(kind)
        weather = self._weather
        if weather is None or (kind := weather.kind(self._random.random())) is None:
            return None
        return Fault(kind, by_chance=True, retry_after_s=weather.retry_after_s)

    def waiting(self) -> list[dict[str, object]]:
        """Return the faults with remaining calls."""
        rows = self._store.rows(
            "SELECT platform, operation, kind, account, remaining FROM faults WHERE remaining > 0 ORDER BY id"
        )
        return [dict(row) for row in rows]

    def _next_ordered(self, platform: str, operation: Operation, account: str | None) -> FaultKind | None:
        with self._store.transaction() as db:
            row = db.execute(
                "UPDATE faults SET remaining = remaining - 1 WHERE id = (SELECT min(id) FROM faults"
                " WHERE platform = ? AND operation = ? AND remaining > 0"
                " AND (account IS NULL OR account = ?))"
                " RETURNING kind",
                (platform, operation, account),
            ).fetchone()
        return None if row is None else FaultKind(row["kind"])


# Key in the lifespan state: open transports by client address.
TRANSPORTS = "transports"


class HangUpProtocol(AutoHTTPProtocol):  # type: ignore[misc,valid-type]  # the class depends on installed packages
    """HTTP/1.1 protocol that lets a response close its own connection."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self.app_state[TRANSPORTS][self.client] = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self.app_state[TRANSPORTS].pop(self.client, None)
        super().connection_lost(exc)


class Withheld(Response):
    """Holds the connection until the client gives up or for ``hold_s``, then closes it without a response."""

    def __init__(self, hold_s: float) -> None:
        super().__init__()
        self._hold_s = hold_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        try:
            async with asyncio.timeout(self._hold_s):
                await _gone(receive)
        except TimeoutError:
            _hang_up(scope)
            await _gone(receive)
        except asyncio.CancelledError:
            # A shutdown must not send a response either.
            _hang_up(scope)
            raise


def _hang_up(scope: Scope) -> None:
    transports: dict[Any, asyncio.Transport] = scope["state"][TRANSPORTS]
    transport = transports.get(tuple(scope["client"]))
    if transport is not None:
        transport.abort()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
