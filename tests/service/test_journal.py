"""The journal of publishing calls: what is in it stays, whatever happens to the folder."""

import asyncio
import os
import shutil
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.service.store.journal import SendJournal, Sent, open_journal, outside
from tests.service.programs import unix_only

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)


def call(number: int = 0) -> Sent:
    return Sent(uuid4(), uuid4(), NOW + timedelta(milliseconds=number))


async def test_what_is_noted_is_read_in_its_order(tmp_path: Path) -> None:
    calls = [call(-number) for number in range(5)]  # a clock that goes back changes nothing
    journal = open_journal(tmp_path)
    for one in calls:
        await SendJournal([tmp_path / "sent.log", outside(tmp_path)]).note(one)
    assert journal.read(NOW).all() == calls


def test_nothing_noted_is_nothing_read(tmp_path: Path) -> None:
    assert open_journal(tmp_path).read(NOW).all() == []


async def test_calls_that_wait_together_are_all_there_when_each_goes_on(tmp_path: Path) -> None:
    journal, calls = open_journal(tmp_path), [call(number) for number in range(40)]

    async def note(one: Sent) -> None:
        await journal.note(one)
        assert one in journal.read(NOW).all()

    await asyncio.gather(*map(note, calls))
    assert journal.read(NOW).all() == calls
    groups = (tmp_path / "sent.log").read_text().count("\n\n") + 1
    assert groups < len(calls)  # they shared flushes


def test_it_outlives_a_folder_that_is_replaced(tmp_path: Path) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy"
    data.mkdir()
    before, after = call(1), call(2)
    open_journal(data).write([before])
    shutil.copytree(data, copy)
    open_journal(data).write([after])
    shutil.rmtree(data)
    shutil.copytree(copy, data)
    assert open_journal(data).read(NOW).all() == [before, after]


def test_the_latest_calls_are_those_of_each_file(tmp_path: Path) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy"
    data.mkdir()
    calls = [call(number) for number in range(9)]
    open_journal(data).write(calls[:3])
    shutil.copytree(data, copy)
    open_journal(data).write(calls[3:6])  # only outside the folder
    shutil.rmtree(data)
    shutil.copytree(copy, data)
    open_journal(data).write(calls[6:])
    assert set(calls[6:]) <= set(open_journal(data).read(NOW).latest(3))
    assert set(open_journal(data).read(NOW).all()) == set(calls)


def test_it_moves_with_its_folder(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    one = call()
    open_journal(data).write([one])
    data.rename(tmp_path / "elsewhere")
    assert open_journal(tmp_path / "elsewhere").read(NOW).all() == [one]


def test_the_same_folder_has_the_same_journal_by_any_name(tmp_path: Path) -> None:
    data, link = tmp_path / "data", tmp_path / "link"
    data.mkdir()
    link.symlink_to(data)
    assert outside(link) == outside(data)
    assert outside(tmp_path / "other") != outside(data)


@given(torn=st.binary(max_size=90))
def test_half_a_line_costs_no_other(tmp_path_factory: pytest.TempPathFactory, torn: bytes) -> None:
    folder = tmp_path_factory.mktemp("data")
    journal = SendJournal([folder / "sent.log"])
    first, second = call(1), call(2)
    journal.write([first])
    with (folder / "sent.log").open("ab") as file:
        file.write(torn)
    journal.write([second])
    read = journal.read(NOW).all()
    assert read[0] == first
    assert read[-1] == second


def test_a_line_cut_anywhere_is_left_out(tmp_path: Path) -> None:
    journal = SendJournal([tmp_path / "sent.log"])
    first, second = call(1), call(2)
    journal.write([first, second])
    content = (tmp_path / "sent.log").read_bytes()
    for length in range(len(content) - len(second.line), len(content) - 1):
        (tmp_path / "sent.log").write_bytes(content[:length])
        assert journal.read(NOW).all() == [first]


def test_calls_of_long_ago_are_forgotten(tmp_path: Path) -> None:
    journal, one = SendJournal([tmp_path / "sent.log"]), call()
    journal.write([one])
    assert journal.read(NOW + timedelta(days=89)).all() == [one]
    assert journal.read(NOW + timedelta(days=91)).all() == []


def test_a_large_file_is_turned_over_and_still_read(tmp_path: Path) -> None:
    journal, first, second = SendJournal([tmp_path / "sent.log"]), call(1), call(2)
    journal.write([first])
    with (tmp_path / "sent.log").open("ab") as file:
        file.write(b"\n" * 4 * 1024 * 1024)
    journal.rotate()
    assert not (tmp_path / "sent.log").exists()
    journal.write([second])
    journal.rotate()  # a small one stays
    assert journal.read(NOW).all() == [first, second]
    assert (tmp_path / "sent.log").exists()


@pytest.mark.parametrize("refusing", [0, 1])
def test_a_place_that_refuses_stops_neither_publishing_nor_the_other(tmp_path: Path, refusing: int) -> None:
    (tmp_path / "no folder").write_text("")
    files = [tmp_path / "one" / "sent.log", tmp_path / "two" / "sent.log"]
    files[refusing] = tmp_path / "no folder" / "sent.log"
    one = call()
    SendJournal(files).write([one])
    assert SendJournal([files[1 - refusing]]).read(NOW).all() == [one]


@unix_only
def test_it_is_the_owners_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        SendJournal([tmp_path / "folder" / "sent.log"]).write([call()])
    finally:
        os.umask(old)
    for path in (tmp_path / "folder", tmp_path / "folder" / "sent.log"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
