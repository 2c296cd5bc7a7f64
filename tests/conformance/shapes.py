"""Whether an object matches its table: presence, types, nulls, and allowed values."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from tests.conformance.document import Field, sections
from tests.conformance.outcome import BrokenError, expect

POST: Final = "Post (PostDTO)"
CONNECTION: Final = "Connection (ConnectionDTO)"
_NESTED: Final = MappingProxyType({"PostDTO": POST, "ConnectionDTO": CONNECTION})
_TIMES: Final = re.compile(r"\w+_at|current_period_end")


def check_shape(section: str, value: Any, *, leave: frozenset[str] = frozenset()) -> None:
    """Raise BrokenError with all differences between ``value`` and the section's table.

    Fields named in ``leave`` can be missing. Additional fields are ignored.
    """
    expect(isinstance(value, dict), f"{section}: {value!r} is no object")
    problems = [
        problem
        for field in sections()[section].fields
        if not (field.name in leave and field.name not in value)
        for problem in _field_problems(field, value)
    ]
    expect(not problems, f"{section}: {'; '.join(problems)}")


def check_page(section: str, body: Any) -> list[dict[str, Any]]:
    """Return the checked resources of a pagination envelope. Raises BrokenError."""
    check_shape("Pagination envelope", body)
    for one in body["data"]:
        check_shape(section, one)
    data: list[dict[str, Any]] = body["data"]
    return data


def field_names(section: str) -> frozenset[str]:
    return frozenset(field.name for field in sections()[section].fields)


def moment(text: Any) -> datetime:
    """Parse a timestamp, as UTC if it has no offset. Raises BrokenError if it isn't ISO 8601."""
    try:
        found = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        raise BrokenError(f"{text!r} is no ISO 8601 time") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def day(text: Any) -> date:
    """Parse a day, also from a full timestamp. Raises BrokenError."""
    return date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d{2}-\d{2}", str(text)) else moment(text).date()


def _field_problems(field: Field, owner: Mapping[str, Any]) -> Iterator[str]:
    if field.name not in owner:
        if "optional" not in field.type:
            yield f"{field.name} is missing"
        return
    value = owner[field.name]
    if value is None:
        if "null" not in field.type:
            yield f"{field.name} is null"
        return
    if not _is_kind(field.type, value):
        yield f"{field.name} is {value!r}, not {field.type}"
    elif field.values and value not in field.values:
        yield f"{field.name} is {value!r}, none of {sorted(field.values)}"
    elif isinstance(value, str) and _TIMES.fullmatch(field.name):
        moment(value)
    yield from _nested_problems(field, value)


def _nested_problems(field: Field, value: Any) -> Iterator[str]:
    name = field.type.removesuffix("[]")
    if name in _NESTED:
        try:
            for one in value if isinstance(value, list) else [value]:
                check_shape(_NESTED[name], one)
        except BrokenError as problem:
            yield str(problem)


def _is_kind(kind: str, value: Any) -> bool:
    name = kind.split(",", maxsplit=1)[0].removesuffix(" or null")
    if name.endswith("[]"):
        items = "object" if name[:-2] in {"object", *_NESTED} else name[:-2]
        return isinstance(value, list) and all(_is_kind(items, one) for one in value)
    match name:
        case "string":
            return isinstance(value, str)
        case "string (uuid)":
            return isinstance(value, str) and _is_uuid(value)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
    return isinstance(value, dict)


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text.lower()
    except ValueError:
        return False
