"""Data folders with calendars in them: real databases, files, and what is secret."""

import sqlite3
from contextlib import closing
from pathlib import Path

from app.workspace.homes import Home, Homes
from app.workspace.homes.registry import HomeKind

SECRET = "stp_rest_" + "5e" * 32
SEAL = b"\x07the key that tokens are sealed with" * 2


def filled(data: Path) -> tuple[Homes, Home, Home]:
    """A data folder with a calendar on this computer and one elsewhere, and the key of that one in a file."""
    homes = Homes(data)
    there = Home(kind=HomeKind.REMOTE, name="Agency", base_url="https://plan.example.com")
    here = Home(kind=HomeKind.EMBEDDED, name="My calendar", base_url="https://127.0.0.1:1", service_port=1)
    for home in (there, here):
        homes.keep(home)
        fill(homes.folder(home) / "workspace.db", home.name)
    service = homes.folder(here) / "service"
    fill(service / "service.db", "service")
    for name, content in {
        "media/studio/coat.jpg": b"\xff\xd8" + bytes(range(256)) * 40,
        "secrets/seal.key": SEAL,
        "tls/service.key": b"-----BEGIN PRIVATE KEY-----",
        "service.toml": b'[platforms.x]\nclient_id = "a"\nclient_secret = "shown to nobody"\n',
        "service.json": b"{}",
    }.items():
        write(service / name, content)
    write(homes.folder(here) / "workspace.copies" / "crop.jpg", b"a crop")
    write(homes.folder(here) / "service.log", b"it went well")
    write(data / "keys" / f"{there.id}.key", SECRET.encode())
    return homes, here, there


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def fill(path: Path, word: str) -> None:
    """A database as the app keeps one: write-ahead log and all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE posts (words TEXT)")
        database.execute("CREATE TABLE total (posts INTEGER)")
        database.execute("INSERT INTO posts VALUES (?)", (word,))
        database.execute("INSERT INTO total VALUES (1)")
        database.commit()


def words_in(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        return [row[0] for row in database.execute("SELECT words FROM posts ORDER BY rowid")]


def everything(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, without what SQLite keeps beside an open database."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }
