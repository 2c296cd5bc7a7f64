"""What a person has set up on the calendar and finds again after a restart."""

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any
from zoneinfo import ZoneInfo

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.desktop.calendar.filters import Filter
from app.desktop.calendar.spans import Span

_KINDS: dict[str, type[str]] = {"platforms": PostingPlatform, "statuses": PostStatus, "kinds": PostType}


@dataclass(frozen=True, slots=True)
class CalendarState:
    """Span, filter and second zone; where the calendar stood is not kept, it begins with today.

    Read before the first paint, so without pydantic, which takes longer to import than the calendar.
    """

    span: Span = Span.MONTH
    filter: Filter = field(default_factory=Filter)
    second_zone: str | None = None

    @classmethod
    def of(cls, span: Span, chosen: Filter, second: ZoneInfo | None) -> "CalendarState":
        """What there is to keep."""
        return cls(span, chosen, second.key if second is not None else None)

    @classmethod
    def read(cls, kept: object) -> "CalendarState":
        """What was kept as JSON; the usual where there is nothing, or nothing that can be read."""
        try:
            found = json.loads(kept) if isinstance(kept, str) else {}
            second = found.get("second_zone")
            return cls(
                Span(found.get("span", Span.MONTH)),
                _filter(found.get("filter", {})),
                second if isinstance(second, str) else None,
            )
        except (ValueError, TypeError, AttributeError, RecursionError):
            return cls()

    def written(self) -> str:
        """As JSON, for `read`."""
        return json.dumps({**asdict(self), "span": self.span.value}, default=sorted)

    @property
    def zone(self) -> ZoneInfo | None:
        """The second zone; None also where this computer does not know it."""
        try:
            return ZoneInfo(self.second_zone) if self.second_zone else None
        except (OSError, ValueError, KeyError):
            return None


def _filter(kept: dict[str, Any]) -> Filter:
    """Raises ValueError, TypeError or AttributeError if this is not a filter."""
    if not isinstance(text := kept.get("text", ""), str):
        raise TypeError
    names = [one.name for one in fields(Filter) if one.name != "text"]
    return Filter(**{name: _chosen(name, kept.get(name, [])) for name in names}, text=text)


def _chosen(name: str, kept: object) -> frozenset[Any]:
    if not isinstance(kept, list) or not all(isinstance(one, str) for one in kept):
        raise TypeError
    return frozenset(map(_KINDS.get(name, str), kept))
