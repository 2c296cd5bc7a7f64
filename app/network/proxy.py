"""A proxy: its address, protocol, credentials and errors. No message contains a password or a user name."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Self
from urllib.parse import SplitResult, unquote, urlsplit


class Fault(StrEnum):
    """Kind of proxy failure, as far as the client can tell."""

    UNREACHED = "unreached"
    """The proxy didn't respond."""
    REFUSED = "refused"
    """The proxy requires credentials, or rejected these."""
    SIGN_IN_UNKNOWN = "sign_in_unknown"
    """The proxy requires an unsupported authentication method, such as NTLM or Kerberos."""
    FORBIDDEN = "forbidden"
    """The proxy's rules forbid this destination."""
    NOT_BEHIND = "not_behind"
    """The proxy responded but couldn't reach the destination."""
    NO_PROXY = "no_proxy"
    """The server isn't a proxy."""
    UNTRUSTED = "untrusted"
    """The TLS certificate of the proxy isn't trusted by this computer."""
    UNREADABLE = "unreadable"
    """The proxy in the system settings has an invalid format."""


_WORDS = {
    Fault.UNREACHED: "The proxy couldn't be reached.",
    Fault.REFUSED: "The proxy rejected the user name or password.",
    Fault.SIGN_IN_UNKNOWN: "The proxy requires an unsupported authentication method.",
    Fault.FORBIDDEN: "The proxy doesn't allow this destination.",
    Fault.NOT_BEHIND: "The proxy couldn't reach the address.",
    Fault.NO_PROXY: "The server at the proxy's address isn't a proxy of this type.",
    Fault.UNTRUSTED: "The proxy's certificate isn't trusted, or isn't for its name.",
    Fault.UNREADABLE: "The system's proxy address is invalid.",
}


class PrivateAddressError(OSError):
    """A blocked connection. An OSError, so that layers in between treat it as a failed connection."""

    def __init__(self) -> None:
        super().__init__("The address is private or reserved. Only public addresses are allowed.")


class ProxyError(OSError):
    """The proxy failed, and nothing was sent to the destination. An OSError, so callers handle it as such.

    ``said``: the proxy's status, such as ``407``; "" if there was none.
    """

    def __init__(self, fault: Fault, said: str = "") -> None:
        super().__init__(_WORDS[fault])
        self.fault = fault
        self.said = said


def causes_of(error: BaseException) -> list[BaseException]:
    """Return an error and all of its causes, each once."""
    found: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in found:
        found.append(cause)
        cause = cause.__cause__ or cause.__context__
    return found


class Scheme(StrEnum):
    """Protocol of a proxy."""

    HTTP = "http"
    HTTPS = "https"
    """HTTP over TLS, so the connection to the proxy is encrypted too."""
    SOCKS5 = "socks5"


class AddressFault(StrEnum):
    """What's wrong with a proxy address."""

    FORM = "form"
    SCHEME = "scheme"
    PORT = "port"
    USER = "user"


class BadAddressError(ValueError):
    """An invalid proxy address."""

    def __init__(self, fault: AddressFault) -> None:
        super().__init__(f"invalid proxy address: {fault.value}")
        self.fault = fault


_SOCKS_NAMES: Final = frozenset({"socks", "socks5", "socks5h"})
_USUAL_PORTS: Final = {Scheme.HTTP: 80, Scheme.HTTPS: 443, Scheme.SOCKS5: 1080}


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy. The credentials are sent only to the proxy; an empty user name means none."""

    scheme: Scheme
    host: str
    port: int
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    @classmethod
    def typed(cls, address: str, user: str = "", password: str = "") -> Self:
        """Parse an address typed by the user, such as ``http://proxy.example:3128``; http is the default.

        Raises BadAddressError, also if the port is missing, or if the address contains credentials, because
        others could read them in the settings.
        """
        parts, port = _split(address)
        if port is None:
            raise BadAddressError(AddressFault.PORT)
        if parts.username is not None or parts.password is not None:
            raise BadAddressError(AddressFault.USER)
        return cls(_scheme(parts.scheme), parts.hostname or "", port, user, password)

    @classmethod
    def told(cls, address: str, *, socks: bool = False) -> Self:
        """Parse an address from the system, which may contain credentials and lack a port.

        ``socks``: it's a SOCKS proxy, whatever the scheme. Raises BadAddressError.
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
