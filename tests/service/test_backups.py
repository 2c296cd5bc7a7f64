"""Backups of a data folder: made while the service runs, put back, and refused when they are damaged."""

import os
import stat
import zipfile
from pathlib import Path

import pytest

from app.service.problems import FolderInUseProblem
from tests.service.programs import answer, complaint, connect, serving, unix_only


def test_a_backup_made_while_it_serves_brings_everything_back(data: Path, account: str, key: str) -> None:
    backup = data.parent / "backup.zip"
    connection_id = connect(data, account)
    body = {
        "social_account_id": connection_id,
        "platform": "linkedin",
        "post_type": "text",
        "description": "Kept",
        "scheduled_at": "2031-01-01T12:00:00Z",
    }
    with serving(data) as service, service.client(key) as http:
        kept = http.post("/posts", json=body).json()["id"]
        (data / "media" / "someone").mkdir(parents=True)
        (data / "media" / "someone" / "picture.jpg").write_bytes(b"picture")
        made = answer("backup", "--data", data, "--to", backup)
        later = http.post("/posts", json=body).json()["id"]
        busy = complaint("restore", "--data", data, "--from", backup, code=FolderInUseProblem.exit_code)
        assert service.base_url in busy
    assert made == {"file": str(backup), "size_bytes": backup.stat().st_size}
    (data / "media" / "someone" / "picture.jpg").unlink()
    (data / "secrets" / "seal.key").unlink()

    told = answer("restore", "--data", data, "--from", backup)

    assert told["keys_revoked"] == 1
    assert Path(told["set_aside"], "service.db").exists()
    assert (data / "media" / "someone" / "picture.jpg").read_bytes() == b"picture"
    new = answer("key", "create", "--data", data, "--account", account)["key"]
    with serving(data) as service, service.client(key) as former, service.client(new) as http:
        assert former.get("/usage").status_code == 401
        assert http.get(f"/posts/{kept}").status_code == 200
        assert http.get(f"/posts/{later}").status_code == 404


def test_a_backup_comes_back_in_an_empty_folder(data: Path, account: str, tmp_path: Path) -> None:
    backup = tmp_path / "backup.zip"
    answer("backup", "--data", data, "--to", backup)
    told = answer("restore", "--data", tmp_path / "elsewhere", "--from", backup)
    assert told["set_aside"] is None
    found = answer("account", "list", "--data", tmp_path / "elsewhere")["accounts"]
    assert [one["account_id"] for one in found] == [account]
    assert (tmp_path / "elsewhere" / "restored").exists()


@pytest.mark.usefixtures("account")
def test_files_older_than_zip_knows_are_backed_up(data: Path, tmp_path: Path) -> None:
    picture = data / "media" / "someone" / "picture.jpg"
    picture.parent.mkdir(parents=True)
    picture.write_bytes(b"picture")
    os.utime(picture, (0, 0))
    answer("backup", "--data", data, "--to", tmp_path / "backup.zip")
    answer("restore", "--data", tmp_path / "there", "--from", tmp_path / "backup.zip")
    assert (tmp_path / "there" / "media" / "someone" / "picture.jpg").read_bytes() == b"picture"


@unix_only
@pytest.mark.usefixtures("account")
def test_a_file_that_cannot_be_ours_is_left_out(data: Path, tmp_path: Path) -> None:
    folder = data / "media" / "someone"
    folder.mkdir(parents=True)
    (folder / "picture.jpg").write_bytes(b"picture")
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.jpg")).write_bytes(b"not UTF-8")
    answer("backup", "--data", data, "--to", tmp_path / "backup.zip")
    with zipfile.ZipFile(tmp_path / "backup.zip") as archive:
        media = [name for name in archive.namelist() if name.startswith("media/")]
    assert media == ["media/someone/picture.jpg"]


@unix_only
@pytest.mark.usefixtures("account")
def test_what_a_backup_holds_is_the_owners_alone(data: Path, tmp_path: Path) -> None:
    backup, there = tmp_path / "backup.zip", tmp_path / "there"
    old = os.umask(0)
    try:
        answer("backup", "--data", data, "--to", backup)
        answer("restore", "--data", there, "--from", backup)
    finally:
        os.umask(old)
    for path in (backup, there, *there.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


@pytest.mark.usefixtures("account")
def test_an_older_backup_is_never_written_over(data: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup.zip"
    backup.write_bytes(b"mine")
    assert "already exists" in complaint("backup", "--data", data, "--to", backup)
    assert backup.read_bytes() == b"mine"


def with_name(backup: Path, name: str) -> None:
    with zipfile.ZipFile(backup, "a") as archive:
        archive.writestr(name, b"x")


def cut(backup: Path) -> None:
    backup.write_bytes(backup.read_bytes()[:-100])


def flipped(backup: Path) -> None:
    content = bytearray(backup.read_bytes())
    content[len(content) // 2] ^= 0xFF
    backup.write_bytes(content)


def without_database(backup: Path) -> None:
    with zipfile.ZipFile(backup, "w") as archive:
        archive.writestr("service.toml", b"")


def another_file(backup: Path) -> None:
    backup.write_text("This isn't a backup.", encoding="utf-8")


def contents(data: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in data.rglob("*") if path.is_file() and path.suffix != ".lock"}


@pytest.mark.parametrize(
    "spoil",
    [
        cut,
        flipped,
        without_database,
        another_file,
        *(
            pytest.param(lambda backup, name=name: with_name(backup, name), id=name)
            for name in (
                "../outside",
                "/etc/outside",
                "media/../../outside",
                "secrets",
                "Service.db",
                "home/x",
            )
        ),
    ],
)
@pytest.mark.usefixtures("account")
def test_a_backup_that_is_not_sound_changes_nothing(data: Path, tmp_path: Path, spoil: object) -> None:
    backup = tmp_path / "backup.zip"
    answer("backup", "--data", data, "--to", backup)
    assert callable(spoil)
    spoil(backup)
    before = contents(data)
    assert "isn't a valid backup" in complaint("restore", "--data", data, "--from", backup)
    assert contents(data) == before
    assert not (tmp_path / "outside").exists()


def test_what_is_not_there_is_said(data: Path, tmp_path: Path) -> None:
    assert "no service in the folder" in complaint("restore", "--data", data)
    assert "Check --from" in complaint("restore", "--data", data, "--from", tmp_path / "missing.zip")
