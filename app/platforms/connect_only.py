"""What an adapter answers where accounts are connected and nothing is published."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final, NoReturn

from app.platforms.base import (
    ContentMetrics,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Publication,
)


class ConnectOnly:
    """The part of an adapter that has nothing to do."""

    repeat_window: Final = None

    async def prepare(self, publication: Publication) -> None:
        """Nothing is sent, so nothing is to be prepared."""

    async def publish(self, publication: Publication) -> NoReturn:
        """Refuses: INVALID."""
        del publication
        raise PlatformError(
            FailureKind.INVALID,
            "not_publishable",
            "Accounts of this platform are connected, and nothing is published.",
        )

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Nothing was ever sent, so nothing can be found."""
        del publication, since, known
        return LookBack(LookBackOutcome.ABSENT)

    async def metrics(self, access_token: str, content_ids: Collection[str]) -> Sequence[ContentMetrics]:
        del access_token, content_ids
        return []
