"""What is wrong at a start is said in a sentence, and nothing is touched."""

import socket
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import pytest

from tests.service.programs import (
    AS_ROOT,
    complaint,
    run,
    unix_only,
)

CHANGES = pytest.mark.parametrize(
    "arguments",
    [
        ("account", "set", "--account", str(uuid4()), "--status", "active"),
        ("key", "create", "--account", str(uuid4())),
        ("key", "revoke", "--key-id", str(uuid4())),
    ],
)


@CHANGES
@pytest.mark.usefixtures("account")
def test_what_does_not_exist_is_said(data: Path, arguments: Sequence[str]) -> None:
    assert complaint(*arguments, "--data", data).startswith(("There is no account ", "There is no key "))


@CHANGES
def test_a_mistyped_folder_becomes_no_installation(data: Path, arguments: Sequence[str]) -> None:
    assert f"no service in the folder {data}" in complaint(*arguments, "--data", data)
    assert not data.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("account", "create", "--name", "  "),
        ("account", "create", "--name", "Ines\nDuarte"),
        ("account", "create", "--name", "Ines \udcff"),
        ("account", "create", "--name", "x", "--plan", "gold"),
        ("account", "set", "--account", str(uuid4()), "--storage-cap", str(2**63)),
        ("account", "set", "--account", "me"),
        ("key", "create", "--account", str(uuid4()), "--expires-at", "2031-01-01"),
        ("serve", "--port", "70000"),
        ("serve", "--practice-url", "localhost"),
        (),
    ],
)
def test_a_wrong_command_line_changes_nothing(data: Path, arguments: Sequence[str]) -> None:
    run(*arguments, *(("--data", data) if arguments else ()), code=2)
    assert not data.exists()


def test_a_taken_port_is_said(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = complaint("serve", "--data", data, "--port", str(port), code=69)

    assert f"Port {port} on 127.0.0.1" in said


@pytest.mark.parametrize("host", ["nowhere.invalid", "192.0.2.1"])
def test_a_host_that_is_not_this_machine_is_said(data: Path, host: str) -> None:
    assert f"host {host}" in complaint("serve", "--data", data, "--host", host)


def test_a_folder_that_is_a_file_is_said(data: Path) -> None:
    data.write_text("mine", encoding="utf-8")

    assert str(data) in complaint("serve", "--data", data)
    assert data.read_text(encoding="utf-8") == "mine"


@unix_only
@pytest.mark.skipif(AS_ROOT, reason="root may write everywhere")
def test_a_folder_that_is_not_writable_is_said(data: Path) -> None:
    data.mkdir(mode=0o500)

    assert str(data) in complaint("serve", "--data", data)


@pytest.mark.parametrize("page", [0, 1, 5, 20])
@pytest.mark.usefixtures("account")
def test_a_damaged_database_is_said_and_left_alone(data: Path, page: int) -> None:
    file = data / "service.db"
    content = bytearray(file.read_bytes())
    content[page * 4096 : (page + 1) * 4096] = b"\xa5" * 4096
    file.write_bytes(content)

    said = complaint("serve", "--data", data)

    assert "is damaged. Restore it from a backup" in said
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("callback_port = ", "can't be read"),
        ("callback_port = 'many'", "invalid at callback_port"),
        ("[platforms.myspace]\nclient_id = 'x'", "platforms.myspace"),
        ("colour = 'red'", "invalid at colour"),
    ],
)
def test_wrong_settings_are_said(data: Path, content: str, words: str) -> None:
    data.mkdir()
    (data / "service.toml").write_text(content)

    assert words in complaint("serve", "--data", data)


def test_a_secret_in_wrong_settings_is_not_repeated(data: Path) -> None:
    data.mkdir()
    (data / "service.toml").write_text("[platforms.x]\nclient_secret = 'needle'")

    assert "needle" not in complaint("serve", "--data", data)


def test_a_full_disk_stops_a_start_with_a_sentence(small_disk: Path) -> None:
    (small_disk / "filler").write_bytes(b"x" * (2 * 1024 * 1024 - 8192))

    assert "full" in complaint("serve", "--data", small_disk / "data").replace("No space left", "full")
