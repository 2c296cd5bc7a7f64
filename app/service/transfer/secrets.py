"""The secrets of an export: tokens and webhook secrets, each encrypted for its place."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from cryptography.exceptions import InvalidTag
from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, ValidationError

from app.service.problems import CommandProblem
from app.service.transfer.contents import Part
from app.service.transfer.sealing import ExportSeal

_PLACE_MAX: Final = 300
_SECRET_BYTES_MAX: Final = 200_000


class SecretLine(BaseModel):
    """A secret. ``place`` is its table, the key of its row, and its column, separated by slashes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    place: Annotated[str, Field(max_length=_PLACE_MAX)]
    sealed: Annotated[Base64Bytes, Field(max_length=_SECRET_BYTES_MAX)]


def place_of_secret(part: Part, row: Mapping[str, Any], column: str) -> str:
    """Return where a secret belongs in an export."""
    keys = "/".join(str(row[key.name]) for key in part.table.primary_key.columns)
    return f"{part.name}/{keys}/{column}"


def secret_line(seal: ExportSeal, place: str, text: str) -> bytes:
    """Return the line of a secret, ending in a line feed."""
    line = SecretLine.model_construct(place=place, sealed=seal.close(text, place))
    return line.model_dump_json().encode() + b"\n"


def read_secret(seal: ExportSeal, line: bytes, number: int) -> tuple[str, str]:
    """Return place and text of a secret. Raises CommandProblem that names the field."""
    try:
        found = SecretLine.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = ".".join(map(str, first["loc"])) or "line"
        raise _refused(number, field, first["msg"]) from None
    try:
        return found.place, seal.open(found.sealed, found.place)
    except (InvalidTag, ValueError):
        raise _refused(number, "sealed", "it wasn't encrypted for this place") from None


def _refused(number: int, field: str, reason: str) -> CommandProblem:
    return CommandProblem(
        f"Line {number:,} of secrets.ndjson can't be imported: {field}: {reason}. Export the account again."
    )
