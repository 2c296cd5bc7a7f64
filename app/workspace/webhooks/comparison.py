"""Two deliveries of one event side by side. Pure."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from app.contract.base import format_timestamp
from app.contract.companion import DeliveryDetails
from app.contract.webhooks import WebhookDelivery
from app.language import number, tr
from app.workspace.foreign_texts import in_own_language

SENT: Final = tr("Sent")
"""Name of the fact that is a moment, which is shown in the user's zone."""
_BODY_MOST: Final = 200_000
_LINES_MOST: Final = 2_000


@dataclass(frozen=True, slots=True)
class Compared:
    """One fact of both, as text; empty if missing."""

    name: str
    earlier: str
    later: str

    @property
    def differs(self) -> bool:
        return self.earlier != self.later


@dataclass(frozen=True, slots=True)
class Delivered:
    """A delivery, and its content if it's available."""

    record: WebhookDelivery
    details: DeliveryDetails | None = None


def compared(earlier: Delivered, later: Delivered) -> list[Compared]:
    """Return every fact and every header."""
    both = (dict(_facts(earlier)), dict(_facts(later)))
    names = list(dict.fromkeys((*both[0], *both[1])))
    return [Compared(name, both[0].get(name, ""), both[1].get(name, "")) for name in names]


def body_differences(earlier: Delivered, later: Delivered) -> str:
    """Compare the bodies line by line: ``- `` only before, ``+ `` only after. Empty if one is unavailable."""
    bodies = [pretty(one.details.request_body) if one.details else "" for one in (earlier, later)]
    if not all(bodies):
        return ""
    return "\n".join(line_differences(bodies[0].splitlines(), bodies[1].splitlines()))


def line_differences(earlier: Sequence[str], later: Sequence[str]) -> Iterable[str]:
    """Return every line, prefixed with ``- ``, ``+ `` or blanks.

    Compares whole lines only: looking for similarities within them takes a minute for some hundred.
    """
    for what, start, end, later_start, later_end in SequenceMatcher(None, earlier, later).get_opcodes():
        before, after = earlier[start:end], later[later_start:later_end]
        if what == "equal":
            yield from (f"  {line}" for line in before)
        else:
            yield from (f"- {line}" for line in before)
            yield from (f"+ {line}" for line in after)


def pretty(body: str | None) -> str:
    """Return a JSON body with line breaks, and everything else unchanged."""
    if not body:
        return ""
    try:
        if len(body) >= _BODY_MOST:
            return body
        broken = json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return body
    return broken if broken.count("\n") < _LINES_MOST else body


def attempts_of(event_id: str, known: Iterable[WebhookDelivery]) -> Sequence[WebhookDelivery]:
    """Return all known deliveries of an event, earliest first."""
    same = (one for one in known if one.event_id == event_id)
    return sorted(same, key=lambda one: (one.created_at, one.attempt))


def _facts(one: Delivered) -> Iterable[tuple[str, str]]:
    record = one.record
    yield SENT, format_timestamp(record.created_at)
    yield tr("Attempt"), str(record.attempt)
    yield tr("Status"), str(record.status_code) if record.status_code is not None else tr("no response")
    yield tr("Latency"), f"{number(record.latency_ms)} ms" if record.latency_ms is not None else ""
    yield tr("Problem"), in_own_language(record.error_message or "")
    if one.details is not None:
        yield tr("Address"), one.details.url
        yield from (one.details.request_headers or {}).items()
