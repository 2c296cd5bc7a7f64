"""The guard: resolves names once, checks every address, and creates no socket for a private one."""

import asyncio
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final

from aiohttp.abc import AbstractResolver, ResolveResult

from app.network import PrivateAddressError, Way
from app.network.connector import ProxiedConnector, new_trust, shared_trust
from app.service.outbound.policy import OutboundPolicy
from app.service.problems import CommandProblem

Resolve = Callable[[str], Awaitable[Sequence[str]]]
"""Resolves a name to all of its addresses as text. Raises OSError if it has none."""


KEPT_S: Final = 3.0
"""How long an idle connection is reused, in s. Many servers close theirs after five, even during a call."""


def guarded_connector(
    policy: OutboundPolicy,
    way: Way,
    context: ssl.SSLContext,
    resolver: "GuardedResolver | None" = None,
    *,
    limit: int = 0,
) -> ProxiedConnector:
    """Return connections to allowed addresses only, at most ``limit`` simultaneously; 0 for any number."""
    return ProxiedConnector(
        way,
        require=policy.require,
        ssl=context,
        resolver=resolver or GuardedResolver(policy, system_resolve),
        use_dns_cache=False,
        socket_factory=guarded_sockets(policy),
        limit=limit,
        keepalive_timeout=KEPT_S,
    )


def trust_of(extra_ca: Path | None) -> ssl.SSLContext:
    """Return the trusted authorities with those in a file. Raises CommandProblem if it has none."""
    if extra_ca is None:
        return shared_trust()
    context = new_trust()
    try:
        context.load_verify_locations(extra_ca)
    except OSError as error:  # includes ssl.SSLError
        raise CommandProblem(f"The file {extra_ca} contains no PEM certificates.") from error
    return context


class GuardedResolver(AbstractResolver):
    """Resolves names for the connector, and rejects a name if any of its addresses is private.

    A name with public and private addresses is a mistake or an attack. Using only the public ones would hide
    the mistake, and let an attacker choose.
    """

    def __init__(self, policy: OutboundPolicy, resolve: Resolve) -> None:
        self._policy = policy
        self._resolve = resolve

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Raises PrivateAddressError, or OSError if the name can't be resolved."""
        addresses = await self._resolve(host)
        if not addresses:
            raise OSError("no addresses")
        if not all(self._policy.admits(address) for address in addresses):
            raise PrivateAddressError
        return [
            ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=0)
            for address in addresses
        ]

    async def close(self) -> None:
        """Does nothing: there is nothing to release."""


def guarded_sockets(policy: OutboundPolicy) -> Callable[[Any], socket.socket]:
    """Return a factory for connecting sockets that checks the final address once more."""

    def make(target: tuple[int, int, int, str, tuple[str, int]]) -> socket.socket:
        family, kind, protocol, _, address = target
        if not policy.admits(address[0]):
            raise PrivateAddressError
        return socket.socket(family, kind, protocol)

    return make


async def system_resolve(host: str) -> list[str]:
    """Resolve with the system in a separate thread, so a slow DNS server blocks neither others nor exit."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[list[str]] = loop.create_future()

    def settle(addresses: list[str], error: OSError | None) -> None:
        if found.done():
            return
        if error is None:
            found.set_result(addresses)
        else:
            found.set_exception(error)

    def ask() -> None:
        addresses: list[str] = []
        problem: OSError | None = None
        try:
            # One answer for each type of socket, so each address comes several times.
            addresses = list(dict.fromkeys(str(address[0]) for *_, address in socket.getaddrinfo(host, None)))
        except (OSError, UnicodeError) as error:
            problem = error if isinstance(error, OSError) else OSError(str(error))
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, addresses, problem)

    threading.Thread(target=ask, name="resolver", daemon=True).start()
    return await found
