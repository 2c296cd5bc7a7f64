"""New keys for everything that is encrypted, on both databases, also after an interruption."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, LargeBinary, insert, select

from app.database import Database
from app.service import rotation
from app.service.accounts.accounts import Plan, create_account
from app.service.clock import system_clock
from app.service.connections.apps import APPS_ROW
from app.service.installation import ServerInstallation
from app.service.problems import CommandProblem
from app.service.rotation import SEALED, rotate_seal, rotate_signing
from app.service.seal_key import check_key
from app.service.store.folder import DataFolder
from app.service.store.seal import SealBrokenError, open_seal
from app.service.store.tables import connections, metadata, publication_steps, webhook_subscriptions
from tests.service.programs import answer, complaint, serving
from tests.stores import ON_BOTH, postgres_cluster, service_engine, service_store

NOW = system_clock()
pytestmark = ON_BOTH
_NOT_SEALED = {("deliveries", "request_body"), ("installation", "seal_check")}


class Secrets:
    """An installation with a token, an erased account, a webhook secret, an upload and apps."""

    def __init__(self, root: Path, database: Database) -> None:
        self.folder, self.database = DataFolder(root), database
        check_key(self.folder, database, NOW)
        seal = open_seal(self.folder)
        account_id = database.write_now(lambda rows: create_account(rows, "Ines", Plan.LOCAL, NOW))
        self.connection, self.erased, self.hook, self.post = (uuid4() for _ in range(4))
        shared = {"account_id": account_id, "created_at": NOW}
        of_x = {**shared, "platform": "x", "is_available": True}
        self._put(
            connections,
            **of_x,
            id=self.connection,
            account_identifier="a",
            access_token=seal.close("token", self.connection),
            refresh_token=seal.close("refresh", self.connection),
        )
        self._put(connections, **of_x, id=self.erased, account_identifier="b", access_token=b"")
        self._put(
            webhook_subscriptions,
            **shared,
            id=self.hook,
            url="https://hook.example",
            events=[],
            secret=seal.close("whsec", self.hook),
            active=True,
            failure_count=0,
            updated_at=NOW,
        )
        self._put(
            publication_steps, post_id=self.post, name="upload", value=seal.close("https://up", self.post)
        )
        self.folder.apps.write_bytes(seal.close("{}", APPS_ROW))

    def _put(self, table: Any, **row: Any) -> None:
        self.database.write_now(lambda rows: rows.execute(insert(table).values(row)))

    def read(self) -> list[str]:
        """Everything, decrypted with the installation's key."""
        seal = open_seal(self.folder)

        def opened(rows: Connection, column: Any, row_id: UUID, where: Any) -> str:
            return seal.open(rows.scalar(select(column).where(where == row_id)) or b"", row_id)

        def work(rows: Connection) -> list[str]:
            this = connections.c.id
            return [
                opened(rows, connections.c.access_token, self.connection, this),
                opened(rows, connections.c.refresh_token, self.connection, this),
                opened(rows, webhook_subscriptions.c.secret, self.hook, webhook_subscriptions.c.id),
                opened(rows, publication_steps.c.value, self.post, publication_steps.c.post_id),
            ]

        return [*self.database.read_now(work), seal.open(self.folder.apps.read_bytes(), APPS_ROW)]


ALL = ["token", "refresh", "whsec", "https://up", "{}"]


@pytest.fixture
def secrets(tmp_path: Path) -> Iterator[Secrets]:
    with closing(service_store(tmp_path)) as database:
        yield Secrets(tmp_path, database)


def test_every_secret_is_encrypted_with_a_new_key(secrets: Secrets) -> None:
    old_key, old = secrets.folder.seal_key.read_bytes(), open_seal(secrets.folder)
    assert secrets.read() == ALL

    assert rotate_seal(secrets.folder, secrets.database) == 4

    assert secrets.folder.seal_key.read_bytes() != old_key
    assert secrets.read() == ALL
    with pytest.raises(SealBrokenError):
        old.open(secrets.folder.apps.read_bytes(), APPS_ROW)
    check_key(secrets.folder, secrets.database, NOW)
    assert not secrets.folder.next_seal_key.exists()
    assert rotate_seal(secrets.folder, secrets.database) == 4
    assert secrets.read() == ALL


def test_every_encrypted_column_is_known() -> None:
    binary = {
        (table.name, column.name)
        for table in metadata.tables.values()
        for column in table.columns
        if isinstance(column.type, LargeBinary)
    }
    assert {(column.table.name, column.name) for column, _ in SEALED} == binary - _NOT_SEALED


@pytest.mark.parametrize("at", ["keep_key", "finish_rotation"])
def test_an_interruption_loses_nothing(secrets: Secrets, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """Before the transaction ends, and after it."""
    calls = iter([None] if at == "finish_rotation" else [])

    def killed(*_parts: Any) -> None:
        if next(calls, "now") == "now":
            raise KeyboardInterrupt

    monkeypatch.setattr(rotation, at, killed)
    with pytest.raises(KeyboardInterrupt):
        rotate_seal(secrets.folder, secrets.database)
    monkeypatch.undo()

    check_key(secrets.folder, secrets.database, NOW)  # as the next start does
    assert secrets.read() == ALL
    assert rotate_seal(secrets.folder, secrets.database) == 4
    assert secrets.read() == ALL


def test_keys_for_signing_are_replaced(secrets: Secrets) -> None:
    files = secrets.folder.cursor_key, secrets.folder.link_key
    rotate_signing(secrets.folder)
    before = [file.read_bytes() for file in files]
    rotate_signing(secrets.folder)

    assert [len(file.read_bytes()) for file in files] == [32, 32]
    assert all(file.read_bytes() != old for file, old in zip(files, before, strict=True))


@pytest.mark.only_on("postgresql")
def test_programs_on_a_server_must_have_ended(secrets: Secrets, tmp_path: Path) -> None:
    engine = service_engine(tmp_path)
    with engine.connect(), pytest.raises(CommandProblem, match="Stop every serve and worker"):
        rotate_seal(secrets.folder, secrets.database)
    engine.dispose()
    assert secrets.read() == ALL


@pytest.mark.only_on("postgresql")
@pytest.mark.parametrize("command", ["rotate", "reset"])
@pytest.mark.parametrize("named", ["", "&application_name=plan"])
def test_no_key_is_replaced_while_programs_use_a_server(tmp_path: Path, command: str, named: str) -> None:
    """Also if the address names the programs, which then all have the same name."""
    config, url = tmp_path / "kalends.toml", postgres_cluster().create_database()
    config.write_text(f"[server]\ndatabase_url = '{url}{named}'\n", "utf-8")
    with closing(ServerInstallation(config).open_database()) as running:
        running.read_now(lambda rows: rows.execute(select(1)))
        assert "Stop every serve and worker" in complaint("secrets", command, "--config", config)
    answer("secrets", command, "--config", config)


@pytest.mark.only_on("sqlite")
def test_the_command_needs_the_folder_for_itself(data: Path, account: str, key: str) -> None:
    assert account
    with serving(data) as service:
        assert "in use" in complaint("secrets", "rotate", "--data", data, code=75)
        assert service.end() == 0
    assert answer("secrets", "rotate", "--data", data) == {"rotated": 0}
    with serving(data) as service, service.client(key) as http:
        assert http.get("/posts").status_code == 200


@pytest.mark.only_on("postgresql")
def test_the_command_works_on_a_server(tmp_path: Path) -> None:
    config = tmp_path / "kalends.toml"
    config.write_text("[server]\nfolder = 'state'\n", "utf-8")
    place = ("--config", config, "--database-url", postgres_cluster().create_database())
    answer("account", "create", *place, "--name", "Ines")

    assert answer("secrets", "rotate", *place) == {"rotated": 0}
    assert answer("secrets", "rotate", *place) == {"rotated": 0}
