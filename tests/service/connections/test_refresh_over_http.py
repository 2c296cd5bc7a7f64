"""Two processes renew one rotating token at the same time, at a platform that is a program of its own."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import Connection

from app.contract.enums import ConnectionPlatform
from app.platforms.registry import build_adapters
from app.service.accounts.accounts import Plan, create_account
from app.service.connections.platforms import Platforms
from app.service.connections.rows import ConnectionWriter
from app.service.connections.tokens import TokenKeeper
from app.service.store.seal import Seal
from tests.platforms.world import APP, Member, Practice, connect, program
from tests.stores import ON_BOTH, service_store

pytestmark = ON_BOTH

X = ConnectionPlatform.X
SEAL = Seal(b"k" * 32)


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture(scope="module")
def practice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Practice]:
    with (
        program(tmp_path_factory.mktemp("practice")) as url,
        httpx.Client(base_url=url, trust_env=False, timeout=20) as http,
    ):
        yield Practice(url, http)


@dataclass(frozen=True)
class MainController:
    """One connected account in one store, and the platform that its tokens are from."""

    root: Path
    practice: Practice
    connection: UUID
    member: Member

    def renewed(self, token: str, processes: int = 2) -> set[str]:
        """What processes get in place of a token that each of them found refused at the same time."""
        start = Barrier(processes)

        async def process() -> str:
            async with build_adapters(self.practice.url) as adapters:
                with closing(service_store(self.root)) as database:
                    keeper = TokenKeeper(database, SEAL, Platforms(adapters, {X: APP}), now)
                    start.wait(30)
                    return await keeper.refused(self.connection, token)

        with ThreadPoolExecutor(processes) as threads:
            return set(threads.map(lambda _: asyncio.run(process()), range(processes)))

    def issued(self) -> int:
        """How many tokens the platform ever issued."""
        return len(self.practice.http.get("/tokens").json()["data"])

    def assert_works(self, token: str) -> None:
        [profile] = self.practice.run(X, lambda adapter: adapter.profiles(token))
        assert profile.account_identifier == self.member.profile.account_identifier


@pytest.fixture
def controller(tmp_path: Path, practice: Practice) -> MainController:
    member = connect(practice, X)
    writer = ConnectionWriter(SEAL, now)

    def work(rows: Connection) -> UUID:
        owner = create_account(rows, "Ines", Plan.LOCAL, now())
        return writer.store(rows, owner, X, uuid4(), member.profile, member.consent)

    with closing(service_store(tmp_path)) as database:
        return MainController(tmp_path, practice, database.write_now(work), member)


def _at_once(controller: MainController) -> None:
    del controller


def _slowly(controller: MainController) -> None:
    """The platform has changed the token some time before it answers."""
    controller.practice.order(X, "token", "slow", account=controller.member.profile.account_identifier)


@pytest.mark.parametrize("platform_answers", [_at_once, _slowly])
def test_both_end_with_the_one_token_that_was_given(
    controller: MainController, platform_answers: Callable[[MainController], None]
) -> None:
    token, issued = controller.member.consent.access_token, controller.issued()
    for round_number in (1, 2, 3):
        if round_number == 1:
            platform_answers(controller)
        [renewed] = controller.renewed(token)

        assert renewed != token
        assert controller.issued() == issued + 2 * round_number, "an access and a refresh token each time"
        controller.assert_works(renewed)
        token = renewed
