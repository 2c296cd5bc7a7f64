"""Which proxy leads to a place, if any: as it was chosen, and as it may be chosen anew at any time."""

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
    """Whose proxy is used."""

    NONE = "none"
    SYSTEM = "system"
    OWN = "own"


def _readable(entries: tuple[str, ...]) -> tuple[str, ...]:
    Exceptions.of(entries)
    return entries


class ProxySettings(BaseModel):
    """What is chosen, all but the password.

    Attributes:
        use: None, the one that the system names, or this one.
        address: Of one's own proxy, such as ``http://proxy.example:3128``.
        user: The name to sign in with; empty where the proxy asks for none.
        exceptions: Names and addresses that are gone to without one's own proxy.
        names_at_proxy: Addresses that people name, of webhooks and of files to import, are handed to the
            proxy by name. Otherwise they are looked up here, and the proxy is asked for an address that was
            found to be public.
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
    """Shared by everything that connects; what is chosen holds for every connection that is made after it.

    This computer is always gone to straight. ``trust`` is for a proxy that is spoken to inside of TLS;
    without it, what this computer trusts.
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
        """Goes another way from now on."""
        self.settings = settings
        self._exceptions = Exceptions.of(settings.exceptions)
        own = settings.use is ProxyUse.OWN
        self._own = Proxy.typed(settings.address, settings.user, password) if own else None

    def hold(self) -> Callable[[], None]:
        """Make new connections to this computer wait until the returned function is called."""
        opened = self._opened = asyncio.Event()
        return opened.set

    async def proxy_for(self, host: str, *, secure: bool) -> Proxy | None:
        """The proxy that leads to a host; None where it is gone to straight. Raises ProxyError."""
        if is_this_computer(host):
            await self._opened.wait()
            return None
        if self.settings.use is ProxyUse.NONE:
            return None
        if self._own is not None:
            return None if self._exceptions.hold(host) else self._own
        # In a thread: on some systems the list of exceptions is looked up in the network.
        return await asyncio.to_thread(system_proxy, host, secure=secure)


def system_proxy(host: str, *, secure: bool) -> Proxy | None:
    """What the environment says, else the system's own settings (Windows, macOS). Blocking.

    Raises ProxyError for a proxy that cannot be used.
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
