"""Accounts on the practice platforms, connected with the adapters like in the service."""

import itertools
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID, uuid4

import httpx

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.database import Database
from app.platforms.adapters import Adapter, ConsentAdapter
from app.platforms.base import AppCredentials, Profile, Publication, TokenGrant
from app.platforms.registry import build_adapters
from app.service.accounts.accounts import Plan, create_account
from app.service.clock import system_clock
from app.service.connections.rows import ConnectionWriter
from app.service.store.seal import Seal
from tests.practice.programs import press

PLATFORMS: Final = (ConnectionPlatform.X, ConnectionPlatform.LINKEDIN, ConnectionPlatform.FACEBOOK)
_APP: Final = AppCredentials(client_id="kalends-practice", client_secret="practice")
_COME_BACK: Final = "http://127.0.0.1:9/callback"
_VERIFIER: Final = "v" * 43
_CHALLENGE: Final = urlsafe_b64encode(sha256(_VERIFIER.encode()).digest()).rstrip(b"=").decode()


@dataclass(frozen=True, slots=True)
class Account:
    """A connected account; ``owner`` is its account in the service."""

    owner: UUID
    id: UUID
    platform: PostingPlatform
    profile: Profile
    grant: TokenGrant

    def publication(self, text: str) -> Publication:
        """Return a text as the engine passes it to the adapter."""
        return Publication(
            account_identifier=self.profile.account_identifier,
            username=self.profile.username,
            access_token=self.grant.access_token,
            post_type=PostType.TEXT,
            title=None,
            text=text,
        )


async def connect(
    practice_url: str,
    database: Database,
    seal: Seal,
    count: int,
    *,
    first: int = 0,
    plan: Plan = Plan.LOCAL,
) -> list[Account]:
    """Connect at least ``count`` accounts of one owner, spread over the platforms, with rows in the store.

    They're accounts of the practice platforms' users from number ``first`` on.
    """
    now = system_clock()
    owner = database.write_now(lambda rows: create_account(rows, "Punctuality", plan, now))
    writer = ConnectionWriter(seal, system_clock)
    accounts: list[Account] = []
    async with build_adapters(practice_url) as adapters:
        with httpx.Client(base_url=practice_url, trust_env=False) as browser:
            people = itertools.count(first)
            while len(accounts) < count:
                number = next(people)
                platform = PLATFORMS[number % len(PLATFORMS)]
                for profile, grant in await _consent(adapters[platform], browser, f"person-{number}"):
                    account = Account(owner, uuid4(), PostingPlatform(platform), profile, grant)
                    accounts.append(account)
                    _store(database, writer, account)
    return accounts


async def _consent(adapter: Adapter, browser: httpx.Client, person: str) -> list[tuple[Profile, TokenGrant]]:
    assert isinstance(adapter, ConsentAdapter)
    address = urlsplit(
        adapter.authorization_url(_APP, redirect_uri=_COME_BACK, state="s", code_challenge=_CHALLENGE)
    )
    code = press(browser, address.path, {**dict(parse_qsl(address.query)), "account": person})["code"]
    grant = await adapter.exchange_code(_APP, redirect_uri=_COME_BACK, code=code, code_verifier=_VERIFIER)
    return [(profile, profile.grant or grant) for profile in await adapter.profiles(grant.access_token)]


def _store(database: Database, writer: ConnectionWriter, account: Account) -> None:
    platform = ConnectionPlatform(account.platform)
    database.write_now(
        lambda rows: writer.store(rows, account.owner, platform, account.id, account.profile, account.grant)
    )
