"""Which room may import which, and where the libraries that shape the program may be imported."""

import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.architecture.sources import Source, imports, parse, sources

# A room may import itself and what stands here. The empty name is `app/` itself: `app/__main__.py`.
ARROWS = {
    "": ("app.children", "app.desktop"),
    "children": (),
    "contract": (),
    "database": (),
    "disk": (),
    "network": (),
    "client": ("app.contract", "app.network"),
    "media": ("app.children", "app.contract"),
    "resources": (),
    "language": ("app.resources",),
    "workspace": (
        "app.children",
        "app.client",
        "app.contract",
        "app.database",
        "app.disk",
        "app.language",
        "app.media",
        "app.network",
        "app.platforms.advice",
        "app.platforms.card",
        "app.platforms.cards",
        "app.platforms.page_messages",
        "app.platforms.rules",
    ),
    "updates": ("app.disk", "app.network", "app.resources"),
    "desktop": (
        "app.children",
        "app.workspace",
        "app.contract",
        "app.language",
        "app.media",
        "app.platforms.card",
        "app.platforms.cards",
        "app.resources",
        "app.updates",
    ),
    "platforms": ("app.contract", "app.language", "app.network"),
    "service": (
        "app.children",
        "app.contract",
        "app.database",
        "app.disk",
        "app.media",
        "app.network",
        "app.platforms",
    ),
    "practice": (),
}
HTTP_ROOMS = {"client", "network", "platforms", "service"}
# What a desktop install does without, and the only files that may import it: those are imported on demand.
# SQLAlchemy brings psycopg itself; only how texts are sent is ours.
SERVER_LIBRARIES = {
    "psycopg": {"app/database/postgresql.py"},
    "boto3": {"app/service/media/buckets.py"},
    "botocore": {"app/service/media/buckets.py"},
    "obstore": {"app/service/media/buckets.py", "app/service/media/s3.py"},
}


def forbidden_arrows(files: Iterable[Source]) -> list[str]:
    """Imports of our own that no arrow allows, as `file:line imports name`."""
    found = []
    for source in files:
        allowed = [*ARROWS.get(source.room, ()), *([f"app.{source.room}"] if source.room else [])]
        for line, name in imports(source):
            if name.startswith("app.") and not any(_is_within(name, target) for target in allowed):
                found.append(f"{source.name}:{line} imports {name}")
    return found


def importers(files: Iterable[Source], library: str) -> list[Source]:
    """The files that import a library or anything in it."""
    return [source for source in files if any(_is_within(name, library) for _, name in imports(source))]


def misplaced_libraries(files: Iterable[Source]) -> list[str]:
    """Qt outside the desktop, qasync outside its module, httpx in the wrong room or twice in a right one.

    And what belongs to servers, in files that others need.
    """
    files = list(files)
    found = [
        f"{source.name} imports PySide6" for source in importers(files, "PySide6") if source.room != "desktop"
    ]
    found += [
        f"{source.name} imports qasync"
        for source in importers(files, "qasync")
        if source.name != "app/desktop/aio.py"
    ]
    for library, allowed in SERVER_LIBRARIES.items():
        users = importers(files, library)
        found += [f"{source.name} imports {library}" for source in users if source.name not in allowed]
    by_room = defaultdict(list)
    for source in importers(files, "httpx"):
        by_room[source.room].append(source.name)
    for room, names in by_room.items():
        if room not in HTTP_ROOMS or len(names) > 1:
            found.append(f"httpx is imported by {', '.join(names)}")
    return found


def _is_within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def test_every_room_is_known() -> None:
    assert {source.room for source in sources("app")} <= set(ARROWS)


def test_the_arrows_hold() -> None:
    assert forbidden_arrows(sources("app")) == []


def test_a_service_without_a_bucket_imports_no_library_for_one() -> None:
    named = ", ".join(map(repr, SERVER_LIBRARIES))
    program = f"import sys, app.service.assembly, app.service.serve; print({{{named}}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "set()"


def test_the_libraries_stay_in_their_place() -> None:
    assert misplaced_libraries(sources("app")) == []


@pytest.mark.parametrize(
    ("path", "text", "reported"),
    [
        ("app/desktop/window.py", "from app.client import Client", "app.client.Client"),
        ("app/desktop/window.py", "import app.service.cli", "app.service.cli"),
        (
            "app/desktop/calendar/view.py",
            "from ...platforms.rules import LIMITS",
            "app.platforms.rules.LIMITS",
        ),
        ("app/workspace/sync.py", "from app.platforms import linkedin", "app.platforms.linkedin"),
        ("app/contract/posts.py", "def f():\n    from app import database", "app.database"),
        (
            "app/practice/server.py",
            "import importlib\nimportlib.import_module('app.contract')",
            "app.contract",
        ),
        ("app/__main__.py", "from app.service import cli", "app.service.cli"),
    ],
)
def test_a_forbidden_arrow_is_seen(tmp_path: Path, path: str, text: str, reported: str) -> None:
    assert [line.split()[-1] for line in forbidden_arrows([_source(tmp_path, path, text)])] == [reported]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("app/__main__.py", "from app.desktop.main import main"),
        ("app/workspace/rules.py", "from app.platforms import rules"),
        ("app/workspace/rules.py", "from app.platforms.rules import LIMITS"),
        ("app/service/posts.py", "from . import store\nfrom app.database.dialects import open_engine"),
        ("app/client/client.py", "import application.posts"),
        ("app/workspace/programs.py", "import app"),
    ],
)
def test_an_allowed_arrow_is_let_through(tmp_path: Path, path: str, text: str) -> None:
    assert forbidden_arrows([_source(tmp_path, path, text)]) == []


@pytest.mark.parametrize(
    "files",
    [
        {"app/workspace/a.py": "from PySide6.QtCore import QObject"},
        {"app/desktop/a.py": "import qasync"},
        {"app/service/media/files.py": "import boto3"},
        {"app/service/media/parts.py": "from obstore.store import S3Store"},
        {"app/desktop/a.py": "import httpx"},
        {"app/database/a.py": "import psycopg"},
        {"app/workspace/a.py": "from boto3.session import Session"},
        {"app/client/a.py": "import httpx", "app/client/b.py": "from httpx import Timeout"},
    ],
)
def test_a_misplaced_library_is_seen(tmp_path: Path, files: dict[str, str]) -> None:
    assert len(misplaced_libraries(_source(tmp_path, path, text) for path, text in files.items())) == 1


def _source(root: Path, path: str, text: str) -> Source:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{text}\n", "utf-8")
    return parse(root, file)
