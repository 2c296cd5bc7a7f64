"""A proxy: where it is, what it speaks, and who asks."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Self
from urllib.parse import SplitResult, unquote, urlsplit


class Scheme(StrEnum):
    """What a proxy speaks."""

    HTTP = "http"
    HTTPS = "https"
    """HTTP inside of TLS: also the way to the proxy is encrypted."""
    SOCKS5 = "socks5"


class AddressFault(StrEnum):
    """What is wrong with an address."""

    FORM = "form"
    SCHEME = "scheme"
    PORT = "port"
    USER = "user"


class BadAddressError(ValueError):
    """An address that no proxy has."""

    def __init__(self, fault: AddressFault) -> None:
        super().__init__(f"not the address of a proxy: {fault.value}")
        self.fault = fault


_SOCKS_NAMES: Final = frozenset({"socks", "socks5", "socks5h"})
_USUAL_PORTS: Final = {Scheme.HTTP: 80, Scheme.HTTPS: 443, Scheme.SOCKS5: 1080}


@dataclass(frozen=True, slots=True)
class Proxy:
    """Name and password are sent to the proxy alone; an empty name: it is asked without."""

    scheme: Scheme
    host: str
    port: int
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    @classmethod
    def typed(cls, address: str, user: str = "", password: str = "") -> Self:
        """Reads what a person types, ``http://proxy.example:3128``; without a scheme it is http.

        Raises BadAddressError: also without a port, and for a name or password in the address, since that is
        kept where everybody may read it.
        """
        parts, port = _split(address)
        if port is None:
            raise BadAddressError(AddressFault.PORT)
        if parts.username is not None or parts.password is not None:
            raise BadAddressError(AddressFault.USER)
        return cls(_scheme(parts.scheme), parts.hostname or "", port, user, password)

    @classmethod
    def told(cls, address: str, *, socks: bool = False) -> Self:
        """Reads what a system says, where name and password stand in the address and a port may be missing.

        ``socks``: it is of that kind, whatever the address says. Raises BadAddressError.
        """
        parts, port = _split(address)
        scheme = Scheme.SOCKS5 if socks else _scheme(parts.scheme)
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        return cls(scheme, parts.hostname or "", port or _USUAL_PORTS[scheme], user, password)


def _scheme(text: str) -> Scheme:
    if text in _SOCKS_NAMES:
        return Scheme.SOCKS5
    try:
        return Scheme(text)
    except ValueError:
        raise BadAddressError(AddressFault.SCHEME) from None


def _split(address: str) -> tuple[SplitResult, int | None]:
    text = address.strip()
    if not text.isprintable() or " " in text:
        raise BadAddressError(AddressFault.FORM)
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        port = parts.port
    except ValueError:
        raise BadAddressError(AddressFault.FORM) from None
    if not parts.hostname or port == 0 or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise BadAddressError(AddressFault.FORM)
    return parts, port
