"""The list of homes survives, and says plainly when it cannot be read."""

import errno
from pathlib import Path

import pytest

from app.workspace.homes import Home, HomeKind, Homes
from app.workspace.messages import Problem


def test_a_kept_home_is_the_current_one_after_a_restart(tmp_path: Path) -> None:
    here = Home(kind=HomeKind.EMBEDDED, name="My calendar")
    there = Home(kind=HomeKind.REMOTE, name="Studio", base_url="https://plan.example.com")
    homes = Homes(tmp_path / "data")
    homes.keep(there)
    homes.keep(here)

    again = Homes(tmp_path / "data")

    assert again.current() == here
    assert again.all() == [there, here]


def test_keeping_a_home_again_replaces_it(tmp_path: Path) -> None:
    homes = Homes(tmp_path)
    home = Home(kind=HomeKind.EMBEDDED, name="My calendar")
    homes.keep(home)
    homes.keep(home.model_copy(update={"name": "Studio"}))

    assert [each.name for each in homes.all()] == ["Studio"]


def test_there_is_no_current_home_at_first(tmp_path: Path) -> None:
    assert Homes(tmp_path).current() is None


def test_a_damaged_list_is_left_alone_and_named(tmp_path: Path) -> None:
    (tmp_path / "homes.json").write_text("{ not json")

    with pytest.raises(Problem, match=r"can't read the list of calendars in .*homes\.json"):
        Homes(tmp_path).all()
    assert (tmp_path / "homes.json").read_text() == "{ not json"


def test_a_folder_that_cannot_be_written_is_said_in_words(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")

    with pytest.raises(Problem, match="cannot"):
        Homes(blocked).keep(Home(kind=HomeKind.EMBEDDED, name="My calendar"))


def test_a_home_keeps_its_place_and_its_new_name(tmp_path: Path) -> None:
    homes = Homes(tmp_path)
    first, second = (Home(kind=HomeKind.EMBEDDED, name=name) for name in ("First", "Second"))
    homes.keep(first)
    homes.keep(second)

    renamed = homes.rename(first, "  Winter \n studio ")
    homes.keep(renamed.model_copy(update={"service_port": 4_711}))

    assert [home.name for home in homes.all()] == ["Winter studio", "Second"]
    assert homes.name_of(first) == "Winter studio"
    current = homes.current()
    assert current is not None
    assert current.id == first.id


def test_a_name_of_nothing_is_refused(tmp_path: Path) -> None:
    homes, home = Homes(tmp_path), Home(kind=HomeKind.EMBEDDED, name="Mine")
    homes.keep(home)
    with pytest.raises(Problem, match="needs a name"):
        homes.rename(home, " \t ")
    assert homes.all() == [home]


def test_what_is_removed_is_set_aside_and_the_next_start_asks(tmp_path: Path) -> None:
    homes, home = Homes(tmp_path), Home(kind=HomeKind.EMBEDDED, name="Mine")
    homes.keep(home)
    (homes.folder(home) / "service").mkdir(parents=True)
    (homes.folder(home) / "service" / "service.db").write_bytes(b"posts")

    aside = homes.remove(home)

    assert aside is not None
    assert (aside / "service" / "service.db").read_bytes() == b"posts"
    assert homes.all() == []
    assert homes.current() is None


def test_the_next_start_opens_the_calendar_that_is_opened_after_a_removal(tmp_path: Path) -> None:
    homes = Homes(tmp_path)
    first, second, third = (Home(kind=HomeKind.EMBEDDED, name=name) for name in ("A", "B", "C"))
    for home in (first, second, third):
        homes.keep(home)
    homes.remove(third)
    assert homes.current() == second
    homes.remove(first)
    assert homes.current() == second


def test_what_cannot_be_set_aside_stays_in_the_list(tmp_path: Path) -> None:
    homes, home = Homes(tmp_path), Home(kind=HomeKind.EMBEDDED, name="Mine")
    homes.keep(home)
    homes.folder(home).mkdir(parents=True)
    (tmp_path / "removed").write_text("a file where the folder should be")

    with pytest.raises(Problem, match=r"Couldn't move the files of .*: it already exists\. Nothing was"):
        homes.remove(home)
    assert homes.current() == home
    assert homes.folder(home).is_dir()


def test_a_removal_that_is_cut_short_can_be_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    homes, home = Homes(tmp_path), Home(kind=HomeKind.EMBEDDED, name="Mine")
    homes.keep(home)
    homes.folder(home).mkdir(parents=True)

    def die(_file: int) -> None:
        raise SystemExit

    with monkeypatch.context() as cut:
        cut.setattr("os.fsync", die)
        with pytest.raises(SystemExit):
            homes.remove(home)
    assert homes.all() == [home]
    assert not homes.folder(home).exists()
    aside = homes.remove(home)
    assert homes.all() == []
    assert aside is not None
    assert aside.is_dir()


def test_the_files_of_a_home_that_cannot_be_taken_from_the_list_are_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    homes, home = Homes(tmp_path), Home(kind=HomeKind.EMBEDDED, name="Mine")
    homes.keep(home)
    homes.folder(home).mkdir(parents=True)

    def refuse(_file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("os.fsync", refuse)
        with pytest.raises(Problem, match="Kalends can't write"):
            homes.remove(home)
    assert homes.all() == [home]
    assert homes.folder(home).is_dir()
