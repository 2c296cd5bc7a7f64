"""What can be said of an address and a key before anything is sent."""

import re
from urllib.parse import urlsplit

from app.language import tr

_KEY = re.compile(r"stp_rest_[0-9a-fA-F]{64}")
_KEY_LENGTH = len("stp_rest_") + 64

NO_SCHEME = tr("The address starts with https://, for example https://plan.example.com.")


def lacks_scheme(address: str) -> bool:
    """Whether an address only lacks the `https://` in front of it."""
    return bool(address) and "://" not in address and not address_problem(f"https://{address}")


def address_problem(address: str) -> str:
    """What is wrong with a service's address, in words; "" when nothing is."""
    if not address:
        return tr("Enter the service address, for example https://plan.example.com.")
    try:
        parts = urlsplit(address)
        host, _port = parts.hostname, parts.port
    except ValueError:
        return tr("That isn't an address. It should look like https://plan.example.com.")
    if parts.scheme.lower() == "http":
        return tr("With http://, the key would be sent unencrypted. Use the service's https:// address.")
    if "://" not in address:
        return NO_SCHEME
    if parts.scheme.lower() != "https" or not host or re.search(r"\s", address):
        return tr("That isn't a service address. It should look like https://plan.example.com.")
    if parts.username or parts.password or parts.query or parts.fragment:
        return tr("Enter only the address, without a username, question mark or hash sign.")
    return ""


def key_problem(key: str) -> str:
    """What is wrong with the shape of an API key, in words; "" when nothing is."""
    if not key:
        return tr("Paste the API key. Ask the service's administrator for one.")
    if not key.startswith("stp_rest_"):
        return tr("An API key starts with stp_rest_. Copy the whole key.")
    if len(key) != _KEY_LENGTH:
        return tr(
            "An API key has {length} characters; this has {n}. Copy the whole key.",
            length=_KEY_LENGTH,
            n=len(key),
        )
    if not _KEY.fullmatch(key):
        return tr("After stp_rest_, a key contains only 0 to 9 and a to f. Copy it again.")
    return ""
