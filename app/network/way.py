"""Which proxy to use for a host, by settings that can change at any time; and hosts reached without one."""

import asyncio
import re
import ssl
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Annotated, Final, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator

from app.network.proxy import BadAddressError, Fault, Proxy, ProxyError

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
