"""The key that tokens are sealed with: never replaced unasked, and no account ends because it is missing."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import insert, select, update

from app.contract.enums import ConnectionPlatform
from app.platforms.base import FailureKind, PlatformError
from app.service.accounts.accounts import Plan, create_account
from app.service.clock import system_clock
from app.service.connections.apps import Apps, OwnApp
from app.service.connections.platforms import Platforms
from app.service.connections.tokens import TokenKeeper
from app.service.installation import EmbeddedInstallation
from app.service.problems import CommandProblem
from app.service.restoring import look_into_past
from app.service.seal_key import check_key
from app.service.store.seal import Seal, open_seal
from app.service.store.tables import connections, events, installation
from tests.service.programs import answer, complaint

X = ConnectionPlatform.X
NOW = system_clock()


class Calendar:
    """A data folder with one connected account, whose token is sealed."""

    def __init__(self, root: Path) -> None:
        self.installation = EmbeddedInstallation(root)
        self.folder = self.installation.folder
        self.database = self.installation.open_database()
        self.connection_id = uuid4()
        self.check()
        self.account = self.database.write_now(lambda rows: create_account(rows, "Ines", Plan.LOCAL, NOW))
        row = {
            "id": self.connection_id,
            "account_id": self.account,
            "platform": "x",
            "account_identifier": "robin",
            "is_available": True,
            "access_token": open_seal(self.folder).close("token", self.connection_id),
            "created_at": NOW,
        }
        self.database.write_now(lambda rows: rows.execute(insert(connections).values(row)))

    def check(self) -> None:
        check_key(self.folder, self.database, NOW)

    async def token(self) -> str:
        platforms = Platforms({}, {})
        keeper = TokenKeeper(self.database, open_seal(self.folder), platforms, system_clock)
        return await keeper.access_token(self.connection_id)

    def is_available(self) -> bool:
        wanted = select(connections.c.is_available)
        return bool(self.database.read_now(lambda rows: rows.scalar(wanted)))

    def forget_check(self) -> None:
        """As databases of former versions are."""
        self.database.write_now(lambda rows: rows.execute(installation.delete()))


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Calendar]:
    calendar = Calendar(tmp_path / "data")
    with closing(calendar.database):
        yield calendar


def missing(key: Path) -> None:
    key.unlink()


def another(key: Path) -> None:
    key.write_bytes(bytes(32))


def cut_off(key: Path) -> None:
    key.write_bytes(key.read_bytes()[:20])


SPOILT = pytest.mark.parametrize(
    ("spoil", "words"),
    [(missing, "is missing"), (another, "encrypted with another key"), (cut_off, "is damaged")],
)


@pytest.mark.parametrize("is_former", [False, True])
@SPOILT
async def test_without_its_key_nothing_starts_and_nothing_is_lost(
    here: Calendar, spoil: Callable[[Path], None], words: str, is_former: bool
) -> None:
    if is_former:
        here.forget_check()
    key = here.folder.seal_key.read_bytes()
    spoil(here.folder.seal_key)
    left = here.folder.seal_key.read_bytes() if here.folder.seal_key.exists() else None
    for _ in range(2):
        with pytest.raises(CommandProblem, match=words) as said, here.installation.preparing(here.database):
            pytest.fail("it must not get this far")
        assert "backup" in str(said.value)
        assert "secrets reset" in str(said.value)
        assert str(here.folder.seal_key) in str(said.value)
    assert (here.folder.seal_key.read_bytes() if here.folder.seal_key.exists() else None) == left
    here.folder.seal_key.write_bytes(key)
    here.check()
    assert here.is_available()
    assert await here.token() == "token"


def test_the_program_says_it_and_ends(here: Calendar) -> None:
    here.folder.seal_key.unlink()
    assert "is missing" in complaint("serve", "--data", here.folder.root)
    assert not here.folder.seal_key.exists()


def test_a_lost_key_is_replaced_when_a_person_asks(here: Calendar) -> None:
    former = here.folder.seal_key.read_bytes()
    here.folder.apps.write_bytes(b"sealed apps")
    told = answer("secrets", "reset", "--data", here.folder.root)
    assert told == {"reset": True, "accounts_to_connect": 1}
    here.check()
    assert not here.is_available()
    kinds = here.database.read_now(lambda rows: rows.scalars(select(events.c.type)).all())
    assert kinds == ["connection.expired"]
    # Nothing that could be needed once more is gone.
    assert here.folder.seal_key.with_name("seal.key.before-1").read_bytes() == former
    assert here.folder.apps.with_name("apps.sealed.before-1").read_bytes() == b"sealed apps"
    assert not here.folder.apps.exists()
    here.folder.apps.write_bytes(b"others")
    answer("secrets", "reset", "--data", here.folder.root)
    assert here.folder.apps.with_name("apps.sealed.before-2").read_bytes() == b"others"


def test_a_new_installation_makes_its_key(tmp_path: Path) -> None:
    there = EmbeddedInstallation(tmp_path)
    with closing(there.open_database()) as database:
        for _ in range(2):
            with there.preparing(database):
                made = there.folder.seal_key.read_bytes()
        assert there.folder.seal_key.read_bytes() == made


def test_without_rows_sealed_apps_alone_ask_for_the_key(tmp_path: Path) -> None:
    there = EmbeddedInstallation(tmp_path)
    with closing(there.open_database()) as database:
        there.folder.apps.parent.mkdir()
        there.folder.apps.write_bytes(b"sealed")
        with pytest.raises(CommandProblem, match="is missing"):
            check_key(there.folder, database, NOW)


def test_one_damaged_row_is_not_another_key(here: Calendar) -> None:
    here.forget_check()
    row = {"account_id": here.account, "platform": "x", "is_available": True, "created_at": NOW}
    bad = {**row, "id": uuid4(), "account_identifier": "damaged", "access_token": bytes(60)}
    here.database.write_now(lambda rows: rows.execute(insert(connections).values(bad)))
    here.check()


async def test_a_token_that_does_not_open_ends_no_account(here: Calendar) -> None:
    damaged = update(connections).values(access_token=bytes(60))
    here.database.write_now(lambda rows: rows.execute(damaged))
    with pytest.raises(PlatformError) as error:
        await here.token()
    assert error.value.kind is FailureKind.TRANSIENT
    assert here.is_available()


def test_a_backup_without_keys_begins_with_a_new_one(here: Calendar) -> None:
    """As the desktop app puts one back on another computer."""
    here.folder.seal_key.unlink()
    here.folder.keep_restored(NOW)
    here.check()
    assert not here.is_available()
    look_into_past(here.folder, here.database, NOW, alone=True)
    here.folder.seal_key.unlink()
    with pytest.raises(CommandProblem, match="is missing"):
        here.check()  # once for each restore


def test_a_backup_without_keys_never_costs_sealed_apps(here: Calendar) -> None:
    here.folder.apps.write_bytes(b"sealed")
    here.folder.seal_key.unlink()
    here.folder.keep_restored(NOW)
    with pytest.raises(CommandProblem, match="is missing"):
        here.check()


async def test_sealed_apps_that_do_not_open_are_set_aside_before_others_are_kept(tmp_path: Path) -> None:
    path, right, wrong = tmp_path / "secrets" / "apps.sealed", Seal(bytes(32)), Seal(b"x" * 32)
    app = OwnApp("id", "secret")

    async def keep(seal: Seal, *apps: OwnApp) -> None:
        known = Apps(path, seal, {})
        for one in apps:
            await known.keep(X, one)

    await keep(right, app)
    sealed = path.read_bytes()
    await keep(wrong)
    assert path.read_bytes() == sealed
    await keep(wrong, OwnApp("other"), OwnApp("third"))
    assert [one.name for one in path.parent.iterdir() if one != path] == ["apps.sealed.before-1"]
    assert path.with_name("apps.sealed.before-1").read_bytes() == sealed
    path.with_name("apps.sealed.before-1").replace(path)
    assert Apps(path, right, {}).credentials[X].client_id == "id"
