"""Behind a proxy the guard holds as without one: the proxy is asked for what was checked."""

import socket
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from ssl import SSLContext

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from app.network import PrivateAddressError, Scheme
from app.network.connector import ProxiedConnector
from app.service.outbound import AddressRefusedError, OutboundClient, OutboundFailedError, OutboundPolicy
from tests.network.small_proxy import PASSWORD, USER, SmallProxy, running
from tests.service.outbound.network import (
    HOST,
    PUBLIC,
    SERVER,
    Names,
    answering,
    certificates,
    connects,
    serving,
)

SOON = timedelta(seconds=30)
PUBLIC_6 = "2606:2800:21f:cb07:6820:80da:af6b:8b2c"


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[SSLContext, Path]:
    return certificates(tmp_path_factory.mktemp("tls"))


def open_client(
    tls: tuple[SSLContext, Path],
    proxy: SmallProxy,
    answers: dict[str, list[Sequence[str]]],
    password: str | None = None,
    **more: object,
) -> OutboundClient:
    policy = OutboundPolicy(extra_ca=tls[1])
    return OutboundClient(policy, resolve=Names(answers), way=proxy.way(password, None, **more))


@pytest.mark.parametrize("scheme", [Scheme.HTTP, Scheme.SOCKS5])
async def test_the_proxy_is_asked_for_the_address_that_was_checked_and_tls_for_the_name(
    scheme: Scheme, tls: tuple[SSLContext, Path]
) -> None:
    async with serving(answering(200, b"ok"), tls[0]) as server:
        there = SmallProxy(scheme, {f"{PUBLIC}:443": server.port}, (USER, PASSWORD), behind=SERVER)
        async with running(there) as proxy:
            client = open_client(tls, proxy, {HOST: [[PUBLIC_6, PUBLIC]]})
            with connects() as made:
                answer = await client.post(f"https://{HOST}/hook", headers={}, body=b"{}", timeout=SOON)
            await client.close()

    assert answer.status == 200
    assert proxy.asked == [f"{PUBLIC}:443"]
    assert f"Host: {HOST}".encode() in server.requests[0]
    assert not {PUBLIC, PUBLIC_6} & set(made)
    assert PASSWORD.encode() not in server.requests[0]


class _Liar(AbstractResolver):
    """A resolver that checks nothing."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        return [ResolveResult(hostname=host, host="10.0.0.7", port=port, family=family, proto=0, flags=0)]

    async def close(self) -> None: ...


@pytest.mark.parametrize("scheme", [Scheme.HTTP, Scheme.SOCKS5])
async def test_the_last_look_before_a_proxy_is_asked_refuses_a_private_address(
    scheme: Scheme, tls: tuple[SSLContext, Path]
) -> None:
    require = OutboundPolicy().require
    async with running(SmallProxy(scheme)) as proxy:
        connector = ProxiedConnector(proxy.way(None, None), require=require, resolver=_Liar(), ssl=tls[0])
        async with aiohttp.ClientSession(connector=connector) as session:
            with pytest.raises(aiohttp.ClientConnectorError) as refused:
                await session.get(f"https://{HOST}/hook")

    assert isinstance(refused.value.__cause__, PrivateAddressError)

    assert proxy.asked == []


async def test_a_file_comes_through_it_also_without_tls(tls: tuple[SSLContext, Path]) -> None:
    async with (
        serving(answering(200, b"a file"), None) as server,
        running(SmallProxy(behind=SERVER, places={f"{PUBLIC}:80": server.port})) as proxy,
    ):
        client = open_client(tls, proxy, {HOST: [[PUBLIC]]})
        async with client.stream_get(f"http://{HOST}/a", timeout=SOON) as download:
            assert b"".join([chunk async for chunk in download.chunks]) == b"a file"
        await client.close()
    assert proxy.asked == [f"{PUBLIC}:80"]


@pytest.mark.parametrize(
    "addresses", [["10.0.0.7"], [PUBLIC, "10.0.0.7"], ["127.0.0.1"], ["169.254.169.254"], ["::ffff:10.0.0.7"]]
)
async def test_a_name_of_a_private_address_never_gets_to_the_proxy(
    addresses: list[str], tls: tuple[SSLContext, Path]
) -> None:
    async with running(SmallProxy()) as proxy:
        client = open_client(tls, proxy, {HOST: [addresses]})
        with pytest.raises(AddressRefusedError):
            await client.post(f"https://{HOST}/", headers={}, body=b"", timeout=SOON)
        await client.close()
    assert proxy.connections == 0


@pytest.mark.parametrize(
    "url",
    ["https://10.0.0.7/", "https://localhost/", "https://intranet/", "https://[::1]/", "https://x.local/"],
)
@pytest.mark.parametrize("names_at_proxy", [False, True])
async def test_what_is_private_by_its_form_never_gets_to_the_proxy(
    url: str, names_at_proxy: bool, tls: tuple[SSLContext, Path]
) -> None:
    async with running(SmallProxy()) as proxy:
        client = open_client(tls, proxy, {}, names_at_proxy=names_at_proxy)
        with pytest.raises(AddressRefusedError):
            await client.post(url, headers={}, body=b"", timeout=SOON)
        await client.close()
    assert proxy.connections == 0


async def test_a_name_that_changes_its_mind_does_not_get_past_the_check(tls: tuple[SSLContext, Path]) -> None:
    async with running(SmallProxy()) as proxy:
        client = open_client(tls, proxy, {HOST: [[PUBLIC], ["10.0.0.7"]]})
        await client.check_url(f"https://{HOST}/")
        with pytest.raises(AddressRefusedError):
            await client.post(f"https://{HOST}/", headers={}, body=b"", timeout=SOON)
        await client.close()
    assert proxy.connections == 0


async def test_a_redirect_to_a_private_address_is_refused_behind_it_too(tls: tuple[SSLContext, Path]) -> None:
    async with (
        serving(answering(302, Location="https://10.0.0.7/secret"), tls[0]) as server,
        running(SmallProxy(behind=SERVER, places={f"{PUBLIC}:443": server.port})) as proxy,
    ):
        client = open_client(tls, proxy, {HOST: [[PUBLIC]]})
        with pytest.raises(AddressRefusedError):
            async with client.stream_get(f"https://{HOST}/a", timeout=SOON):
                pass
        await client.close()
    assert proxy.asked == [f"{PUBLIC}:443"]


async def test_names_are_left_to_the_proxy_where_that_is_chosen(tls: tuple[SSLContext, Path]) -> None:
    async with (
        serving(answering(200), tls[0]) as server,
        running(SmallProxy(behind=SERVER, places={f"{HOST}:443": server.port})) as proxy,
    ):
        client = open_client(tls, proxy, {}, names_at_proxy=True)
        await client.check_url(f"https://{HOST}/")
        assert (await client.post(f"https://{HOST}/", headers={}, body=b"", timeout=SOON)).status == 200
        await client.close()
    assert proxy.asked == [f"{HOST}:443"]


async def test_without_them_a_name_that_nobody_here_knows_is_not_found(tls: tuple[SSLContext, Path]) -> None:
    async with running(SmallProxy()) as proxy:
        client = open_client(tls, proxy, {})
        with pytest.raises(OutboundFailedError, match="name couldn't be found"):
            await client.post(f"https://{HOST}/", headers={}, body=b"", timeout=SOON)
        await client.close()
    assert proxy.connections == 0


async def test_an_exception_is_gone_to_straight_and_guarded(tls: tuple[SSLContext, Path]) -> None:
    async with running(SmallProxy()) as proxy:
        client = open_client(tls, proxy, {HOST: [["10.0.0.7"]]}, exceptions=("example.com",))
        with pytest.raises(AddressRefusedError):
            await client.post(f"https://{HOST}/", headers={}, body=b"", timeout=SOON)
        await client.close()
    assert proxy.connections == 0


async def test_the_words_say_what_the_proxy_did(tls: tuple[SSLContext, Path]) -> None:
    async with running(SmallProxy(wants=(USER, PASSWORD))) as proxy:
        client = open_client(tls, proxy, {HOST: [[PUBLIC]]}, password="something else")
        with pytest.raises(OutboundFailedError) as caught:
            await client.post(f"https://{HOST}/", headers={}, body=b"", timeout=SOON)
        await client.close()
    assert str(caught.value) == "The proxy rejected the user name or password."
