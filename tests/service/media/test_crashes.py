"""A process that dies in the middle: nothing half is ever seen, and what is left goes with a sweep."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from app.database import Database
from app.service.clock import system_clock
from app.service.media import rows
from app.service.media.files import LocalMediaStore
from app.service.media.sweep import Sweeper
from app.service.store.folder import DataFolder
from app.service.store.tables import accounts, media
from tests.service.media.dying import DIED, REMOVAL_STEPS, UPLOAD_STEPS
from tests.service.media.samples import image
from tests.service.media.shelf import new_key, wait_until
from tests.service.programs import ROOT, serving


class Remains:
    """What a dead process left in a data folder."""

    def __init__(self, folder: DataFolder, database: Database) -> None:
        self._folder = folder
        self._database = database

    def used_bytes(self) -> int:
        def work(opened: Connection) -> int:
            return sum(rows.stored_bytes(opened, one) for one in opened.scalars(select(accounts.c.id)))

        return self._database.read_now(work)

    def stored(self) -> set[str]:
        """Paths that can be looked at."""
        paths = select(media.c.storage_path).where(media.c.expires_at.is_(None))
        return self._database.read_now(lambda opened: set(opened.scalars(paths)))

    def rows(self) -> int:
        return len(self._database.read_now(lambda opened: opened.execute(select(media.c.id)).all()))

    def files(self) -> list[Path]:
        return [file for file in self._folder.media.rglob("*") if file.is_file()]

    def sweep(self, *, later: timedelta = timedelta()) -> None:
        store = LocalMediaStore(self._folder.media)
        Sweeper(self._database, store, lambda: system_clock() + later).sweep()


@contextmanager
def died(data: Path, step: str) -> Iterator[Remains]:
    command = [sys.executable, "-m", "tests.service.media.dying", str(data), step]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == DIED
    folder = DataFolder(data)
    with closing(folder.open_database()) as database:
        yield Remains(folder, database)


@pytest.mark.parametrize("step", UPLOAD_STEPS)
def test_an_upload_that_dies_is_there_whole_or_not_at_all(tmp_path: Path, step: str) -> None:
    with died(tmp_path, step) as remains:
        for _ in range(2):  # as it was left, and after the sweep of the next start
            seen = remains.stored()
            assert bool(seen) is (step == "stored")
            assert remains.used_bytes() == (len(image()) if seen else 0)
            for path in seen:
                assert (tmp_path / "media" / path).read_bytes() == image()
            remains.sweep()
        remains.sweep(later=timedelta(days=2))

        assert remains.rows() == (1 if step == "stored" else 0)
        # A file that no row names is left alone where it is the only one. It counts for nobody's quota.
        assert len(remains.files()) == (1 if step in {"kept", "stored"} else 0)


@pytest.mark.parametrize("step", REMOVAL_STEPS)
def test_a_removal_that_dies_is_over_with_the_next_sweep(tmp_path: Path, step: str) -> None:
    with died(tmp_path, step) as remains:
        assert (remains.rows(), remains.used_bytes()) == (0, 0)
        remains.sweep()

        assert remains.files() == []


def test_a_service_that_is_killed_shows_nothing_half_and_takes_the_upload_again(tmp_path: Path) -> None:
    data, picture = tmp_path / "data", image() + b"\0" * 4_000_000
    key = new_key(data)
    announced = {"filename": "a.png", "content_type": "image/png", "size_bytes": len(picture)}
    with serving(data) as service, service.client(key) as http:
        given = http.post("/media/upload-url", json=announced).json()

        def half() -> Iterator[bytes]:
            yield picture[:2_000_000]
            wait_until(lambda: any((data / "media").rglob("*.part")))
            service.process.kill()
            yield picture[2_000_000:]

        with pytest.raises(Exception, match=r"(?i)disconnected|reset|closed|eof|pipe"):
            http.put(given["upload_url"], content=half())
    port = given["upload_url"].partition("127.0.0.1:")[2].partition("/")[0]
    with serving(data, "--port", port) as service, service.client(key) as http:
        path = f"/media/{given['storage_path']}"
        assert http.get(path).status_code == 404
        assert http.get("/usage").json()["storage"]["used_bytes"] == 0
        assert http.put(given["upload_url"], content=picture).status_code == 200
        assert http.get(http.get(path).json()["view_url"]).content == picture
