"""What a person has set up on the calendar and finds again after a restart."""

from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, ValidationError

from app.desktop.calendar.filters import Filter
from app.desktop.calendar.spans import Span


class CalendarState(BaseModel):
    """Span, filter and second zone; where the calendar stood is not kept, it begins with today."""

    model_config = ConfigDict(frozen=True)

    span: Span = Span.MONTH
    filter: Filter = Filter()
    second_zone: str | None = None

    @classmethod
    def of(cls, span: Span, chosen: Filter, second: ZoneInfo | None) -> "CalendarState":
        """What there is to keep."""
        return cls(
            span=span,
            filter=chosen,
            second_zone=second.key if second is not None else None,
        )

    @classmethod
    def read(cls, kept: object) -> "CalendarState":
        """What was kept as JSON; the usual where there is nothing, or nothing that can be read."""
        try:
            return cls.model_validate_json(kept) if isinstance(kept, str) else cls()
        except ValidationError:
            return cls()

    @property
    def zone(self) -> ZoneInfo | None:
        """The second zone; None also where this computer does not know it."""
        try:
            return ZoneInfo(self.second_zone) if self.second_zone else None
        except (OSError, ValueError, KeyError):
            return None
