"""Base classes of all wire models, and field types that several of them share."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import cache
from itertools import islice
from math import isfinite
from types import NoneType, UnionType
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    AnyHttpUrl,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    TypeAdapter,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, PydanticKnownError, core_schema

from app.contract.enums import WORD_MAX, OpenEnum
from app.contract.limits import URL_MAX

T = TypeVar("T")
E = TypeVar("E", bound=OpenEnum)

READING: Final = {"reading": True}
"""Validation context of a client, in which long values are truncated."""


class ResponseModel(BaseModel):
    """Base of response models: validates leniently and ignores unknown fields, to work with any service.

    A missing key is read as null if the field allows null.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _fill_in_nulls(cls, given: Any) -> Any:
        return {**_nulls(cls), **given} if isinstance(given, dict) else given


@cache
def _nulls(model: type[BaseModel]) -> Mapping[str, None]:
    """Return the required fields of a model that allow null, with None as value."""
    fields = model.model_fields.items()
    return {name: None for name, field in fields if field.is_required() and _takes_null(field.annotation)}


def _takes_null(annotation: Any) -> bool:
    return get_origin(annotation) in (Union, UnionType) and NoneType in get_args(annotation)


class Cut:
    """Truncates long values on a client: text gets an ellipsis, and lists keep their beginning.

    Values that a service validates or returns aren't changed.
    """

    def __init__(self, most: int) -> None:
        self._most = most

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_before_validator_function(self._cut, handler(source))

    def _cut(self, value: Any, info: ValidationInfo) -> Any:
        if (
            info.context is not READING
            or not isinstance(value, str | list | dict)
            or len(value) <= self._most
        ):
            return value
        if isinstance(value, dict):
            return dict(islice(value.items(), self._most))
        return f"{value[: self._most]}…" if isinstance(value, str) else value[: self._most]


Words = Annotated[str, Cut(20_000)]
"""Long text written by a user, such as the text of a post."""
Word = Annotated[str, Cut(WORD_MAX)]
"""A name, a title or an identifier."""
Sentence = Annotated[str, Cut(2_000)]
"""A message for people, or one value of many."""
Address = Annotated[str, Cut(2_048)]
"""A URL or a path for display."""
Link = Annotated[str, Cut(8_192)]
"""A URL to call or to open, including its signature."""
Few = Annotated[list[T], FailFast(), Cut(1_000)]
"""A list within an object."""


class RequestModel(BaseModel):
    """Base of request models: validates strictly ("5" isn't a number) and ignores unknown fields."""

    model_config = ConfigDict(extra="ignore", strict=True, defer_build=True)


def _require_known(value: E) -> E:
    if not value.is_known:
        allowed = ", ".join(type(value).__members__.values())
        raise PydanticCustomError("enum", "must be one of: {allowed}", {"allowed": allowed})
    return value


Known = Annotated[E, AfterValidator(_require_known)]
"""A value named in the specification. For requests, where other values are rejected."""


class _Omittable:
    """Lets a key be absent but not null."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self._refuse_null, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        described = handler(schema)
        options = [option for option in described.pop("anyOf", []) if option != {"type": "null"}]
        return {**described, **(options[0] if options else {})}

    @staticmethod
    def _refuse_null(value: Any) -> Any:
        if value is None:
            raise PydanticCustomError("null_forbidden", "must not be null; leave the key out instead")
        return value


Omittable = Annotated[T | None, _Omittable()]
"""An optional request field that rejects null. In Python, an absent field is None."""

_UNSAFE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_UNSAFE_IN_LINE = re.compile(r"[\x00-\x1f\ud800-\udfff]")


def _refuse(found: re.Match[str]) -> PydanticCustomError:
    return PydanticCustomError(
        "character", "must not hold the character {character}", {"character": f"U+{ord(found[0]):04X}"}
    )


def _check_text(value: str) -> str:
    if found := _UNSAFE.search(value):
        raise _refuse(found)
    return value


def _check_line(value: str) -> str:
    if found := _UNSAFE_IN_LINE.search(value):
        raise _refuse(found)
    return value


Text = Annotated[str, AfterValidator(_check_text)]
"""Text written by a user, without control characters and lone surrogates.

Tabs and line breaks are allowed. No database stores all of the rejected characters, and no platform shows
them. The text isn't changed otherwise.
"""

Line = Annotated[str, AfterValidator(_check_line)]
"""Like Text, but a single line: names, keys and paths."""

_ISO_8601 = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?(?P<offset>[Zz]|[+-]\d{2}(:?\d{2})?)?", re.ASCII
)


_FIRST = datetime(1, 1, 2, tzinfo=UTC)
"""Earliest time accepted.

Some services send the start of year 1 for "never", which can't be converted to time zones west of Greenwich.
"""
_LAST = datetime(9999, 12, 30, 23, 59, 59, 999_000, tzinfo=UTC)
"""Latest time accepted. The end of year 9999 can't be converted to time zones east of Greenwich."""


def parse_timestamp(value: Any) -> datetime:
    """Parse an ISO 8601 time with an offset into UTC. Raises PydanticCustomError."""
    if isinstance(value, datetime):
        moment = value
    elif isinstance(value, str) and (matched := _ISO_8601.fullmatch(value)):
        if matched["offset"] is None:
            raise _without_offset()
        moment = _read_iso_8601(value)
    else:
        raise _no_time()
    if moment.tzinfo is None:
        raise _without_offset()
    return _in_utc(moment)


_EXTENDED = r"\d{4}-\d{2}-\d{2}[Tt]\d{2}(:\d{2}(:\d{2}([.,]\d+)?)?)?"
_BASIC = r"\d{8}[Tt]\d{2}(\d{2}(\d{2}([.,]\d+)?)?)?"
_REQUESTED = re.compile(rf"({_EXTENDED}|{_BASIC})(?P<offset>[Zz]|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)?", re.ASCII)
_MORE_DIGITS = re.compile(r"([.,]\d{6})\d+", re.ASCII)


def parse_request_time(value: Any) -> datetime:
    """Parse a time of a request: ISO 8601 with an offset, extended or basic. Raises PydanticCustomError.

    RFC 3339 is one form of it. Rejects times that no calendar can represent. Digits below a millisecond are
    dropped.
    """
    if isinstance(value, str) and (matched := _REQUESTED.fullmatch(value)):
        if matched["offset"] is None:
            raise _without_offset()
        read = _in_utc(_read_iso_8601(_MORE_DIGITS.sub(r"\1", value)))
    elif isinstance(value, datetime):
        read = parse_timestamp(value)
    else:
        raise _no_time()
    if read >= _LAST:
        raise PydanticCustomError("timestamp", "must be before 9999-12-30T23:59:59.999Z")
    return read


def _without_offset() -> PydanticCustomError:
    return PydanticCustomError(
        "timezone_missing", "needs a UTC offset, for example 2026-11-25T09:30:00+01:00"
    )


def _no_time() -> PydanticCustomError:
    return PydanticCustomError("timestamp", "must be an ISO 8601 time, for example 2026-11-25T09:30:00+01:00")


def _in_utc(moment: datetime) -> datetime:
    try:
        return min(max(_FIRST, moment.astimezone(UTC)), _LAST)
    except OverflowError as error:
        raise PydanticCustomError("timestamp", "isn't a valid time") from error


def _read_iso_8601(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError as error:
        raise PydanticCustomError("timestamp", "isn't a valid time") from error


def format_timestamp(moment: datetime) -> str:
    """Format an aware time as UTC with milliseconds and ``Z``."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Timestamp = Annotated[
    datetime,
    BeforeValidator(parse_timestamp),
    PlainSerializer(format_timestamp, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""An instant. Accepts any ISO 8601 time with an offset; serialized as UTC with milliseconds."""


RequestTime = Annotated[
    datetime,
    BeforeValidator(parse_request_time),
    PlainSerializer(format_timestamp, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""An instant in a request, in ISO 8601 with an offset. Times that can't be stored are rejected."""


def _parse_day(value: Any) -> Any:
    return value[:10] if isinstance(value, str) else value


Day = Annotated[date, BeforeValidator(_parse_day)]
"""A calendar day, also parsed from a full timestamp."""

_MOST = 2**53 - 1
"""Largest integer that all JSON parsers agree on. SQLite, PostgreSQL and Qt support it too."""


def _round(value: Any) -> Any:
    return round(value) if isinstance(value, float) and isfinite(value) else value


Count = Annotated[int, BeforeValidator(_round), AfterValidator(lambda value: max(-_MOST, min(_MOST, value)))]
"""A count, rounded if it's a fraction (the specification says "number") and capped if it's too large."""

_HTTP_URL = TypeAdapter(AnyHttpUrl)


def _check_http_url(value: str) -> str:
    _HTTP_URL.validate_python(value)
    return _check_line(value)


class IsHttpUrl:
    """Checks that a string is an http or https URL of limited length, and adds both to the JSON schema.

    The length is checked first, because parsing a long URL is slow.
    """

    def __init__(self, longest: int = URL_MAX) -> None:
        self._longest = longest

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def _check(self, value: str) -> str:
        if len(value) > self._longest:
            known = {"field_type": "Value", "max_length": self._longest, "actual_length": len(value)}
            raise PydanticKnownError("too_long", known)
        return _check_http_url(value)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "format": "uri", "maxLength": self._longest}


class DescribedAs:
    """Describes a value in the JSON schema as a model, although it's parsed differently.

    ``or_any``: other objects are accepted as well and get a response of their own.
    """

    def __init__(self, model: type[BaseModel], *, or_any: bool = False) -> None:
        self._model = model
        self._or_any = or_any

    def __get_pydantic_json_schema__(
        self, _schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        described = handler(self._model.__pydantic_core_schema__)
        return {"anyOf": [described, {"type": "object"}]} if self._or_any else described


HttpUrl = Annotated[str, IsHttpUrl()]
"""An http or https URL, kept exactly as written."""
