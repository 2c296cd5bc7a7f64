"""What a server install is told, and what is said when that is not enough."""

from argparse import Namespace
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from app.database import DatabaseError, DatabaseUnreachableError
from app.service.accounts.accounts import Plan, create_account, name_of
from app.service.cli import main
from app.service.clock import system_clock
from app.service.commands.arguments import installation
from app.service.installation import EmbeddedInstallation, ServerInstallation
from app.service.problems import CommandProblem, FolderInUseProblem
from app.service.store.seal import open_seal
from tests.service.programs import answer, complaint, serving
from tests.stores import postgres_cluster


def written(folder: Path, *lines: str) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / "server.toml"
    file.write_text("\n".join(["[server]", *lines]), encoding="utf-8")
    return file


@pytest.fixture
def url() -> str:
    return postgres_cluster().create_database()


def test_commands_work_on_what_the_settings_name(tmp_path: Path, url: str) -> None:
    config = written(tmp_path, f"database_url = '{url}'", "folder = 'state'")
    account = answer("account", "create", "--config", config, "--name", "Ines")["account_id"]
    assert answer("key", "create", "--config", config, "--account", account)["key"].startswith("stp_rest_")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["server.toml"]


def test_a_new_account_of_a_server_is_not_its_owner(tmp_path: Path, url: str) -> None:
    config = written(tmp_path, f"database_url = '{url}'")
    for more, plan in (((), "free"), (("--plan", "local"), "local")):
        account = answer("account", "create", "--config", config, "--name", "Ines", *more)["account_id"]
        assert answer("account", "set", "--config", config, "--account", account)["plan"] == plan


def test_the_account_of_a_data_folder_is_its_owner(tmp_path: Path) -> None:
    account = answer("account", "create", "--data", tmp_path, "--name", "Ines")["account_id"]
    assert answer("account", "set", "--data", tmp_path, "--account", account)["plan"] == "local"


def test_the_command_line_names_another_database(tmp_path: Path, url: str) -> None:
    config = written(tmp_path, "database_url = 'postgresql://nobody@nowhere.invalid/none'")
    there = ServerInstallation(config, url)
    with closing(there.open_database()) as database:
        now = system_clock()
        account = database.write_now(lambda rows: create_account(rows, "Ines", Plan.LOCAL, now))
        assert database.read_now(lambda rows: name_of(rows, account)) == "Ines"
    assert there.folder.root == tmp_path


def test_a_password_is_taken_from_the_settings_and_never_from_the_command_line(tmp_path: Path) -> None:
    secret = "postgresql://kalends:needle@nowhere.invalid/kalends"
    config = written(tmp_path, f"database_url = '{secret}'")
    with pytest.raises(DatabaseUnreachableError, match=r"nowhere\.invalid") as unreachable:
        ServerInstallation(config).open_database()
    assert "needle" not in str(unreachable.value)
    refused = complaint("account", "create", "--config", config, "--database-url", secret, "--name", "Ines")
    assert "on the command line" in refused
    assert "needle" not in refused


def test_a_password_comes_from_a_file_that_the_address_names(tmp_path: Path, url: str) -> None:
    """The cluster of tests asks for none, so what is tried is that the file is taken for one."""
    passwords = tmp_path / "pgpass"
    passwords.write_text("*:*:*:*:needle\n", encoding="utf-8")
    passwords.chmod(0o600)
    there = ServerInstallation(written(tmp_path), f"{url}&passfile={passwords}")
    with closing(there.open_database()) as database:
        assert database.engine.raw_connection().dbapi_connection.info.password == "needle"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((), "No database is set"),
        (("database_url = 'mysql://needle@h/db'",), "looks like postgresql://"),
        (("database_url = 5",), "server.database_url"),
        (("adress = 'x'",), "server.adress"),
    ],
)
def test_settings_that_are_not_enough_are_said(tmp_path: Path, lines: tuple[str, ...], words: str) -> None:
    with pytest.raises((CommandProblem, DatabaseError), match=words) as said:
        ServerInstallation(written(tmp_path, *lines))
    assert "needle" not in str(said.value)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ({"config": Path("missing.toml")}, "There is no settings file"),
        ({"data": Path("folder"), "database_url": "postgresql://h/db"}, "--config FILE"),
    ],
)
def test_a_place_that_is_none_is_said(place: dict[str, object], words: str) -> None:
    nothing = {"data": None, "config": None, "database_url": None}
    with pytest.raises(CommandProblem, match=words):
        installation(Namespace(**(nothing | place)))


@pytest.mark.parametrize("arguments", [(), ("--data", "a", "--config", "b")])
def test_one_place_is_needed(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["worker", *arguments])
    assert "--config" in capsys.readouterr().err


def test_a_folder_of_a_server_is_no_data_folder(tmp_path: Path) -> None:
    (tmp_path / "service.toml").write_text("[server]\n", encoding="utf-8")
    with pytest.raises(CommandProblem, match="--config"):
        _ = EmbeddedInstallation(tmp_path).settings


def test_a_worker_beside_the_service_of_a_data_folder_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        said = complaint("worker", "--data", tmp_path, code=FolderInUseProblem.exit_code)
        assert service.base_url in said
        assert "a data folder has one process" in said


def test_a_process_with_another_key_does_not_start(tmp_path: Path, url: str) -> None:
    first, second = (ServerInstallation(written(tmp_path / name), url) for name in ("first", "second"))
    with closing(first.open_database()) as database:
        for _ in range(2):
            with first.preparing(database):
                pass
        with pytest.raises(CommandProblem, match="Copy the folder secrets"), second.preparing(database):
            pytest.fail("it must not get this far")
        assert not second.folder.seal_key.exists()  # it makes none of its own
        second.folder.seal_key.parent.mkdir(parents=True)
        second.folder.seal_key.write_bytes(bytes(32))
        with pytest.raises(CommandProblem, match="encrypted with another key"), second.preparing(database):
            pytest.fail("it must not get this far")
        second.folder.seal_key.write_bytes(first.folder.seal_key.read_bytes())
        with second.preparing(database):
            pass


def test_processes_that_start_at_once_make_one_key(tmp_path: Path, url: str) -> None:
    config = written(tmp_path)
    seals: list[bytes] = []

    def start() -> None:
        there = ServerInstallation(config, url)
        with there.held(), closing(there.open_database()) as database, there.preparing(database):
            open_seal(there.folder)
            seals.append(there.folder.seal_key.read_bytes())

    threads = [Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seals) == 4
    assert len(set(seals)) == 1
