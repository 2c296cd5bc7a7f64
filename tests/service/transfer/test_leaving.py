"""Accounts that are taken back during their export, or that have left already."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.exc import OperationalError

from app.service.accounts.accounts import Plan, create_account
from app.service.problems import CommandProblem
from app.service.store.tables import accounts, media, posts
from app.service.transfer import handover
from app.service.transfer.checking import Rooms
from app.service.transfer.exporting import export_account
from app.service.transfer.importing import import_account
from app.service.transfer.manifest import ExportFolder
from tests.service.programs import answer
from tests.service.transfer.household import NOW, PASSPHRASE, Home, fill, home
from tests.stores import chosen, service_engine, take_back


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Home]:
    with home(tmp_path / "here", "sqlite") as it:
        yield it


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Home]:
    with home(tmp_path / "elsewhere", "sqlite") as it:
        yield it


def planned(there: Home) -> int:
    """Counts the posts that an installation would publish."""
    found = (
        select(func.count())
        .select_from(posts.join(accounts, accounts.c.id == posts.c.account_id))
        .where(posts.c.status == "scheduled", accounts.c.moved_at.is_(None))
    )
    return int(there.database.read_now(lambda rows: rows.scalar(found)) or 0)


def leave(there: Home, account: UUID, folder: Path) -> ExportFolder:
    export = ExportFolder(folder)
    export_account(there.source, account, export, PASSPHRASE, 0)
    return export


def during_the_copy(there: Home, monkeypatch: pytest.MonkeyPatch, meanwhile: Any) -> None:
    """Lets something happen once while the files of an export are copied."""
    real = there.store.open_at
    todo = [meanwhile]

    def open_at(*arguments: Any, **more: Any) -> Any:
        if todo:
            todo.pop()()
        return real(*arguments, **more)

    monkeypatch.setattr(there.store, "open_at", open_at)


def test_an_export_is_not_completed_after_the_account_was_taken_back(
    here: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    account = fill(here, 6)
    count = planned(here)
    during_the_copy(
        here,
        monkeypatch,
        lambda: here.database.write_now(lambda rows: handover.take_back(rows, account)),
    )
    with pytest.raises(CommandProblem, match="taken back"):
        leave(here, account, tmp_path / "export")
    assert ExportFolder(tmp_path / "export").read_manifest() is None
    assert planned(here) == count


def test_only_one_of_two_exports_of_an_account_is_completed(
    here: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    account = fill(here, 6)

    def export_again() -> None:
        with ThreadPoolExecutor(1) as threads:
            threads.submit(leave, here, account, tmp_path / "other").result()

    during_the_copy(here, monkeypatch, export_again)
    with pytest.raises(CommandProblem, match="exported again"):
        leave(here, account, tmp_path / "export")
    assert ExportFolder(tmp_path / "other").read_manifest() is not None
    assert ExportFolder(tmp_path / "export").read_manifest() is None


def test_an_account_that_has_left_is_not_exported_again(here: Home, tmp_path: Path) -> None:
    account = fill(here, 3)
    leave(here, account, tmp_path / "one")
    with pytest.raises(CommandProblem, match="take it back first"):
        leave(here, account, tmp_path / "two")
    here.database.write_now(lambda rows: handover.take_back(rows, account))
    assert leave(here, account, tmp_path / "two").read_manifest() is not None


def test_a_file_that_left_before_it_was_probed_is_probed_where_it_arrives(
    here: Home, elsewhere: Home, tmp_path: Path
) -> None:
    account = fill(here, 3)
    first, *others = here.database.read_now(
        lambda rows: rows.scalars(select(media.c.id).order_by(media.c.id)).all()
    )
    unprobed = update(media).where(media.c.id == first).values(width=None, probe_after=NOW)
    here.database.write_now(lambda rows: rows.execute(unprobed))
    import_account(elsewhere.target, leave(here, account, tmp_path / "one"), PASSPHRASE, Rooms(Plan.LOCAL))

    due = select(media.c.id).where(media.c.probe_after.is_not(None))
    assert elsewhere.database.read_now(lambda rows: rows.scalars(due).all()) == [first]
    assert others


def test_all_accounts_are_those_that_are_here(here: Home, elsewhere: Home, tmp_path: Path) -> None:
    account = fill(here, 6)
    count = planned(here)
    import_account(elsewhere.target, leave(here, account, tmp_path / "one"), PASSPHRASE, Rooms(Plan.LOCAL))
    other = here.database.write_now(lambda rows: create_account(rows, "Robin", Plan.LOCAL, NOW))

    exported = answer("export", "--data", here.root, "--all", "--to", tmp_path / "all", "--without-secrets")
    assert [one["account_id"] for one in exported["exported"]] == [str(other)]
    assert exported["elsewhere"] == [str(account)]
    again = answer("export", "--data", here.root, "--all", "--to", tmp_path / "all", "--without-secrets")
    assert again == exported

    back = answer("export", "--data", here.root, "--all", "--to", tmp_path / "all", "--cancel")
    assert back == {"cancelled": [str(other)]}
    assert (planned(here), planned(elsewhere)) == (0, count)


@pytest.mark.parametrize("second", [handover.take_back, handover.leave])
def test_one_program_takes_back_and_another_completes_one_after_the_other(
    tmp_path: Path, second: Any
) -> None:
    """PostgreSQL alone: SQLite has one writer at a time."""
    with chosen("postgresql"):
        engine, export = service_engine(tmp_path), uuid4()
        with engine.begin() as rows:
            account = create_account(rows, "Ines", Plan.LOCAL, NOW)
            handover.begin_leaving(rows, account, export, NOW)
        first = handover.leave if second is handover.take_back else handover.take_back
        given = {handover.leave: (account, export), handover.take_back: (account,)}
        with engine.begin() as one, engine.begin() as two:
            first(one, *given[first])
            two.execute(text("SET LOCAL lock_timeout = '100ms'"))
            with pytest.raises(OperationalError, match="lock timeout"):
                second(two, *given[second])
        engine.dispose()
    take_back(tmp_path)
