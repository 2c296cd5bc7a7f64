"""Rows as lines of JSON. Lines come from outside, so every field is checked."""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import cache
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import (
    AfterValidator,
    Base64Bytes,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    create_model,
)
from pydantic_core import PydanticCustomError
from sqlalchemy import JSON, BigInteger, Boolean, Column, Date, Double, Integer, LargeBinary, String, Uuid

from app.contract.base import Timestamp
from app.contract.companion import AttemptOutcome
from app.contract.enums import ConnectionPlatform, CreatedVia, EventType, PostStatus, PostType
from app.contract.limits import WEBHOOK_URL_MAX
from app.contract.webhooks import TEST_EVENT
from app.database import JsonText, UtcMillis
from app.platforms.cards import CARDS
from app.service.outbound.policy import HTTPS, AddressRefusedError, Target
from app.service.problems import CommandProblem
from app.service.publishing.history import Step
from app.service.transfer.contents import Part

LINE_BYTES_MAX: Final = 1024 * 1024
_TEXT_MAX: Final = 200_000
_JSON_DEPTH_MAX: Final = 20
_INTEGER_MAX: Final = 2**31 - 1
_BIG_MAX: Final = 2**63 - 1


class Line(BaseModel):
    """A row without its account and without its secrets."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _storable(text: str) -> str:
    if "\0" in text:
        raise PydanticCustomError("null_character", "must not contain null characters")
    return text


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise PydanticCustomError("finite", "must be a finite number")
    return number


def _simple(value: JsonValue) -> JsonValue:
    if len(_storable(json.dumps(value, ensure_ascii=False))) > _TEXT_MAX:
        raise PydanticCustomError("too_long", "is too long")
    if _depth(value) > _JSON_DEPTH_MAX:
        raise PydanticCustomError("too_deep", "is nested too deeply")
    return value


def _depth(value: JsonValue) -> int:
    inner: Iterable[JsonValue] = ()
    if isinstance(value, dict):
        inner = value.values()
    elif isinstance(value, list):
        inner = value
    return 1 + max(map(_depth, inner), default=0)


def _address(url: str) -> str:
    """Check the scheme only: adapters and users' reports may store more than a strict check takes."""
    try:
        scheme = urlsplit(url.strip()).scheme
    except ValueError:
        scheme = ""
    if scheme not in {"https", "http"}:
        raise PydanticCustomError("url", "must start with https:// or http://")
    return url


def _webhook_url(url: str) -> str:
    """Check an address like that of a new webhook. Where it leads is checked before each delivery."""
    try:
        Target.parse(url, HTTPS)
    except AddressRefusedError as error:
        raise PydanticCustomError("url", "{reason}", {"reason": str(error)}) from None
    return url


def _json_object(text: str) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise PydanticCustomError("object", "must be a JSON object")
    return text


def _event_types(names: list[str]) -> list[str]:
    # A type named twice would have every event delivered twice.
    if not set(names) <= set(EventType) or len(names) > len(set(names)) or not names:
        raise PydanticCustomError("events", f"must be some of {', '.join(EventType)}, each once")
    return names


def _text(longest: int | None) -> Any:
    return Annotated[str, Field(max_length=longest or _TEXT_MAX), AfterValidator(_storable)]


def _one_of(values: Iterable[str]) -> Any:
    return Literal[tuple(dict.fromkeys(str(value) for value in values))]


_PLATFORMS: Final = _one_of([*ConnectionPlatform, *CARDS])
_KINDS: Final = _one_of(PostType)
_EVENTS: Final = _one_of([*EventType, TEST_EVENT])
_ADDRESS: Final = Annotated[_text(None), AfterValidator(_address)]
_SPECIAL: Final[Mapping[str, Any]] = {
    "platform": _PLATFORMS,
    "post_type": _KINDS,
    "media_type": _KINDS,
    "created_via": _one_of(CreatedVia),
    "posts.status": _one_of(PostStatus),
    "media.kind": _one_of([PostType.IMAGE, PostType.VIDEO]),
    "media.size_bytes": Annotated[int, Field(ge=0, le=_BIG_MAX)],
    "media.sha256": Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")],
    "attempts.step": _one_of(Step),
    "attempts.outcome": _one_of(AttemptOutcome),
    "events.type": _EVENTS,
    "events.data": Annotated[_text(None), AfterValidator(_json_object)],
    "deliveries.event_type": _EVENTS,
    "deliveries.request_headers": dict[str, str],
    "webhook_subscriptions.events": Annotated[list[str], AfterValidator(_event_types)],
    "webhook_subscriptions.url": Annotated[_text(WEBHOOK_URL_MAX), AfterValidator(_webhook_url)],
    "connections.avatar_url": _ADDRESS,
    "contents.url": _ADDRESS,
    "contents.media_url": _text(None),
}
"""Types of columns with a narrower meaning than their type in the database."""

_TYPES: Final[tuple[tuple[type, Any], ...]] = (
    # From special to general: the first one that fits is used.
    (UtcMillis, Timestamp),
    (JsonText, Annotated[JsonValue, AfterValidator(_simple)]),
    (JSON, Annotated[JsonValue, AfterValidator(_simple)]),
    (Uuid, UUID),
    (Boolean, bool),
    (BigInteger, Annotated[int, Field(ge=-_BIG_MAX, le=_BIG_MAX)]),
    (Integer, Annotated[int, Field(ge=-_INTEGER_MAX, le=_INTEGER_MAX)]),
    (Double, Annotated[float, AfterValidator(_finite)]),
    (Date, date),
    (LargeBinary, Base64Bytes),
)


def _type_of(part: Part, column: Column[Any]) -> Any:
    special = _SPECIAL.get(f"{part.name}.{column.name}", _SPECIAL.get(column.name))
    found = special or _by_kind(column)
    return found | None if column.nullable else found


def _by_kind(column: Column[Any]) -> Any:
    for kind, found in _TYPES:
        if isinstance(column.type, kind):
            return found
    return _text(column.type.length if isinstance(column.type, String) else None)


@cache
def model_of(part: Part) -> type[Line]:
    """Return the model of a part's lines."""
    fields: dict[str, Any] = {name: (_type_of(part, part.table.c[name]), ...) for name in part.columns()}
    return create_model(f"Line_{part.name}", __base__=Line, **fields)


def encoder(part: Part) -> Callable[[Mapping[str, Any]], bytes]:
    """Return a function that makes a line of a row, ending in a line feed."""
    model, columns = model_of(part), part.columns()

    def encode(row: Mapping[str, Any]) -> bytes:
        line = model.model_construct(**{name: row[name] for name in columns})
        return line.model_dump_json().encode() + b"\n"

    return encode


def decode(part: Part, line: bytes, number: int) -> dict[str, Any]:
    """Return the columns of a line. Raises CommandProblem that names the field."""
    try:
        return dict(model_of(part).model_validate_json(line))
    except ValidationError as error:
        raise refused(part, number, *_first_of(error)) from None


def require_movable(part: Part, line: bytes) -> None:
    """Raise CommandProblem for a row that no service of this version would import."""
    try:
        model_of(part).model_validate_json(line)
    except ValidationError as error:
        field, reason = _first_of(error)
        raise CommandProblem(
            f"The account can't move: another service would refuse {field} of a row of {part.name}: "
            f"{reason.rstrip('.')}. Nothing was exported. Update this service and try again."
        ) from None


def _first_of(error: ValidationError) -> tuple[str, str]:
    """Return the field and the message of the first error."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return ".".join(map(str, first["loc"])) or "line", first["msg"]


def refused(part: Part, number: int, field: str, reason: str) -> CommandProblem:
    """Return the problem with a field of a line, which is counted from 1."""
    return CommandProblem(
        f"Line {number:,} of {part.name}.ndjson can't be imported: {field}: {reason.rstrip('.')}. "
        "Export the account again."
    )
