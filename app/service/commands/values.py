"""Argument types. An invalid value raises an error that says what's expected."""

from argparse import ArgumentTypeError
from datetime import datetime
from pathlib import Path

from pydantic_core import PydanticCustomError

from app.contract.base import parse_timestamp
from app.contract.limits import API_KEY_NAME_MAX
from app.service.store.tables.accounts import ACCOUNT_NAME_MAX

_LONGEST_WAIT_S = 86_400
_MOST_BYTES = 2**63 - 1  # range of the column


def file(text: str) -> Path:
    if not Path(text).is_file():
        raise ArgumentTypeError(f"must be an existing file, not {text!r}")
    return Path(text)


def seconds(text: str) -> tuple[float, ...]:
    try:
        waits = tuple(float(wait) for wait in text.split(","))
    except ValueError:
        waits = ()
    if not waits or not all(0 <= wait <= _LONGEST_WAIT_S for wait in waits):
        raise ArgumentTypeError(f"must be seconds separated by commas, such as 10,60,300, not {text!r}")
    return waits


def port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise ArgumentTypeError("must be a number from 0 to 65535")
    return int(text)


def byte_count(text: str) -> int:
    if not text.isdecimal() or int(text) > _MOST_BYTES:
        raise ArgumentTypeError(f"must be a number of bytes, at most {_MOST_BYTES}")
    return int(text)


def account_name(text: str) -> str:
    return _name(text, ACCOUNT_NAME_MAX)


def key_name(text: str) -> str:
    return _name(text, API_KEY_NAME_MAX)


def _name(text: str, longest: int) -> str:
    if not 0 < len(text.strip()) <= longest or not text.isprintable():
        raise ArgumentTypeError(f"must have 1 to {longest} printable characters")
    return text.strip()


def moment(text: str) -> datetime:
    try:
        return parse_timestamp(text)
    except PydanticCustomError as error:
        raise ArgumentTypeError(f"the time {error.message()}") from None


def http_url(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise ArgumentTypeError("must start with http:// or https://")
    return text.rstrip("/")


def https_url(text: str) -> str:
    if not text.startswith("https://"):
        raise ArgumentTypeError("must start with https://")
    return text.rstrip("/")
