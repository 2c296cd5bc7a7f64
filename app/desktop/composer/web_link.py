"""Web addresses as people write them."""

from pydantic import TypeAdapter, ValidationError

from app.contract.base import HttpUrl
from app.contract.limits import PINTEREST_LINK_MAX

_ADDRESS: TypeAdapter[str] = TypeAdapter(HttpUrl)


def as_web_link(written: str) -> str:
    """Return the address that is meant, with ``https://`` where it has no scheme; "" where it is none."""
    words = written.strip()
    if not words or any(char.isspace() for char in words):
        return ""
    address = words if "://" in words else f"https://{words}"
    try:
        _ADDRESS.validate_python(address)
    except ValidationError:
        return ""
    host = address.split("://", 1)[1].split("/", 1)[0]
    return address if "." in host and len(address) <= PINTEREST_LINK_MAX else ""
