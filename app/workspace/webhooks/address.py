"""Whether an address can be told of events, as far as it says so itself. Pure."""

from typing import Final
from urllib.parse import urlsplit

from app.contract.limits import WEBHOOK_URL_MAX
from app.language import number, tr

NO_ADDRESS: Final = tr("This is no address. It looks like https://example.com/hooks.")


def address_problem(typed: str) -> str:
    """What is wrong with an address and what to do; empty for nothing. Whether it is private, others say."""
    address = typed.strip()
    if not address:
        return tr("Enter the address that events are sent to. It begins with https://.")
    if len(address) > WEBHOOK_URL_MAX:
        return tr(
            "This address is longer than the {most} characters that are allowed.",
            most=number(WEBHOOK_URL_MAX),
        )
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        return NO_ADDRESS
    if parts.scheme != "https":
        return tr("The address must begin with https://, so that nobody on the way can read the events.")
    if not host or " " in address or not address.isprintable():
        return NO_ADDRESS
    return ""
