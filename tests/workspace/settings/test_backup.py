"""A backup is made while others write, holds no secret, and is there whole or not at all."""

import errno
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from uuid import uuid4
from zipfile import ZipFile

import pytest

from app.workspace.homes import Homes
from app.workspace.messages import Problem
from app.workspace.settings import restore
from app.workspace.settings.backup import StoppedError, back_up
from tests.secrecy import FORMS
from tests.workspace.settings.folders import SEAL, everything, fill, filled, words_in, write


def quiet(_done: int, _total: int) -> None:
    """Nobody looks."""


def made(homes: Homes, to: Path) -> Path:
    back_up(homes, to, quiet, threading.Event())
    return to


@contextmanager
def writing(path: Path) -> Iterator[threading.Event]:
    """Adds rows all the time, each together with its count; the event says that some were added."""
    stop, going = threading.Event(), threading.Event()

    def work() -> None:
        with closing(sqlite3.connect(path, timeout=30)) as database:
            number = 0
            while not stop.is_set():
                with database:
                    database.execute("INSERT INTO posts VALUES (?)", (f"post {number}",))
                    database.execute("UPDATE total SET posts = posts + 1")
                number += 1
                going.set()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield going
    finally:
        stop.set()
        thread.join()


def test_a_backup_that_was_made_while_posts_were_written_is_as_of_one_moment(tmp_path: Path) -> None:
    homes, here, _there = filled(tmp_path / "data")
    live = homes.folder(here) / "service" / "service.db"
    with writing(live) as going:
        assert going.wait(30)
        backup = made(homes, tmp_path / "kept.zip")
    rows_at_the_end = len(words_in(live))

    other = Homes(tmp_path / "other")
    other.data.mkdir()
    restore.stage(other, backup, quiet, threading.Event())
    restore.finish(other.data)

    restored = other.folder(here) / "service" / "service.db"
    with closing(sqlite3.connect(restored)) as database:
        (total,) = database.execute("SELECT posts FROM total").fetchone()
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert 2 <= total == len(words_in(restored)) <= rows_at_the_end
    assert [home.name for home in other.all()] == ["Agency", "My calendar"]
    current = other.current()
    assert current is not None
    assert current.id == here.id


def test_files_of_the_service_and_waiting_uploads_are_in_it(tmp_path: Path) -> None:
    homes, here, there = filled(tmp_path / "data")
    with ZipFile(made(homes, tmp_path / "kept.zip")) as archive:
        names = set(archive.namelist())
        assert archive.testzip() is None
    root = f"homes/{here.id}"
    assert names == {
        "manifest.json",
        "homes.json",
        f"{root}/workspace.db",
        f"{root}/workspace.copies/crop.jpg",
        f"{root}/service/service.db",
        f"{root}/service/media/studio/coat.jpg",
        f"homes/{there.id}/workspace.db",
    }


def test_no_secret_is_in_it(tmp_path: Path) -> None:
    homes, _here, _there = filled(tmp_path / "data")
    with ZipFile(made(homes, tmp_path / "kept.zip")) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            assert not any(form.search(content) for form in FORMS), name
            assert SEAL not in content
            assert b"PRIVATE KEY" not in content
            assert b"shown to nobody" not in content


def test_one_that_is_given_up_leaves_nothing_and_what_was_there_before(tmp_path: Path) -> None:
    homes, _here, _there = filled(tmp_path / "data")
    to = tmp_path / "kept.zip"
    to.write_bytes(b"the one of yesterday")
    stop = threading.Event()
    with pytest.raises(StoppedError):
        back_up(homes, to, lambda _done, _total: stop.set(), stop)
    assert to.read_bytes() == b"the one of yesterday"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "kept.zip"]


def test_a_full_disk_leaves_no_half_file(tmp_path: Path) -> None:
    homes, _here, _there = filled(tmp_path / "data")
    to = tmp_path / "kept.zip"

    def fills_up(_done: int, _total: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(
        Problem, match=r"Not enough space for the backup.*the disk is full.*Nothing was left"
    ) as told:
        back_up(homes, to, fills_up, threading.Event())
    assert told.value.kind == "disk_full"
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_disk_without_the_room_is_said_before_anything_is_written(tmp_path: Path) -> None:
    homes, here, _there = filled(tmp_path / "data")
    huge = homes.folder(here) / "service" / "media" / "studio" / "film.mp4"
    with huge.open("wb") as file:
        try:
            file.truncate(2**43)  # a file with a hole, larger than any disk
        except OSError:
            pytest.skip("this file system has no holes")
    try:
        with pytest.raises(Problem, match="needed,") as told:
            made(homes, tmp_path / "kept.zip")
    finally:
        huge.unlink()  # nobody is to read through it
    assert told.value.kind == "disk_full"
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_folder_that_cannot_be_written_to_is_said_so(tmp_path: Path) -> None:
    homes, _here, _there = filled(tmp_path / "data")
    with pytest.raises(Problem, match=r"Couldn't write the backup to .*: it doesn't exist\. Choose"):
        made(homes, tmp_path / "missing" / "kept.zip")


def test_what_is_restored_takes_the_place_of_what_is_set_aside(tmp_path: Path) -> None:
    homes, here, there = filled(tmp_path / "data")
    backup = made(homes, tmp_path / "kept.zip")
    workspace = homes.folder(there) / "workspace.db"
    with closing(sqlite3.connect(workspace)) as database, database:
        database.execute("INSERT INTO posts VALUES ('written after the backup')")
    homes.rename(here, "Another name")

    restore.stage(homes, backup, quiet, threading.Event())
    assert words_in(workspace)[-1] == "written after the backup"
    began = datetime.now(UTC)
    aside = restore.finish(homes.data)

    assert words_in(workspace) == ["Agency"]
    assert [home.name for home in homes.all()] == ["Agency", "My calendar"]
    assert words_in(aside / "homes" / str(there.id) / "workspace.db")[-1] == "written after the backup"
    assert (homes.folder(here) / "service" / "secrets" / "seal.key").read_bytes() == SEAL
    assert "client_secret" in (homes.folder(here) / "service" / "service.toml").read_text("utf-8")
    assert not (homes.data / "restoring").exists()
    told = datetime.fromisoformat((homes.folder(here) / "service" / "restored").read_text("ascii"))
    assert began <= told <= datetime.now(UTC)


@pytest.mark.parametrize("moved", [0, 1, 2, 3])
def test_a_restore_that_ends_in_its_middle_is_finished_at_the_next_start(tmp_path: Path, moved: int) -> None:
    homes, here, there = filled(tmp_path / "data")
    backup = made(homes, tmp_path / "kept.zip")
    fill(homes.folder(here) / "later.db", "made after the backup")
    restore.stage(homes, backup, quiet, threading.Event())
    staged, data = homes.data / "restoring", homes.data
    aside = data / "set-aside" / (staged / "ready").read_text("ascii")
    aside.mkdir(parents=True)
    (staged / "begun").touch()
    steps = [(data, aside, "homes"), (staged, data, "homes"), (data, aside, "homes.json")]
    for source, target, name in steps[:moved]:
        (source / name).rename(target / name)

    assert restore.resume(data) == aside

    assert words_in(homes.folder(there) / "workspace.db") == ["Agency"]
    assert words_in(aside / "homes" / str(here.id) / "later.db") == ["made after the backup"]
    assert (aside / "homes.json").exists()
    assert len(homes.all()) == 2
    assert not staged.exists()


def test_a_calendar_begun_while_a_restore_is_interrupted_is_set_aside_as_well(tmp_path: Path) -> None:
    homes, here, _there = filled(tmp_path / "data")
    data = homes.data
    restore.stage(homes, made(homes, tmp_path / "kept.zip"), quiet, threading.Event())
    in_the_way = data / "set-aside"
    in_the_way.write_text("a file where the folder should be")
    with pytest.raises(Problem, match="will continue where it stopped") as told:
        restore.finish(data)
    assert told.value.kind == "restoring"
    in_the_way.unlink()
    aside = in_the_way / (data / "restoring" / "ready").read_text("ascii")
    aside.mkdir(parents=True)
    for name in ("homes", "homes.json"):
        (data / name).rename(aside / name)
    fill(data / "homes" / "begun.db", "begun since")
    write(data / "homes.json", b"{}")

    assert restore.resume(data) == aside

    assert [home.name for home in homes.all()] == ["Agency", "My calendar"]
    assert words_in(aside / "homes-2" / "begun.db") == ["begun since"]
    assert (aside / "homes-2.json").read_bytes() == b"{}"
    assert (aside / "homes" / str(here.id) / "workspace.db").exists()


def test_a_cancelled_check_that_is_still_ending_leaves_the_next_one_alone(tmp_path: Path) -> None:
    homes = filled(tmp_path / "data")[0]
    backup = made(homes, tmp_path / "kept.zip")
    stop, has_begun, goes_on = threading.Event(), threading.Event(), threading.Event()

    def hold(_done: int, _total: int) -> None:
        has_begun.set()
        goes_on.wait()

    def check() -> None:
        with pytest.raises(StoppedError):
            restore.stage(homes, backup, hold, stop)

    def check_again() -> None:
        restore.stage(homes, backup, quiet, threading.Event())

    first, second = threading.Thread(target=check), threading.Thread(target=check_again)
    first.start()
    has_begun.wait()
    stop.set()
    second.start()
    second.join(0.3)
    goes_on.set()
    first.join()
    second.join()
    restore.finish(homes.data)
    assert [home.name for home in homes.all()] == ["Agency", "My calendar"]


def test_what_was_tested_and_not_wanted_goes_and_nothing_else(tmp_path: Path) -> None:
    homes, _here, _there = filled(tmp_path / "data")
    backup = made(homes, tmp_path / "kept.zip")
    before = everything(homes.data)
    restore.stage(homes, backup, quiet, threading.Event())
    restore.resume(homes.data)
    assert everything(homes.data) == before


def test_files_with_any_name_come_back(tmp_path: Path) -> None:
    homes, here, _there = filled(tmp_path / "data")
    media = homes.folder(here) / "service" / "media"
    names = ["a b/ünï “x”.jpg", "emoji 🎉.png", "..hidden/...dots"]
    for name in names:
        write(media / name, name.encode())
    restore.stage(homes, made(homes, tmp_path / "kept.zip"), quiet, threading.Event())
    restore.finish(homes.data)
    assert [(media / name).read_bytes() for name in names] == [name.encode() for name in names]


def test_a_calendar_whose_first_start_failed_is_left_out(tmp_path: Path) -> None:
    """Its folder isn't in the list of calendars yet when the app is killed."""
    homes, here, there = filled(tmp_path / "data")
    unfinished = str(uuid4())
    fill(homes.data / "homes" / unfinished / "service" / "service.db", "half made")
    backup = made(homes, tmp_path / "kept.zip")
    with ZipFile(backup) as archive:
        assert not any(unfinished in name for name in archive.namelist())
    other = Homes(tmp_path / "other")
    restore.stage(other, backup, quiet, threading.Event())
    restore.finish(other.data)
    assert {path.name for path in (other.data / "homes").iterdir()} == {str(here.id), str(there.id)}


def test_a_calendar_that_is_removed_during_the_backup_is_still_in_its_list(tmp_path: Path) -> None:
    homes, _here, there = filled(tmp_path / "data")

    calls = count(1)

    def remove(_done: int, _total: int) -> None:
        if next(calls) == 4:  # after the three databases
            homes.remove(there)

    back_up(homes, tmp_path / "kept.zip", remove, threading.Event())
    other = Homes(tmp_path / "other")
    restore.stage(other, tmp_path / "kept.zip", quiet, threading.Event())
    restore.finish(other.data)
    assert there.id in {home.id for home in other.all()}
