"""Bases of all wire models, and the field types that several of them share."""

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
"""The context in which a client validates answers, so that nothing in them is longer than can be shown."""


class ResponseModel(BaseModel):
    """What a service answers: read leniently, unknown fields ignored, so that any service will do.

    Where null may stand, a key that is left out is read as null.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _read_what_is_left_out(cls, told: Any) -> Any:
        return {**_nulls(cls), **told} if isinstance(told, dict) else told


@cache
def _nulls(model: type[BaseModel]) -> Mapping[str, None]:
    """The required fields of a model that may be null."""
    fields = model.model_fields.items()
    return {name: None for name, field in fields if field.is_required() and _takes_null(field.annotation)}


def _takes_null(annotation: Any) -> bool:
    return get_origin(annotation) in (Union, UnionType) and NoneType in get_args(annotation)


class Cut:
    """Cuts what is too long where a client reads it: texts get an ellipsis, of lists the beginning stays.

    What a service checks and answers is left alone.
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
"""What somebody wrote, such as the text of a post."""
Word = Annotated[str, Cut(WORD_MAX)]
"""A name, a title or a technical word."""
Sentence = Annotated[str, Cut(2_000)]
"""A message for people, or one value of many."""
Address = Annotated[str, Cut(2_048)]
"""An address or a path that is shown."""
Link = Annotated[str, Cut(8_192)]
"""An address to call or to open, with everything that it is signed with."""
Few = Annotated[list[T], FailFast(), Cut(1_000)]
"""A list within an object."""


class RequestModel(BaseModel):
    """What a client asks: read strictly ("5" isn't a number); unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", strict=True, defer_build=True)


def _require_known(value: E) -> E:
    if not value.is_known:
        allowed = ", ".join(type(value).__members__.values())
        raise PydanticCustomError("enum", "must be one of: {allowed}", {"allowed": allowed})
    return value


Known = Annotated[E, AfterValidator(_require_known)]
"""A value that the specification names; for requests, where an unknown one is refused."""


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
"""A request field that may be left out but, when sent, is not null. In Python an absent one is None."""

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
"""Words of people: any characters but controls (tab and line ends are fine) and halves of surrogate pairs.

No database takes all of those, and no platform shows them. Nothing else about a text is touched.
"""

Line = Annotated[str, AfterValidator(_check_line)]
"""Like Text, in one line: names, keys and paths."""

_ISO_8601 = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?(?P<offset>[Zz]|[+-]\d{2}(:?\d{2})?)?", re.ASCII
)


_FIRST = datetime(1, 1, 2, tzinfo=UTC)
"""Some services write nothing as the first moment of the year 1, which is no time west of Greenwich."""
_LAST = datetime(9999, 12, 30, 23, 59, 59, 999_000, tzinfo=UTC)
"""And never as the last one of the year 9999, which is no time east of it."""


def parse_timestamp(value: Any) -> datetime:
    """Reads ISO 8601 with an offset into an aware UTC time; raises PydanticCustomError otherwise."""
    if isinstance(value, datetime):
        moment = value
    elif isinstance(value, str) and (matched := _ISO_8601.fullmatch(value)):
        if matched["offset"] is None:
            raise PydanticCustomError(
                "timezone_missing", "needs a UTC offset, for example 2026-11-25T09:30:00+01:00"
            )
        moment = _read_iso_8601(value)
    else:
        raise PydanticCustomError(
            "timestamp", "must be an ISO 8601 time, for example 2026-11-25T09:30:00+01:00"
        )
    if moment.tzinfo is None:
        raise PydanticCustomError(
            "timezone_missing", "needs a UTC offset, for example 2026-11-25T09:30:00+01:00"
        )
    try:
        return min(max(_FIRST, moment.astimezone(UTC)), _LAST)
    except OverflowError as error:
        raise PydanticCustomError("timestamp", "is no time of the calendar") from error


_RFC_3339 = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)", re.ASCII
)
_MORE_DIGITS = re.compile(r"(\.\d{6})\d+", re.ASCII)


def parse_rfc_3339(value: Any) -> datetime:
    """Read the time of a request, in RFC 3339 and nothing else; raises PydanticCustomError.

    A time that no calendar keeps is refused rather than moved; what is below a millisecond is dropped.
    """
    if isinstance(value, str) and not _RFC_3339.fullmatch(value):
        if (matched := _ISO_8601.fullmatch(value)) and matched["offset"] is None:
            raise PydanticCustomError(
                "timezone_missing", "needs a UTC offset, for example 2026-11-25T09:30:00+01:00"
            )
        raise PydanticCustomError(
            "timestamp", "must be an RFC 3339 time, for example 2026-11-25T09:30:00+01:00"
        )
    read = parse_timestamp(_MORE_DIGITS.sub(r"\1", value) if isinstance(value, str) else value)
    if read >= _LAST:
        raise PydanticCustomError("timestamp", "must be before 9999-12-30T23:59:59.999Z")
    return read


def _read_iso_8601(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError as error:
        raise PydanticCustomError("timestamp", "is no time of the calendar") from error


def format_timestamp(moment: datetime) -> str:
    """Writes an aware time as UTC with milliseconds and ``Z``."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Timestamp = Annotated[
    datetime,
    BeforeValidator(parse_timestamp),
    PlainSerializer(format_timestamp, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""An instant: any ISO 8601 with offset on the way in, UTC with milliseconds on the way out."""


RequestTime = Annotated[
    datetime,
    BeforeValidator(parse_rfc_3339),
    PlainSerializer(format_timestamp, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""An instant in a request: RFC 3339, and nothing that could not be kept."""


def _parse_day(value: Any) -> Any:
    return value[:10] if isinstance(value, str) else value


Day = Annotated[date, BeforeValidator(_parse_day)]
"""A calendar day, also read from a full timestamp."""

_MOST = 2**53 - 1
"""The greatest whole number on which all readers of JSON agree; a database and Qt take it, too."""


def _round(value: Any) -> Any:
    return round(value) if isinstance(value, float) and isfinite(value) else value


Count = Annotated[int, BeforeValidator(_round), AfterValidator(lambda value: max(-_MOST, min(_MOST, value)))]
"""A number of things. The specification says number, so a fraction is rounded; what no one counts is cut."""

_HTTP_URL = TypeAdapter(AnyHttpUrl)


def _check_http_url(value: str) -> str:
    _HTTP_URL.validate_python(value)
    return _check_line(value)


class IsHttpUrl:
    """Checks that a text is an http or https URL of so many characters, and says so in the JSON schema.

    The length comes first: reading a long URL takes a while.
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
    """Describes a value in the JSON schema as a model, where it is read as something else.

    ``or_any``: other objects are taken as well, and answered one by one.
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
"""An http or https URL, kept exactly as it was written."""
