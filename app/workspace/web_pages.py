"""Which URLs may be opened in the user's browser."""

from urllib.parse import SplitResult, urlsplit

from app.workspace.homes.certificates import is_loopback

ADDRESS_MAX = 8_192
"""Longest address that is opened, in characters."""

_PORTS = {"https": 443, "http": 80}


def web_page(address: str | None, *, service: str = "") -> str:
    """Return the address if a browser may open it, otherwise "".

    It must be https, or http on this computer, without a user name, and short and printable. Everything else
    could start a program: services name addresses, and the system has handlers for many schemes.

    Args:
        address: from a service, a platform or a person.
        service: a base URL; only pages on its scheme, host and port are taken.
    """
    address = address or ""
    if len(address) > ADDRESS_MAX or not address.isprintable() or set(address) & set(' \\"<>^`{|}'):
        return ""
    try:
        parts = urlsplit(address)
        if not _is_web(address, parts) or (service and _origin(parts) != _origin(urlsplit(service))):
            return ""
    except ValueError:  # brackets, ports and hosts that are none
        return ""
    return address


def _is_web(address: str, parts: SplitResult) -> bool:
    if not parts.hostname or "@" in parts.netloc or _origin(parts)[2] == 0:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(address))


def _origin(parts: SplitResult) -> tuple[str, str, int]:
    port = parts.port
    return parts.scheme, parts.hostname or "", _PORTS.get(parts.scheme, 0) if port is None else port
