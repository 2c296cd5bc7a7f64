"""How a browser flow stands, and what the browser is told."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from uuid import UUID

from sqlalchemy import Row


class Stage(StrEnum):
    """The stages of a flow; the last three are ends, and the ``status`` that a redirect carries."""

    WAITING = "waiting"
    EXCHANGING = "exchanging"
    CONNECTED = "connected"
    DENIED = "denied"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class FlowEnd:
    """How a flow ended: a sentence for the person, and where the browser goes; None: our closing page."""

    stage: Stage
    words: str
    connection_id: UUID | None = None
    redirect_url: str | None = None

    @classmethod
    def of(cls, flow: Row[Any]) -> Self:
        """The end that a row of ``connection_flows`` tells of."""
        return cls(
            Stage(flow.stage),
            flow.outcome_words or "",
            flow.result_connection_id or flow.connection_id,
            flow.redirect_url,
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
