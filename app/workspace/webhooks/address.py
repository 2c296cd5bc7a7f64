"""Whether an address can be told of events, as far as it says so itself. Pure."""

from typing import Final
from urllib.parse import urlsplit

from app.contract.limits import WEBHOOK_URL_MAX

NO_ADDRESS: Final = "This is no address. It looks like https://example.com/hooks."


def address_problem(typed: str) -> str:
    """What is wrong with an address and what to do; empty for nothing. Whether it is private, others say."""
    address = typed.strip()
    if not address:
        return "Enter the address that events are sent to. It begins with https://."
    if len(address) > WEBHOOK_URL_MAX:
        return f"This address is longer than the {WEBHOOK_URL_MAX:,} characters that are allowed."
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        return NO_ADDRESS
    if parts.scheme != "https":
        return "The address must begin with https://, so that nobody on the way can read the events."
    if not host or " " in address or not address.isprintable():
        return NO_ADDRESS
    return ""
