"""Whether an address can be told of events, as far as it says so itself. Pure."""

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from app.contract.limits import WEBHOOK_URL_MAX

_HOME: Final = (".local", ".localhost", ".internal", ".lan", ".home.arpa")


def address_problem(typed: str) -> str:
    """What is wrong with an address and what to do; empty where nothing is seen. The service looks closer."""
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
        return "This is no address. It looks like https://example.com/hooks."
    if parts.scheme != "https":
        return "The address must begin with https://, so that nobody on the way can read the events."
    if not host or " " in address or not address.isprintable():
        return "This is no address. It looks like https://example.com/hooks."
    if _is_private(host):
        return "This address is only known on your own network, and the service sends to public ones alone."
    return ""


def _is_private(host: str) -> bool:
    try:
        return not ip_address(host.strip("[]")).is_global
    except ValueError:
        return host == "localhost" or "." not in host or host.endswith(_HOME)
