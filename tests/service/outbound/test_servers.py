"""Calls of adapters to servers that users name: nothing private is ever connected to."""

import ast
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from app.contract.enums import ConnectionPlatform
from app.platforms.base import FailureKind, PlatformError
from app.platforms.registry import build_adapters
from app.service.outbound import OutboundPolicy
from app.service.outbound.servers import ServerGuard
from tests.architecture.sources import ROOT
from tests.platforms.mastodon.people import access
from tests.service.outbound.network import connects

MASTODON = ConnectionPlatform("mastodon")
_PRIVATE = "The address is private or reserved"


async def _error(work: Callable[[Any], Awaitable[Any]], policy: OutboundPolicy) -> PlatformError:
    async def main() -> PlatformError:
        async with build_adapters(guard=ServerGuard(policy)) as adapters:
            with pytest.raises(PlatformError) as caught:
                await work(adapters[MASTODON])
        return caught.value

    return await main()


def test_every_program_of_the_service_guards_its_adapters() -> None:
    """Without a guard, an account's server is called wherever its name points by now."""
    unguarded = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / "app/service").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"build_adapters", "LateAdapters"}
        and "guard" not in {keyword.arg for keyword in node.keywords}
    ]
    assert unguarded == []


@pytest.mark.parametrize(
    "server", ["http://127.0.0.1:9", "https://localhost:9", "router.local", "wool.internal", "nas.home.arpa"]
)
async def test_a_private_server_is_not_connected_to(server: str) -> None:
    with connects() as tried:
        error = await _error(lambda adapter: adapter.server_of(server), OutboundPolicy())
    assert tried == []
    assert (error.kind, error.code) == (FailureKind.TRANSIENT, "unreachable")
    assert _PRIVATE in error.message


async def test_a_name_of_a_private_address_is_not_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve(host: str) -> list[str]:
        assert host == "wool.example"
        return ["93.184.216.34", "10.0.0.7"]

    monkeypatch.setattr("app.service.outbound.guard.system_resolve", resolve)
    with connects() as tried:
        error = await _error(lambda adapter: adapter.profiles(access()), OutboundPolicy())
    assert tried == []
    assert _PRIVATE in error.message


async def test_the_setting_for_closed_networks_allows_it() -> None:
    error = await _error(
        lambda adapter: adapter.server_of("http://127.0.0.1:9"), OutboundPolicy(allow_private=True)
    )
    assert _PRIVATE not in error.message
