"""The status of a browser flow, and the result for the browser."""

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
    """Stages of a flow. The last three are final, and are the ``status`` in a redirect."""

    WAITING = "waiting"
    EXCHANGING = "exchanging"
    CHOOSING = "choosing"
    CONNECTED = "connected"
    DENIED = "denied"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class FlowEnd:
    """Result of a flow: a sentence for the user and a redirect; None for our closing page.

    ``owner`` is the name of the account that the flow belongs to; empty if there is no flow.
    """

    stage: Stage
    words: str
    connection_id: UUID | None = None
    redirect_url: str | None = None
    stored: tuple[UUID, ...] = ()
    owner: str = ""

    @classmethod
    def of(cls, flow: Row[Any], stored: Sequence[UUID] = ()) -> Self:
        """Return the result of a ``connection_flows`` row. ``stored``: the connections it just created."""
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
        """The redirect URL with ``connection_id`` and ``status`` in its query."""
        if self.redirect_url is None:
            return None
        parts = urlsplit(self.redirect_url)
        told = [("connection_id", str(self.connection_id)), ("status", self.stage.value)]
        return urlunsplit(
            parts._replace(query=urlencode([*parse_qsl(parts.query, keep_blank_values=True), *told]))
        )


@dataclass(frozen=True, slots=True)
class ChoiceDue:
    """The consent covers several accounts: redirect the browser to the choice page of ``token``."""

    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class OfferedAccount:
    """An account to choose. ``is_known``: it's already connected and would be renewed."""

    name: str
    profile: Profile
    is_known: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """Content of the choice page. ``problem`` says why it's shown again.

    ``owner`` is the name of the account that gets the chosen connections.
    """

    owner: str
    platform: ConnectionPlatform
    accounts: list[OfferedAccount]
    redirect_url: str | None
    problem: str | None
