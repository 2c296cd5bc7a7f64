"""Which proxy to use for a host, according to settings that can change at any time."""

import asyncio
import ssl
import urllib.request
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Final, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator

from app.network.errors import Fault, ProxyError
from app.network.exceptions import Exceptions, is_this_computer
from app.network.proxy import BadAddressError, Proxy


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
