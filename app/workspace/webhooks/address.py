"""Checks whether a URL can receive webhooks, as far as the URL shows. Pure."""

from typing import Final
from urllib.parse import urlsplit

from app.contract.limits import WEBHOOK_URL_MAX
from app.language import number, tr

NO_ADDRESS: Final = tr("That isn't a URL. It should look like https://example.com/hooks.")


def address_problem(typed: str) -> str:
    """Return what is wrong with a URL; empty for nothing. The service checks private addresses."""
    address = typed.strip()
    if not address:
        return tr("Enter the URL that receives events. It starts with https://.")
    if len(address) > WEBHOOK_URL_MAX:
        return tr(
            "This URL is too long. The limit is {most} characters.",
            most=number(WEBHOOK_URL_MAX),
        )
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        return NO_ADDRESS
    if parts.scheme != "https":
        return tr("The URL must start with https:// so nobody can read the events in transit.")
    if not host or " " in address or not address.isprintable():
        return NO_ADDRESS
    return ""
