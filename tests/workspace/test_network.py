"""The choice of a proxy: where it is kept, what is refused, and what a trial finds."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from app.network import Proxy, Scheme, Way
from app.service.settings import follow
from app.workspace.homes import Home, HomeKind
from app.workspace.homes.certificates import presented_certificate
from app.workspace.homes.credentials import SecretStore
from app.workspace.network import FormError, FormField, Network, ProxyForm, ProxyUse, try_out
from app.workspace.settings.backup import kind_of
from tests.client.test_through_proxy import BASE, HOST, behind
from tests.network.small_proxy import PASSWORD, USER, SmallProxy, running

OWN = ProxyForm(ProxyUse.OWN, "proxy.example:3128", "ada", "pass wörd", "intranet.example, 10.0.0.0/8")


def network(folder: Path) -> Network:
    return Network(folder, SecretStore(folder))


async def test_without_a_choice_the_system_is_followed(tmp_path: Path) -> None:
    made = network(tmp_path)
    await made.load()
    assert made.settings.use is ProxyUse.SYSTEM


async def test_a_choice_is_in_force_told_and_kept_and_the_password_apart_from_it(tmp_path: Path) -> None:
    made, heard = network(tmp_path), []
    await made.load()
    stop = made.follow(lambda: heard.append(made.settings.use))
    await made.choose(OWN)
    stop()
    await made.choose(ProxyForm(ProxyUse.NONE, OWN.address, "ada"))
    assert heard == [ProxyUse.OWN]

    again = network(tmp_path)
    await again.load()
    await again.choose(ProxyForm(ProxyUse.OWN, "http://proxy.example:3128/", "ada"))
    found = await again.way.proxy_for("a.example", secure=True)
    assert found == Proxy(Scheme.HTTP, "proxy.example", 3128, "ada", "pass wörd")
    assert "pass wörd" not in repr(OWN)
    kept = tmp_path / "keys" / "proxy.key"
    assert kept.read_text(encoding="utf-8") == "pass wörd"
    assert os.name == "nt" or kept.stat().st_mode & 0o077 == 0
    assert "wörd" not in (tmp_path / "proxy.json").read_text(encoding="utf-8")
    assert {kind_of(name) for name in ("proxy.json", "keys/proxy.key")} == {None}  # never in a backup


@pytest.mark.parametrize(
    ("address", "user"), [("http://other.example:3128", "ada"), ("proxy.example:3128", "eve")]
)
async def test_a_password_is_never_sent_to_another_proxy(address: str, user: str, tmp_path: Path) -> None:
    made = network(tmp_path)
    await made.load()
    await made.choose(OWN)
    with pytest.raises(FormError) as caught:
        await made.choose(ProxyForm(ProxyUse.OWN, address, user))
    assert caught.value.where is FormField.PASSWORD
    assert made.settings.address == OWN.address


async def test_without_a_name_there_is_no_password(tmp_path: Path) -> None:
    made = network(tmp_path)
    await made.load()
    await made.choose(OWN)
    await made.choose(ProxyForm(ProxyUse.OWN, OWN.address))
    assert not made.has_password
    assert not (tmp_path / "keys" / "proxy.key").exists()


@pytest.mark.parametrize(
    ("form", "where"),
    [
        (ProxyForm(ProxyUse.OWN), FormField.ADDRESS),
        (ProxyForm(ProxyUse.OWN, "proxy.example"), FormField.ADDRESS),
        (ProxyForm(ProxyUse.OWN, "ftp://proxy.example:1"), FormField.ADDRESS),
        (ProxyForm(ProxyUse.OWN, "http://ada:b@proxy.example:1"), FormField.ADDRESS),
        (ProxyForm(ProxyUse.OWN, "proxy.example:1", "a:b"), FormField.USER),
        (ProxyForm(ProxyUse.OWN, "proxy.example:1", "a", "b\nc"), FormField.PASSWORD),
        (ProxyForm(ProxyUse.OWN, "proxy.example:1", exceptions="a.example, http://b"), FormField.EXCEPTIONS),
        (replace(OWN, exceptions="a.example " * 401), FormField.EXCEPTIONS),
        (replace(OWN, address=f"http://{'p' * 500}:1"), FormField.ADDRESS),
    ],
)
async def test_what_is_wrong_is_told_with_its_field(
    form: ProxyForm, where: FormField, tmp_path: Path
) -> None:
    with pytest.raises(FormError) as caught:
        await network(tmp_path).choose(form)
    assert caught.value.where is where
    assert not (tmp_path / "proxy.json").exists()


async def test_the_longest_choice_is_understood_by_the_service(tmp_path: Path) -> None:
    longest = ", ".join(f"name-{number:03}.example" for number in range(210))[:4_000].rpartition(",")[0]
    address = f"http://{'p' * 485}:3128"
    form = ProxyForm(ProxyUse.OWN, address, "é" * 127, "ß" * 127, longest)

    way = Way()
    made = network(tmp_path)
    await made.load()
    await made.choose(form)
    follow(way, made.line().encode())
    assert way.settings == form.settings()


@pytest.mark.parametrize("content", ["", "{", '{"use": "own"}', '{"use": "own", "address": "x"}'])
async def test_a_choice_that_cannot_be_read_is_as_none(content: str, tmp_path: Path) -> None:
    (tmp_path / "proxy.json").write_text(content, encoding="utf-8")

    made = network(tmp_path)
    await made.load()
    assert made.settings.use is ProxyUse.SYSTEM


async def test_a_folder_that_takes_nothing_is_told_without_the_password(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("a file where the folder should be", encoding="utf-8")

    made = network(tmp_path)
    with pytest.raises(Exception, match="Couldn't save") as caught:
        await made.choose(OWN)
    assert "wörd" not in str(caught.value)


async def _tried(folder: Path, proxy: SmallProxy, *, trusted: bool = True) -> str:
    (folder / "tls").mkdir()
    async with behind(folder / "tls") as service:
        if proxy.places:
            proxy.places[f"{HOST}:443"] = service.port
        async with running(proxy):
            authority = folder / "tls" / "ca.pem"
            home = Home(
                kind=HomeKind.REMOTE, name="Office", base_url=BASE, ca_file=authority if trusted else None
            )
            return (await try_out(proxy.way(), home)).text


async def test_a_trial_says_that_the_service_answered_through_the_proxy(tmp_path: Path) -> None:
    proxy = SmallProxy(places={f"{HOST}:443": 0}, wants=(USER, PASSWORD))

    said = await _tried(tmp_path, proxy)
    assert said == f"{HOST} responded through the proxy 127.0.0.1:{proxy.port}."
    assert len(proxy.asked) == 1


@pytest.mark.parametrize(
    ("proxy", "words"),
    [
        (SmallProxy(), "The proxy works, but it can't reach the service."),
        (SmallProxy(refuses=403), "The proxy's rules block access"),
        (SmallProxy(Scheme.SOCKS5, said=b"HTTP/1.1 400\r\n"), "no proxy of this type"),
    ],
)
async def test_a_trial_says_what_the_proxy_did(proxy: SmallProxy, words: str, tmp_path: Path) -> None:
    assert words in await _tried(tmp_path, proxy)


async def test_a_trial_asks_with_a_wrong_password_once() -> None:
    proxy = SmallProxy(wants=(USER, PASSWORD))

    async def run() -> str:
        async with running(proxy):
            home = Home(kind=HomeKind.REMOTE, name="Office", base_url=BASE)
            return (await try_out(proxy.way("wrong"), home)).text

    said = await run()
    assert said == ("The proxy rejected the username or password. Check both. It responded with 407.")
    assert proxy.connections == 1


async def test_a_trial_says_that_nobody_is_at_the_proxys_address() -> None:
    async with running(SmallProxy()) as gone:
        way = gone.way()
    assert "Couldn't reach the proxy" in (await try_out(way, Home(kind=HomeKind.EMBEDDED, name="Mine"))).text


async def test_a_certificate_that_nobody_knows_is_told_from_all_else(tmp_path: Path) -> None:
    proxy = SmallProxy(places={f"{HOST}:443": 0})

    assert "doesn't trust" in await _tried(tmp_path, proxy, trusted=False)


async def test_the_certificate_of_a_service_is_asked_for_through_the_proxy(tmp_path: Path) -> None:
    async with (
        behind(tmp_path) as service,
        running(SmallProxy(places={f"{HOST}:443": service.port})) as one,
    ):
        assert (await presented_certificate(BASE, one.way())).fingerprint
    assert one.asked == [f"{HOST}:443"]
