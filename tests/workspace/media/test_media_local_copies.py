"""Stored files on this computer: the uploaded file itself, or a copy with a safe name."""

import asyncio
from pathlib import Path

import pytest

from app.workspace.messages import Problem
from tests.workspace.media.samples import picture
from tests.workspace.media.test_library import PATH, with_a_file
from tests.workspace.opened import until


async def test_a_file_from_elsewhere_is_downloaded_once_under_a_safe_name(tmp_path: Path) -> None:
    async with with_a_file(tmp_path) as (workspace, service):
        hidden = "me/..con:evil-0a1b2c3d.jpg"
        service.files[hidden] = service.files[PATH]
        await workspace.media.library.refresh()
        copies = workspace.media.local_copies
        first, second = await asyncio.gather(copies.of(PATH), copies.of(PATH))
        assert (first, first.name) == (second, "coat.jpg")
        assert first.read_bytes() == service.files[PATH]
        other = await copies.of(hidden)
        assert other.name == "con_evil.jpg"
        assert other.parent != first.parent
        downloads = [one for one in service.requests if one.url.path.startswith("/view/")]
        assert len(downloads) == 2
        first.unlink()  # by a program that cleans up
        assert (await copies.of(PATH)).is_file()
        await copies.clear()
        assert other.is_file()  # a drag may be using it


async def test_copies_of_earlier_starts_are_deleted(tmp_path: Path) -> None:
    async with with_a_file(tmp_path) as (workspace, _service):
        await workspace.media.library.refresh()
        copy = await workspace.media.local_copies.of(PATH)
    async with with_a_file(tmp_path):
        await until(lambda: not copy.exists())


async def test_an_unchanged_file_of_this_computer_is_used_as_it_is(tmp_path: Path) -> None:
    async with with_a_file(tmp_path) as (workspace, service):
        (upload,) = await workspace.media.add_files([picture(tmp_path, "hat.png")])
        await until(lambda: (found := workspace.media.uploads.get(upload.id)) and found.is_done)
        done = workspace.media.uploads.get(upload.id)
        assert done is not None
        assert await workspace.media.local_copies.of(done.storage_path) == done.path
        done.path.write_bytes(b"something else")
        copy = await workspace.media.local_copies.of(done.storage_path)
        assert copy != done.path
        assert copy.read_bytes() == service.files[done.storage_path]


async def test_an_unknown_file_is_a_problem(tmp_path: Path) -> None:
    async with with_a_file(tmp_path) as (workspace, _service):
        with pytest.raises(Problem) as gone:
            await workspace.media.local_copies.of("me/none.jpg")
        assert gone.value.kind == "not_found"
