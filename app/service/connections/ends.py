"""How a browser flow stands, and what the browser is told."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from uuid import UUID

from sqlalchemy import Row

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Profile


class Stage(StrEnum):
    """The stages of a flow; the last three are ends, and the ``status`` that a redirect carries."""

    WAITING = "waiting"
    EXCHANGING = "exchanging"
    CHOOSING = "choosing"
    CONNECTED = "connected"
    DENIED = "denied"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class FlowEnd:
    """How a flow ended: a sentence for the person, and where the browser goes; None: our closing page.

    ``owner`` names the account of this service that the flow belongs to; empty where there is no flow.
    """

    stage: Stage
    words: str
    connection_id: UUID | None = None
    redirect_url: str | None = None
    stored: tuple[UUID, ...] = ()
    owner: str = ""

    @classmethod
    def of(cls, flow: Row[Any], stored: Sequence[UUID] = ()) -> Self:
        """The end that a row of ``connection_flows`` tells of; ``stored``: the connections it just made."""
        return cls(
            Stage(flow.stage),
            flow.outcome_words or "",
            flow.result_connection_id or flow.reauthorizes or flow.connection_id,
            flow.redirect_url,
            tuple(stored),
            flow.owner,
        )

    @property
    def target(self) -> str | None:
        """The redirect address with ``connection_id`` and ``status`` added to its query."""
        if self.redirect_url is None:
            return None
        parts = urlsplit(self.redirect_url)
        told = [("connection_id", str(self.connection_id)), ("status", self.stage.value)]
        return urlunsplit(
            parts._replace(query=urlencode([*parse_qsl(parts.query, keep_blank_values=True), *told]))
        )


@dataclass(frozen=True, slots=True)
class ChoiceDue:
    """The consent opened several accounts: the browser goes on to the page that ``token`` names."""

    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class OfferedAccount:
    """An account to choose; ``is_known``: it is connected already and would be renewed."""

    name: str
    profile: Profile
    is_known: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """What the choice page shows; ``problem`` says why it is still there.

    ``owner`` names the account of this service that gets what is chosen.
    """

    owner: str
    platform: ConnectionPlatform
    accounts: list[OfferedAccount]
    redirect_url: str | None
    problem: str | None
