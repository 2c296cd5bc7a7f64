"""Files that are no backup, or one that somebody tampered with: refused, and nothing is touched."""

import hashlib
import json
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.workspace.homes import Homes
from app.workspace.messages import Problem
from app.workspace.settings import restore
from app.workspace.settings.backup import back_up, kind_of
from tests.workspace.settings.folders import everything, filled

Content = dict[str, bytes]


def quiet(_done: int, _total: int) -> None:
    """Nobody looks."""


@pytest.fixture
def homes(tmp_path: Path) -> Homes:
    return filled(tmp_path / "data")[0]


@pytest.fixture
def content(homes: Homes, tmp_path: Path) -> Content:
    """What is in a good backup."""
    back_up(homes, tmp_path / "good.zip", quiet, threading.Event())
    with ZipFile(tmp_path / "good.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def refused(homes: Homes, file: Path) -> Problem:
    """Tries a file; gives why it was refused, and sees that nothing in or beside the data folder changed."""
    before = everything(homes.data.parent)
    with pytest.raises(Problem, match="Nothing was changed") as told:
        restore.stage(homes, file, quiet, threading.Event())
    restore.resume(homes.data)
    assert everything(homes.data.parent) == before
    return told.value


def packed(file: Path, content: Content, *, compression: int = ZIP_STORED) -> Path:
    with ZipFile(file, "w", compression) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return file


def listed(content: Content) -> Content:
    """The same with a manifest that is true."""
    manifest = json.loads(content["manifest.json"])
    manifest["files"] = {
        name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in content.items()
        if name != "manifest.json"
    }
    return content | {"manifest.json": json.dumps(manifest).encode()}


def test_a_file_that_is_no_backup(homes: Homes, tmp_path: Path) -> None:
    file = tmp_path / "photo.jpg"
    file.write_bytes(b"\xff\xd8\xff" * 900)
    refused(homes, file)


def test_a_zip_of_something_else(homes: Homes, tmp_path: Path) -> None:
    refused(homes, packed(tmp_path / "other.zip", {"readme.txt": b"hello"}))


@pytest.mark.parametrize("share", [0.0, 0.2, 0.6, 0.99])
def test_a_backup_that_was_cut_off(homes: Homes, content: Content, tmp_path: Path, share: float) -> None:
    whole = (tmp_path / "good.zip").read_bytes()
    file = tmp_path / "cut.zip"
    file.write_bytes(whole[: round(len(whole) * share)])
    assert content
    refused(homes, file)


@pytest.mark.parametrize(
    "name",
    [
        "../outside.txt",
        "/etc/outside.txt",
        "homes/../../outside.db",
        "homes/00000000-0000-4000-8000-000000000000/../../../x",
        "homes/00000000-0000-4000-8000-000000000000/service/media/../../../../x",
        "homes/00000000-0000-4000-8000-000000000000/service/media/a\\..\\..\\x",
        "homes/00000000-0000-4000-8000-000000000000/service/media/C:x",
        "homes/00000000-0000-4000-8000-000000000000/service/secrets/seal.key",
        "homes/00000000-0000-4000-8000-000000000000/service/service.toml",
        "keys/00000000-0000-4000-8000-000000000000.key",
        "window.ini",
    ],
)
def test_a_name_that_leads_elsewhere(homes: Homes, content: Content, tmp_path: Path, name: str) -> None:
    told = refused(homes, packed(tmp_path / "bad.zip", listed(content | {name: b"mine"})))
    assert "doesn't belong in a backup" in told.text


def test_a_link(homes: Homes, content: Content, tmp_path: Path) -> None:
    name = next(name for name in content if name.endswith("coat.jpg")).replace("coat", "link")
    file = packed(tmp_path / "bad.zip", listed(content | {name: b"/etc/passwd"}) | {})
    with ZipFile(file) as archive:
        kept = {one: archive.read(one) for one in archive.namelist()}
    with ZipFile(file, "w") as archive:
        for one, data in kept.items():
            info = ZipInfo(one)
            info.external_attr = ((stat.S_IFLNK if one == name else stat.S_IFREG) | 0o644) << 16
            archive.writestr(info, data)
    refused(homes, file)


def test_the_same_file_twice(homes: Homes, content: Content, tmp_path: Path) -> None:
    file = packed(tmp_path / "bad.zip", content)
    with ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("homes.json", b"{}")
    refused(homes, file)


def test_a_file_that_unpacks_to_more_than_any_backup_would(
    homes: Homes, content: Content, tmp_path: Path
) -> None:
    name = next(name for name in content if name.endswith("coat.jpg"))
    bomb = listed(content | {name: bytes(160 * 1024 * 1024)})
    told = refused(homes, packed(tmp_path / "bomb.zip", bomb, compression=ZIP_DEFLATED))
    assert "implausible size" in told.text


def test_a_file_that_is_longer_than_it_says(homes: Homes, content: Content, tmp_path: Path) -> None:
    name = next(name for name in content if name.endswith("coat.jpg"))
    bomb = content | {name: content[name] + bytes(40 * 1024 * 1024)}
    told = refused(homes, packed(tmp_path / "bomb.zip", bomb, compression=ZIP_DEFLATED))
    assert "longer than it says" in told.text


@pytest.mark.parametrize("ending", ["workspace.db", "service.db", "coat.jpg", "homes.json"])
def test_a_byte_that_changed(homes: Homes, content: Content, tmp_path: Path, ending: str) -> None:
    name = next(name for name in content if name.endswith(ending))
    changed = content[name][:-1] + bytes([content[name][-1] ^ 1])
    told = refused(homes, packed(tmp_path / "bad.zip", content | {name: changed}))
    assert "damaged" in told.text


def test_a_database_that_is_none(homes: Homes, content: Content, tmp_path: Path) -> None:
    name = next(name for name in content if name.endswith("service.db"))
    told = refused(homes, packed(tmp_path / "bad.zip", listed(content | {name: b"no database" * 500})))
    assert "service.db in it is damaged" in told.text


def test_a_database_whose_pages_are_broken(homes: Homes, content: Content, tmp_path: Path) -> None:
    name = next(name for name in content if name.endswith("service.db"))
    broken = content[name][:4_096] + b"\xff" * (len(content[name]) - 4_096)
    refused(homes, packed(tmp_path / "bad.zip", listed(content | {name: broken})))


@pytest.mark.parametrize(
    "change",
    [
        lambda home: home.update(base_url="https://elsewhere.example.com"),
        lambda home: home.update(pinned_certificate="-----BEGIN CERTIFICATE-----"),
        lambda home: home.update(base_url="http://plan.example.com"),
        lambda home: home.update(kind="embedded"),
    ],
)
def test_another_address_for_a_key_that_is_here(
    homes: Homes, content: Content, tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    listing = json.loads(content["homes.json"])
    change(next(home for home in listing["homes"] if home["kind"] == "remote"))
    bad = listed(content | {"homes.json": json.dumps(listing).encode()})
    refused(homes, packed(tmp_path / "bad.zip", bad))


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b'{"format": "kalends-backup", "version": 2}'])
def test_a_list_of_contents_that_cannot_be_read(
    homes: Homes, content: Content, tmp_path: Path, text: bytes
) -> None:
    refused(homes, packed(tmp_path / "bad.zip", content | {"manifest.json": text}))


def test_no_list_of_contents(homes: Homes, content: Content, tmp_path: Path) -> None:
    del content["manifest.json"]
    refused(homes, packed(tmp_path / "bad.zip", content))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(name=st.text(max_size=60) | st.lists(st.sampled_from(["..", ".", "", "homes", "a"])).map("/".join))
def test_no_known_name_leads_out_of_the_folder(name: str, tmp_path: Path) -> None:
    whole = f"homes/00000000-0000-4000-8000-000000000000/service/media/{name}"
    for one in (name, whole):
        if kind_of(one) is not None:
            assert (tmp_path / one).resolve().is_relative_to(tmp_path.resolve())


def test_folders_of_unlisted_calendars_are_left_out(homes: Homes, content: Content, tmp_path: Path) -> None:
    """Earlier versions put them into backups."""
    name = f"homes/{uuid4()}/service/service.db"
    database = next(data for name, data in content.items() if name.endswith("workspace.db"))
    file = packed(tmp_path / "more.zip", listed(content | {name: database}))
    other = Homes(tmp_path / "other")
    restore.stage(other, file, quiet, threading.Event())
    restore.finish(other.data)
    assert {path.name for path in (other.data / "homes").iterdir()} == {str(home.id) for home in homes.all()}
