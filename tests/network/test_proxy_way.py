"""Which proxy is used for which host."""

import pytest
from pydantic import ValidationError

from app.network import AddressFault, BadAddressError, Proxy, ProxyError, ProxySettings, ProxyUse, Scheme, Way
from app.network.proxy import Exceptions, entries, is_this_computer

OWN = ProxySettings(
    use=ProxyUse.OWN,
    address="http://proxy.example:3128",
    user="ada",
    exceptions=("intranet.example", "*.local.example", "10.0.0.0/8", "2001:db8::/32"),
)


async def test_an_own_proxy_leads_everywhere_but_to_the_exceptions() -> None:
    way = Way(OWN, "secret")
    expected = Proxy(Scheme.HTTP, "proxy.example", 3128, "ada", "secret")

    assert await way.proxy_for("service.example", secure=True) == expected
    assert await way.proxy_for("notintranet.example", secure=True) == expected
    assert await way.proxy_for("11.0.0.1", secure=False) == expected
    for host in ("intranet.example", "a.b.INTRANET.example.", "x.local.example", "10.1.2.3", "2001:db8::7"):
        assert await way.proxy_for(host, secure=True) is None, host


@pytest.mark.parametrize("use", [ProxyUse.OWN, ProxyUse.SYSTEM])
@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.9.9.9", "localhost", "a.localhost", "::1", "::ffff:127.0.0.1"]
)
async def test_this_computer_is_never_behind_a_proxy(
    use: ProxyUse, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")

    assert is_this_computer(host)
    assert await Way(OWN.model_copy(update={"use": use})).proxy_for(host, secure=True) is None


async def test_the_system_is_asked_anew_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    way = Way(ProxySettings(use=ProxyUse.SYSTEM))
    assert await way.proxy_for("service.example", secure=True) is None

    monkeypatch.setenv("https_proxy", "http://ada:p%40ss@proxy.example")
    monkeypatch.setenv("all_proxy", "socks5h://127.0.0.1:9050")
    monkeypatch.setenv("no_proxy", "intranet.example")
    assert await way.proxy_for("service.example", secure=True) == Proxy(
        Scheme.HTTP, "proxy.example", 80, "ada", "p@ss"
    )
    assert await way.proxy_for("service.example", secure=False) == Proxy(Scheme.SOCKS5, "127.0.0.1", 9050)
    assert await way.proxy_for("a.intranet.example", secure=True) is None

    monkeypatch.setenv("https_proxy", "gopher://proxy.example")
    with pytest.raises(ProxyError, match="is invalid"):
        await way.proxy_for("service.example", secure=True)


async def test_without_a_choice_the_environment_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")

    assert await Way().proxy_for("service.example", secure=True) is None


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("proxy.example", AddressFault.PORT),
        ("http://:3128", AddressFault.FORM),
        ("http://proxy.example:99999", AddressFault.FORM),
        ("http://proxy.example:0", AddressFault.FORM),
        ("http://proxy.example:3128/path", AddressFault.FORM),
        ("http://proxy .example:3128", AddressFault.FORM),
        ("", AddressFault.FORM),
        ("ftp://proxy.example:21", AddressFault.SCHEME),
        ("socks4://proxy.example:1080", AddressFault.SCHEME),
        ("http://ada:secret@proxy.example:3128", AddressFault.USER),
    ],
)
def test_what_is_no_address_is_told_from_one(address: str, fault: AddressFault) -> None:
    with pytest.raises(BadAddressError) as caught:
        Proxy.typed(address)
    assert caught.value.fault is fault
    assert "secret" not in str(caught.value)
    with pytest.raises(ValidationError):
        ProxySettings(use=ProxyUse.OWN, address=address)


def test_a_proxy_shows_neither_name_nor_password() -> None:
    shown = repr(Proxy.typed("proxy.example:3128", "ada", "secret"))

    assert "proxy.example" in shown
    assert "ada" not in shown
    assert "secret" not in shown


def test_exceptions_are_listed_as_people_do() -> None:
    assert entries(" a.example, *.b.example\n10.0.0.0/8;[::1] ") == (
        "a.example",
        "*.b.example",
        "10.0.0.0/8",
        "[::1]",
    )
    for entry in ("http://a.example", "a/b", "10.0.0.0/99", "*"):
        with pytest.raises(ValueError, match="not a name"):
            Exceptions.of([entry])
