"""The guard: whatever an address looks like, nothing private is ever connected to. Counted, not believed."""

import asyncio
import socket
import ssl
import threading
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from app.network import PrivateAddressError, Way
from app.service.outbound import AddressRefusedError, OutboundClient, OutboundError, OutboundPolicy
from app.service.outbound.guard import (
    GuardedResolver,
    guarded_connector,
    guarded_sockets,
    system_resolve,
    trust_of,
)
from app.service.outbound.policy import HTTP_AND_HTTPS
from app.service.problems import CommandProblem
from tests.service.outbound.network import (
    HOST,
    PUBLIC,
    SERVER,
    Names,
    OneOpenDoor,
    answering,
    certificates,
    connects,
    listeners,
    serving,
)

SOON = timedelta(seconds=5)

PRIVATE_SPELLINGS = {
    "plain": "127.0.0.1",
    "another loopback": "127.1.2.3",
    "decimal": "2130706433",
    "hexadecimal": "0x7f000001",
    "hexadecimal parts": "0x7f.0x0.0x0.0x1",
    "octal": "0177.0.0.1",
    "octal as one number": "017700000001",
    "leading zeros": "127.000.000.001",
    "short": "127.1",
    "shorter": "0",
    "overflowing": "4294967297",
    "any address": "0.0.0.0",  # noqa: S104  not bound to
    "trailing dot": "127.0.0.1.",
    "number with a trailing dot": "2130706433.",
    "circled digits": "①②⑦.⓪.⓪.①",
    "full-width digits": "１２７.０.０.１",  # noqa: RUF001  that is the point
    "ideographic full stops": "127。0。0。1",
    "percent-encoded": "%31%32%37.0.0.1",
    "percent-encoded dots": "127%2e0%2e0%2e1",
    "cut by a null": "127.0.0.1%00.example.com",
    "loopback of IPv6": "[::1]",
    "written out": "[0:0:0:0:0:0:0:1]",
    "any address of IPv6": "[::]",
    "mapped": "[::ffff:127.0.0.1]",
    "mapped in hexadecimal": "[::ffff:7f00:1]",
    "compatible": "[::127.0.0.1]",
    "NAT64": "[64:ff9b::127.0.0.1]",
    "local NAT64": "[64:ff9b:1::7f00:1]",
    "6to4": "[2002:7f00:1::1]",
    "Teredo": "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
    "ISATAP": "[2a00:1450::5efe:7f00:1]",
    "link-local with a zone": "[fe80::1%25lo]",
    "loopback with a zone": "[::1%lo]",
    "unique local": "[fd00::1]",
    "a name of this machine": "localhost",
    "in capitals": "LOCALHOST",
    "with a trailing dot": "localhost.",
    "below localhost": "web.localhost",
    "a name of this network": "printer.local",
    "a single label": "intranet",
    "soft hyphens": "local\u00adhost",
    "user-info before": "example.com@127.0.0.1",
    "user-info with a password": "example.com:443@127.0.0.1",
    "user-info in disguise": "example.com＠127.0.0.1",  # noqa: RUF001  that is the point
    "a backslash": "example.com\\@127.0.0.1",
    "a tab inside": "127.0\t.0.1",
    "a line break": "127.0.0.1\r\nx",
    "metadata of a cloud": "169.254.169.254",
    "private": "10.0.0.1",
    "carrier": "100.64.0.1",
}


@pytest.mark.parametrize("host", PRIVATE_SPELLINGS.values(), ids=PRIVATE_SPELLINGS)
async def test_no_spelling_of_a_private_address_is_connected_to(host: str) -> None:
    client = OutboundClient(OutboundPolicy())
    with listeners() as open_doors, connects() as tried:
        for port in (f":{open_doors.port}", ":", ""):
            url = f"https://{host}{port}/hook"
            for refused in (client.check_url(url), client.post(url, headers={}, body=b"{}", timeout=SOON)):
                with pytest.raises(AddressRefusedError):
                    await refused
            for scheme in HTTP_AND_HTTPS:
                with pytest.raises(AddressRefusedError):
                    async with client.stream_get(f"{scheme}://{host}{port}/file.png", timeout=SOON):
                        pass
        assert tried == []
        assert open_doors.visitors() == 0
    await client.close()


@pytest.mark.parametrize("host", ["localhost", "127.1", "0x7f.1", "2130706433"])
async def test_what_the_system_resolves_to_loopback_is_refused_after_resolving_too(host: str) -> None:
    """Even a spelling that came past the reading of URLs: the resolver asks the real system here."""
    with connects() as tried, pytest.raises(PrivateAddressError):
        await GuardedResolver(OutboundPolicy(), system_resolve).resolve(host)
    assert tried == []


@pytest.mark.parametrize(
    "answers",
    [
        ["127.0.0.1"],
        ["::1"],
        [PUBLIC, "127.0.0.1"],
        ["127.0.0.1", PUBLIC],
        ["2606:4700::1", "::ffff:127.0.0.1"],
    ],
)
async def test_a_name_with_any_private_address_is_refused_whole(answers: Sequence[str]) -> None:
    names = Names({HOST: [answers]})
    client = OutboundClient(OutboundPolicy(), resolve=names)
    with listeners() as open_doors, connects() as tried:
        url = f"https://{HOST}:{open_doors.port}/"
        for refused in (client.check_url(url), client.post(url, headers={}, body=b"", timeout=SOON)):
            with pytest.raises(AddressRefusedError):
                await refused
        assert tried == []
        assert open_doors.visitors() == 0
    await client.close()


async def test_a_name_that_turns_private_after_it_was_looked_at_is_refused() -> None:
    names = Names({HOST: [[PUBLIC], ["127.0.0.1"], [PUBLIC], ["127.0.0.1"]]})
    client = OutboundClient(OutboundPolicy(), resolve=names)
    with listeners() as open_doors, connects() as tried:
        url = f"https://{HOST}:{open_doors.port}/"
        await client.check_url(url)
        with pytest.raises(AddressRefusedError):
            await client.post(url, headers={}, body=b"", timeout=SOON)
        assert tried == []
        assert open_doors.visitors() == 0
    assert names.asked == [HOST, HOST]
    await client.close()


async def test_what_was_checked_is_what_is_connected_to(tmp_path: Path) -> None:
    """A name server that answers otherwise the second time is not asked a second time."""
    context, authority = certificates(tmp_path)
    names = Names({HOST: [[SERVER], ["127.0.0.1"]]})
    client = OutboundClient(OneOpenDoor(extra_ca=authority), resolve=names)
    async with serving(answering(204), context) as server:
        with connects() as tried:
            await client.post(server.url(), headers={}, body=b"", timeout=SOON)
        assert tried == [SERVER]
        assert names.asked == [HOST]
        await client.close()


@pytest.mark.parametrize("host", PRIVATE_SPELLINGS.values(), ids=PRIVATE_SPELLINGS)
async def test_no_redirect_leads_to_a_private_address(host: str) -> None:
    # As a header can carry it.
    shown = host.encode("ascii", "ignore").decode().translate({9: None, 10: None, 13: None})
    names = Names({HOST: [[SERVER]]})
    client = OutboundClient(OneOpenDoor(), resolve=names)
    with listeners() as open_doors:
        location = f"http://{shown}:{open_doors.port}/"
        async with serving(answering(302, Location=location), None) as server:
            with connects() as tried, pytest.raises(OutboundError):
                async with client.stream_get(server.url(scheme="http"), timeout=SOON):
                    pass
            assert tried == [SERVER]
            assert open_doors.visitors() == 0
            await client.close()


async def test_a_redirect_to_a_name_that_is_private_is_refused() -> None:
    names = Names({HOST: [[SERVER]], "inside.example.com": [[PUBLIC, "127.0.0.1"]]})
    client = OutboundClient(OneOpenDoor(), resolve=names)
    with listeners() as open_doors:
        location = f"http://inside.example.com:{open_doors.port}/"
        async with serving(answering(307, Location=location), None) as server:
            with connects() as tried, pytest.raises(AddressRefusedError):
                async with client.stream_get(server.url(scheme="http"), timeout=SOON):
                    pass
            assert tried == [SERVER]
            assert open_doors.visitors() == 0
            await client.close()


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:10.0.0.1", "169.254.169.254"])
async def test_the_last_look_is_at_the_very_address_however_it_was_come_by(address: str) -> None:
    make = guarded_sockets(OutboundPolicy())
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with pytest.raises(PrivateAddressError):
        make((family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, 443)))
    with make((socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (PUBLIC, 443))) as made:
        asked_for = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        assert (made.family, made.type & ~socket.SOCK_NONBLOCK, made.proto) == asked_for


async def test_private_addresses_can_be_allowed_and_nothing_else_with_them(tmp_path: Path) -> None:
    context, authority = certificates(tmp_path, SERVER)
    client = OutboundClient(OutboundPolicy(allow_private=True, extra_ca=authority))
    async with serving(answering(200), context) as server:
        answer = await client.post(server.url(host=SERVER), headers={}, body=b"", timeout=SOON)
        assert answer.status == 200
        for url in (server.url(scheme="http"), server.url(host=f"me@{SERVER}"), server.url(host="127.9")):
            with pytest.raises(AddressRefusedError):
                await client.post(url, headers={}, body=b"", timeout=SOON)
        await client.close()


async def test_every_connection_resolves_the_name_again(tmp_path: Path) -> None:
    context, authority = certificates(tmp_path)
    names = Names({HOST: [[SERVER], ["127.0.0.1"]]})
    client = OutboundClient(OneOpenDoor(extra_ca=authority), resolve=names)
    async with serving(answering(204, Connection="close"), context) as server:
        await client.post(server.url(), headers={}, body=b"", timeout=SOON)
        with pytest.raises(AddressRefusedError):
            await client.post(server.url(), headers={}, body=b"", timeout=SOON)
        assert names.asked == [HOST, HOST]
        await client.close()


async def test_connections_have_no_limit_unless_one_is_given_and_are_not_kept_long() -> None:
    policy, way, context = OutboundPolicy(), Way(), trust_of(None)
    connectors = [guarded_connector(policy, way, context), guarded_connector(policy, way, context, limit=7)]
    assert [connector.limit for connector in connectors] == [0, 7]
    for connector in connectors:
        kept = connector._keepalive_timeout
        assert kept is not None
        assert kept < 5, "servers close theirs after five seconds"
        assert isinstance(connector._resolver, GuardedResolver)
        await connector.close()


def test_certificates_are_checked_with_the_authorities_of_the_system_and_of_a_file(tmp_path: Path) -> None:
    known = trust_of(None)
    assert known.verify_mode is ssl.CERT_REQUIRED
    _, authority = certificates(tmp_path)
    assert trust_of(authority).cert_store_stats()["x509_ca"] == known.cert_store_stats()["x509_ca"] + 1
    assert trust_of(None) is known, "with a file, there is a context of its own"
    empty = tmp_path / "empty.pem"
    empty.write_text("nothing")
    for path in (empty, tmp_path / "missing.pem"):
        with pytest.raises(CommandProblem, match="contains no PEM certificates"):
            trust_of(path)


async def test_all_public_addresses_of_a_name_are_given_to_the_connector() -> None:
    resolver = GuardedResolver(OutboundPolicy(), Names({HOST: [[PUBLIC, "2606:4700::1"]]}))
    found = await resolver.resolve(HOST, 443, socket.AF_INET)
    assert [(one["hostname"], one["host"], one["port"], one["family"]) for one in found] == [
        (HOST, PUBLIC, 443, socket.AF_INET),
        (HOST, "2606:4700::1", 443, socket.AF_INET),
    ]
    [first, _] = await resolver.resolve(HOST)
    assert (first["port"], first["family"]) == (0, socket.AF_UNSPEC)


async def test_the_system_gives_each_address_once() -> None:
    assert await system_resolve("127.0.0.1") == ["127.0.0.1"]


async def test_a_name_without_addresses_is_an_error() -> None:
    with pytest.raises(OSError, match="no addresses"):
        await GuardedResolver(OutboundPolicy(), Names({HOST: [[]]})).resolve(HOST)


async def test_a_name_that_does_not_exist_is_an_error_at_once() -> None:
    with pytest.raises(socket.gaierror):
        async with asyncio.timeout(60):
            await system_resolve("hooks.example.invalid")


async def test_a_name_that_is_no_name_is_an_error() -> None:
    with pytest.raises(OSError, match="label"):
        async with asyncio.timeout(60):
            await system_resolve(f"{'a' * 70}.example")


async def test_the_name_server_of_a_look_that_is_given_up_holds_up_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    looking = asyncio.create_task(system_resolve("hooks.example.invalid"))
    await asyncio.sleep(0)
    threads = [thread for thread in threading.enumerate() if thread.name == "resolver"]
    assert all(thread.daemon for thread in threads), "the program may end before them"
    looking.cancel()
    for thread in threads:
        await asyncio.to_thread(thread.join)
    await asyncio.sleep(0)  # in which its answer arrives, and nobody waits for it
    assert caplog.records == []


async def test_an_answer_that_comes_after_the_end_of_the_loop_is_dropped() -> None:
    """An exception in the thread would be an error of this test."""

    looking = asyncio.create_task(system_resolve("hooks.example.invalid"))
    await asyncio.sleep(0)
    looking.cancel()
    for thread in threading.enumerate():
        if thread.name == "resolver":
            thread.join()


def test_what_may_not_be_connected_to_is_refused_before_a_proxy_is_asked() -> None:
    for address in ("127.0.0.1", "::1", "10.0.0.1"):
        with pytest.raises(PrivateAddressError):
            OutboundPolicy().require(address)
        OutboundPolicy(allow_private=True).require(address)
    OutboundPolicy().require(PUBLIC)
