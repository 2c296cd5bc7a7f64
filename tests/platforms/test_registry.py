"""Which adapters there are, and where they call."""

import asyncio
from urllib.parse import urlsplit

import pytest

from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.platforms.adapters import ConsentAdapter, PullingAdapter
from app.platforms.base import AppCredentials
from app.platforms.by_hand import BY_HAND_KEYS
from app.platforms.card import SignIn
from app.platforms.cards import CARDS, hosts_of
from app.platforms.registry import build_adapters
from app.platforms.rules import RULES
from app.platforms.rules.tables import pulled
from tests.platforms.scripted import Script


async def test_what_is_publishable_has_an_adapter() -> None:
    async with build_adapters() as adapters:
        publishable = {platform for platform, rules in RULES.items() if rules.publishable} - BY_HAND_KEYS
        assert publishable <= {PostingPlatform(platform.value) for platform in adapters}
        assert len(adapters) == len(list(adapters))
        assert all(adapters[platform].platform == platform for platform in adapters)


def test_real_platforms_are_spoken_to_with_tls() -> None:
    for card in CARDS.values():
        bases = (card.hosts.consent, card.hosts.issuer, card.hosts.api)
        expected = {"https"} if card.sign_in is not SignIn.OWN_SERVER else {""}  # the user names the server
        assert {urlsplit(base).scheme for base in bases} == expected


def test_the_stand_ins_replace_every_host_and_no_path() -> None:
    hosts = hosts_of(ConnectionPlatform.LINKEDIN, "http://127.0.0.1:5000/")
    bases = {hosts.consent, hosts.issuer, hosts.api}
    assert bases == {"http://127.0.0.1:5000/linkedin"}
    assert hosts.version == hosts_of(ConnectionPlatform.LINKEDIN).version

    async def main() -> str:
        async with build_adapters("http://127.0.0.1:5000") as adapters:
            adapter = adapters[ConnectionPlatform.X]
            assert isinstance(adapter, ConsentAdapter)
            return adapter.authorization_url(
                AppCredentials("a"), redirect_uri="r", state="s", code_challenge="c"
            )

    assert asyncio.run(main()).startswith("http://127.0.0.1:5000/x/i/oauth2/authorize?")


@pytest.mark.parametrize("instagram_login", [False, True])
def test_what_needs_a_public_address_is_what_a_platform_fetches(instagram_login: bool) -> None:
    """The table says it before any adapter is imported."""
    fetched = {
        PostingPlatform(platform.value): adapter.pulled
        for platform, adapter in build_adapters(instagram_login=instagram_login).items()
        if isinstance(adapter, PullingAdapter)
    }

    assert pulled(instagram_login=instagram_login) == fetched


async def test_only_linkedin_names_the_original_of_a_copy() -> None:
    async with build_adapters() as adapters:
        window = adapters[ConnectionPlatform.LINKEDIN].repeat_window
        assert window is not None
        assert 300 <= window.total_seconds() < 600
        assert adapters[ConnectionPlatform.X].repeat_window is None


def test_a_script_must_be_played_to_its_end() -> None:
    """The stand-in of the network in these tests would otherwise hide calls that were never made."""
    script = Script(RuntimeError("never asked"))
    try:
        script.run(ConnectionPlatform.X, lambda _: asyncio.sleep(0))
    except AssertionError:
        return
    raise AssertionError("the unused answer went unnoticed")
