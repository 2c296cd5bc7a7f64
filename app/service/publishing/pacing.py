"""Rate limits per account: what its platform asked for, and its documented pace.

Kept in memory only. After a restart, the platform asks to slow down again.
"""

from collections import deque
from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Final
from uuid import UUID

from app.contract.enums import PostingPlatform
from app.platforms.card import Pace
from app.platforms.cards import CARDS

PACES: Final[Mapping[str, Pace]] = MappingProxyType(
    {key: card.pace for key, card in CARDS.items() if card.pace is not None}
)


class Pacing:
    """Rate limits for the publishing calls of all accounts."""

    def __init__(self, paces: Mapping[str, Pace] = PACES) -> None:
        self._paces = paces
        self._calls: dict[UUID, deque[datetime]] = {}
        self._held: dict[UUID, tuple[datetime, datetime]] = {}

    def hold(self, connection_id: UUID, now: datetime, until: datetime) -> None:
        """Make no call for the account until then."""
        self._held[connection_id] = now, max(until, self.held(now).get(connection_id, until))

    def held(self, now: datetime) -> Mapping[UUID, datetime]:
        """Rate-limited accounts, and until when. Drops waits from after ``now``: the clock was set back."""
        self._held = {
            account: (since, until) for account, (since, until) in self._held.items() if since <= now < until
        }
        return {account: until for account, (_, until) in self._held.items()}

    def take(self, connection_id: UUID, platform: PostingPlatform, now: datetime) -> datetime | None:
        """Count a call that begins now and return None, or return when to try again."""
        if (until := self.held(now).get(connection_id)) is not None:
            return until
        pace = self._paces.get(platform)
        if pace is None:
            return None
        calls = self._calls.setdefault(connection_id, deque())
        while calls and not now - pace.within < calls[0] <= now:
            calls.popleft()
        if len(calls) < pace.calls:
            calls.append(now)
            return None
        self.hold(connection_id, now, calls[0] + pace.within)
        return calls[0] + pace.within
