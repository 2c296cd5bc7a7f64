"""API keys: in the keyring where it answers, else in a file that is the owner's alone."""

import asyncio
import threading
from pathlib import Path
from uuid import uuid4

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

from app.desktop.settings.calendars import removed_message
from app.workspace.homes import Home, HomeKind, Homes
from app.workspace.homes.credentials import Credentials, SecretStore, read_key_file
from app.workspace.homes.visit import Visits
from app.workspace.messages import Problem

KEY = "stp_rest_" + "0123456789abcdef" * 4


async def test_without_a_keyring_the_key_is_in_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    home = uuid4()

    credentials = Credentials(tmp_path)
    where, found = (await credentials.keep(home, KEY), await credentials.find(home))

    file = next((tmp_path / "keys").iterdir())
    assert found == KEY
    assert str(file) in where
    assert file.stat().st_mode & 0o077 == 0


async def test_a_home_without_a_key_has_none(tmp_path: Path) -> None:
    assert await Credentials(tmp_path).find(uuid4()) is None


def test_a_key_file_is_read_with_its_line_end(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(KEY + "\n")

    assert read_key_file(path) == KEY


@pytest.mark.parametrize("contents", ["", "secret", KEY[:-1], KEY.upper(), "\0"])
def test_what_is_not_a_key_is_refused_without_repeating_it(tmp_path: Path, contents: str) -> None:
    path = tmp_path / "key"
    path.write_text(contents)

    with pytest.raises(Problem) as refused:
        read_key_file(path)
    assert "secret" not in refused.value.text


def test_a_key_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="Couldn't read"):
        read_key_file(tmp_path / "missing")


async def test_a_place_that_takes_no_key_is_said_in_words_without_the_key(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("a file where the folder should be")

    with pytest.raises(Problem, match=r"Couldn't save the API key in .*: it already exists\.") as refused:
        await Credentials(tmp_path).keep(uuid4(), KEY)
    assert KEY not in refused.value.text + refused.value.details


class SlowKeyring(KeyringBackend):
    """Answers once it is let go, whether or not somebody still waits."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.asked, self.go = threading.Event(), threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        del service, username
        self.asked.set()
        self.go.wait(10)
        return KEY

    def set_password(self, service: str, username: str, password: str) -> None:
        del service, username, password

    def delete_password(self, service: str, username: str) -> None:
        del service, username


async def test_a_keyring_may_answer_when_the_app_is_gone(tmp_path: Path) -> None:
    """An error in its thread would fail this test."""
    before, slow = keyring.get_keyring(), SlowKeyring()

    async def leave_while_it_is_asked() -> None:
        asking = asyncio.create_task(Credentials(tmp_path).find(uuid4()))
        await asyncio.to_thread(slow.asked.wait, 10)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

    keyring.set_keyring(slow)
    try:
        await leave_while_it_is_asked()
        (thread,) = (one for one in threading.enumerate() if one.name == "keyring")
        slow.go.set()
        thread.join(10)
    finally:
        keyring.set_keyring(before)


class LockedKeyring(KeyringBackend):
    """Has a key, and refuses to delete it as long as it's locked."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.is_locked = True
        self.keys: dict[str, str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        del service
        if self.is_locked:
            raise KeyringLocked
        return self.keys.get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        del service
        self.keys[username] = password

    def delete_password(self, service: str, username: str) -> None:
        del service
        del self.keys[username]


async def test_a_locked_keyring_is_not_said_to_have_deleted_a_key(tmp_path: Path) -> None:
    before, locked = keyring.get_keyring(), LockedKeyring()
    visits = Visits(Homes(tmp_path), Credentials(tmp_path))
    homes = [Home(kind=HomeKind.REMOTE, name=name, base_url="https://a.example") for name in "ABC"]
    for home in homes:
        visits.homes.keep(home)
        locked.set_password("Kalends", str(home.id), KEY)
    try:
        keyring.set_keyring(locked)
        removed = await visits.forget(homes[0])
        assert removed.is_key_left
        assert locked.keys.keys() == {str(home.id) for home in homes}
        assert str(homes[0].id) in removed_message(removed).text
        locked.is_locked = False
        removed = await visits.forget(homes[1])
        assert (removed.is_key_left, removed_message(removed).kind) == (False, "info")
        assert locked.keys.keys() == {str(homes[0].id), str(homes[2].id)}
    finally:
        keyring.set_keyring(before)
    assert not (await visits.forget(homes[2])).is_key_left, "without a keyring there is nothing to delete"


class WatchfulKeyring(KeyringBackend):
    """Notes what a file contains when it gets a secret."""

    priority = 1

    def __init__(self, file: Path) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.file, self.key, self.was_in_file = file, "", ""

    def get_password(self, service: str, username: str) -> str | None:
        del service, username
        return self.key or None

    def set_password(self, service: str, username: str, password: str) -> None:
        del service, username
        self.key, self.was_in_file = password, self.file.read_text()

    def delete_password(self, service: str, username: str) -> None:
        del service, username


async def test_a_new_key_is_used_even_if_the_app_ends_before_the_old_file_is_deleted(tmp_path: Path) -> None:
    secrets = SecretStore(tmp_path)
    file = await secrets.keep("home", "old")
    assert file is not None
    before, watchful = keyring.get_keyring(), WatchfulKeyring(file)
    keyring.set_keyring(watchful)
    try:
        assert await secrets.keep("home", "new") is None
        assert watchful.was_in_file == "new"
        assert not file.exists()
        assert await secrets.find("home") == "new"
    finally:
        keyring.set_keyring(before)


async def test_a_damaged_key_file_counts_as_missing(tmp_path: Path) -> None:
    secrets = SecretStore(tmp_path)
    secrets.folder.mkdir()
    secrets.file("damaged").write_bytes(b"\xff\xfe\x00stp")
    assert await secrets.find("damaged") is None


async def test_a_key_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    secrets = SecretStore(tmp_path)
    secrets.file("a folder").mkdir(parents=True)
    with pytest.raises(Problem, match=r"a folder\.key can't be read\. Check its permissions"):
        await secrets.find("a folder")
