"""Tests are where their code is: a folder for each package, and in the workspace a file for each module."""

from collections.abc import Iterable
from pathlib import PurePosixPath

import pytest

from tests.architecture.sources import sources

# Folders about several modules of the package above them.
_FOLDERS = {
    "tests/platforms/specs",
    "tests/service/publishing/endtoend",
    "tests/service/publishing/refusals",
    "tests/service/server",
}
# Files about a whole package: with the real service, killed, on Qt's event loop.
_SUBJECTS = {"against_service", "killed", "under_qasync"}


def misplaced_folders(tests: Iterable[str], code: Iterable[str]) -> list[str]:
    """Return the folders of tests that mirror no package, below those named like a package of `app/`."""
    packages = {str(folder) for file in code for folder in PurePosixPath(file).parents}
    folders = {PurePosixPath(file).parent for file in tests}
    return sorted(
        str(folder)
        for folder in folders
        if len(folder.parts) > 2
        and f"app/{folder.parts[1]}" in packages
        and str(folder).replace("tests", "app", 1) not in packages
    )


def misnamed_tests(tests: Iterable[str], code: Iterable[str]) -> list[str]:
    """Return the files of tests that are named after no module or package, or an aspect of one."""
    files = [PurePosixPath(file) for file in code]
    known = {str(file.with_suffix("")) for file in files} | {str(file.parent) for file in files}
    found = []
    for test in map(PurePosixPath, tests):
        folder, name = str(test.parent).replace("tests", "app", 1), test.stem.removeprefix("test_")
        words = name.split("_")
        names = {"_".join(words[:count]) for count in range(1, len(words) + 1)}
        if name not in _SUBJECTS and not any(f"{folder}/{each}" in known for each in names):
            found.append(str(test))
    return found


def _tests(folder: str) -> list[str]:
    return [source.name for source in sources(folder) if source.path.name.startswith("test_")]


def test_folders_of_tests_mirror_packages() -> None:
    found = misplaced_folders(_tests("tests"), [source.name for source in sources("app")])
    assert sorted(set(found) - _FOLDERS) == []


def test_tests_of_the_workspace_are_named_after_its_modules() -> None:
    assert (
        misnamed_tests(_tests("tests/workspace"), [source.name for source in sources("app/workspace")]) == []
    )


@pytest.mark.parametrize(
    ("test", "is_misnamed"),
    [
        ("tests/workspace/media/test_uploads.py", False),
        ("tests/workspace/media/test_uploads_killed.py", False),
        ("tests/workspace/media/test_killed.py", False),
        ("tests/workspace/test_media.py", False),
        ("tests/workspace/media/test_upload.py", True),
        ("tests/workspace/test_uploads.py", True),
    ],
)
def test_a_misnamed_test_is_found(test: str, is_misnamed: bool) -> None:
    assert misnamed_tests([test], ["app/workspace/media/uploads.py"]) == ([test] if is_misnamed else [])


@pytest.mark.parametrize(
    ("test", "is_misplaced"),
    [
        ("tests/workspace/media/test_uploads.py", False),
        ("tests/workspace/files/test_uploads.py", True),
        ("tests/gallery/scenes/test_media.py", False),
    ],
)
def test_a_misplaced_folder_is_found(test: str, is_misplaced: bool) -> None:
    found = misplaced_folders([test], ["app/workspace/media/uploads.py"])
    assert bool(found) == is_misplaced
