"""Accounts on servers of the stand-in, and access to scripted ones."""

import itertools
from typing import Final

from app.contract.enums import ConnectionPlatform
from app.platforms.adapters import ServerAdapter
from app.platforms.base import AppCredentials, Publication
from app.platforms.mastodon.servers import Access
from tests.platforms.scripted import TOKEN, publication
from tests.platforms.world import REDIRECT, Member, Practice, connect

PLATFORM: Final = ConnectionPlatform("mastodon")
SERVER: Final = "https://wool.example"
ACCOUNT: Final = "109@wool.example"
APP: Final = AppCredentials("client-1234", "secret-1234", ("read", "write"), SERVER)
_numbers = itertools.count()


def access(*, keeps_keys: bool = True) -> str:
    """What the service stores for an account of the scripted server."""
    given = Access(
        server=SERVER,
        token=TOKEN,
        client_id=APP.client_id,
        client_secret=APP.client_secret or "",
        keeps_keys=keeps_keys,
    )
    return given.model_dump_json()


def post_of(text: str = "Good morning", **changes: object) -> Publication:
    """A post of the scripted server's account."""
    from dataclasses import replace

    post = replace(publication(ACCOUNT, text), access_token=access())
    return replace(post, **changes)  # type: ignore[arg-type]  # any field


def member_of(practice: Practice, server: str = "wool.example") -> Member:
    """A new account on a server of the stand-in, connected through its consent page."""

    async def registered(adapter: ServerAdapter) -> AppCredentials:
        return await adapter.register(await adapter.server_of(server), REDIRECT)

    return connect(practice, PLATFORM, app=practice.run(PLATFORM, registered))


def ledger_account(member: Member) -> str:
    """The account as the stand-in's ledger names it, which is the same on all of its servers."""
    return member.profile.account_identifier.partition("@")[0]
