"""Proxies: address, credentials, errors, and which one a host needs. No message contains a password."""

import asyncio
import re
import ssl
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Annotated, Final, Self
from urllib.parse import SplitResult, unquote, urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator


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


_NAME: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*", re.ASCII)
_BETWEEN: Final = re.compile(r"[\s,;]+")


class BadExceptionError(ValueError):
    """An entry that isn't a host or network. ``entry`` is the original text."""

    def __init__(self, entry: str) -> None:
        super().__init__(f"not a name or an address: {entry}")
        self.entry = entry


@dataclass(frozen=True, slots=True)
class Exceptions:
    """Domain names, including their subdomains, and addresses or networks."""

    names: tuple[str, ...] = ()
    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    def of(cls, entries: Iterable[str]) -> Self:
        """Parse ``intranet.example``, ``*.example``, ``10.0.0.0/8``. Raises BadExceptionError."""
        names: list[str] = []
        networks: list[IPv4Network | IPv6Network] = []
        for entry in entries:
            try:
                networks.append(ip_network(entry.strip("[]"), strict=False))
            except ValueError:
                names.append(_plain(entry))
        return cls(tuple(names), tuple(networks))

    def hold(self, host: str) -> bool:
        """Whether a host name or address is an exception."""
        host = host.lower().rstrip(".")
        address = _address(host)
        if address is not None:
            return any(address in network for network in self.networks)
        return any(host == name or host.endswith(f".{name}") for name in self.names)


def entries(text: str) -> tuple[str, ...]:
    """Split a user's list at commas, spaces or line breaks."""
    return tuple(entry for entry in _BETWEEN.split(text) if entry)


def is_this_computer(host: str) -> bool:
    """Whether a host can only be this computer, which is never reached through a proxy."""
    host = host.lower().strip("[]").rstrip(".")
    address = _address(host)
    if address is None:
        return host == "localhost" or host.endswith(".localhost")
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def _plain(entry: str) -> str:
    name = entry.lower().removeprefix("*").strip(".")
    if not _NAME.fullmatch(name):
        raise BadExceptionError(entry)
    return name


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


class ProxyUse(StrEnum):
    """Which proxy to use."""

    NONE = "none"
    SYSTEM = "system"
    OWN = "own"


def _readable(entries: tuple[str, ...]) -> tuple[str, ...]:
    Exceptions.of(entries)
    return entries


class ProxySettings(BaseModel):
    """Proxy settings without the password.

    Attributes:
        use: None, the system's, or this one.
        address: Address of the user's own proxy, such as ``http://proxy.example:3128``.
        user: User name; empty if the proxy requires none.
        exceptions: Names and addresses to reach without the user's own proxy.
        names_at_proxy: Let the proxy resolve the hosts of webhooks and imports. Otherwise they're resolved
            here, and the proxy gets an address that was checked to be public.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    use: ProxyUse = ProxyUse.NONE
    address: str = ""
    user: str = ""
    exceptions: Annotated[tuple[str, ...], AfterValidator(_readable)] = ()
    names_at_proxy: bool = False

    @model_validator(mode="after")
    def _check_address(self) -> Self:
        if self.use is ProxyUse.OWN:
            Proxy.typed(self.address)
        return self


_DIRECT: Final = ProxySettings()


class Way:
    """Proxy selection shared by all connections. Changes apply to new connections.

    This computer is always reached directly. ``trust`` is for HTTPS proxies; by default, what this computer
    trusts.
    """

    def __init__(
        self,
        settings: ProxySettings = _DIRECT,
        password: str = "",
        *,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self.trust = trust
        self._opened = asyncio.Event()
        self._opened.set()
        self.use(settings, password)

    def use(self, settings: ProxySettings, password: str = "") -> None:
        """Change the settings for new connections."""
        self.settings = settings
        self._exceptions = Exceptions.of(settings.exceptions)
        own = settings.use is ProxyUse.OWN
        self._own = Proxy.typed(settings.address, settings.user, password) if own else None

    def hold(self) -> Callable[[], None]:
        """Make new connections wait until the returned function is called."""
        opened = self._opened = asyncio.Event()
        return opened.set

    async def proxy_for(self, host: str, *, secure: bool) -> Proxy | None:
        """Return the proxy for a host; None to connect directly. Raises ProxyError."""
        if is_this_computer(host):
            await self._opened.wait()
            return None
        if self.settings.use is ProxyUse.NONE:
            return None
        if self._own is not None:
            return None if self._exceptions.hold(host) else self._own
        # In a thread: some systems look up the list of exceptions on the network.
        return await asyncio.to_thread(system_proxy, host, secure=secure)


def system_proxy(host: str, *, secure: bool) -> Proxy | None:
    """Return the proxy from the environment or the system settings (Windows, macOS). Blocking.

    Raises ProxyError for an unusable proxy.
    """
    found = urllib.request.getproxies()
    address = found.get("https" if secure else "http") or found.get("all")
    socks = "" if address else found.get("socks", "")
    if not (address or socks) or urllib.request.proxy_bypass(host):
        return None
    try:
        return Proxy.told(address or socks, socks=bool(socks))
    except BadAddressError:
        raise ProxyError(Fault.UNREADABLE) from None
