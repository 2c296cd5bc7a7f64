"""Adapters that are imported after a program answers."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from app.contract.enums import ConnectionPlatform
from app.network import Way
from app.platforms.late import LateAdapters
from app.platforms.registry import build_adapters
from tests.architecture.sources import ROOT

_SCRIPT = """
import sys
from app.network import Way
from app.platforms.late import LateAdapters
late = LateAdapters(None, instagram_login=False, way=Way(), clock=None, heard=None)
before = {"aiohttp", "app.platforms.x.adapter"} & set(sys.modules)
late[next(iter(late))]
after = {"aiohttp", "app.platforms.x.adapter"} - set(sys.modules)
sys.exit(f"too early: {before}, not at all: {after}" if before or after else 0)
"""


def _late(*, instagram_login: bool = False) -> LateAdapters:
    return LateAdapters(
        "http://127.0.0.1:5000",
        instagram_login=instagram_login,
        way=Way(),
        clock=lambda: datetime.now(UTC),
        heard=lambda _platform, _theirs, _asked: None,
    )


def test_nothing_is_imported_before_an_adapter_is_asked_for() -> None:
    assert subprocess.run([sys.executable, "-c", _SCRIPT], cwd=ROOT, check=False).returncode == 0


def test_they_are_those_of_the_registry() -> None:
    late, early = _late(instagram_login=True), build_adapters(instagram_login=True)

    assert set(late) == set(early)
    assert len(late) == len(early)
    assert {name: type(late[name]) for name in late} == {name: type(early[name]) for name in early}


def test_they_are_built_once_however_many_threads_ask() -> None:
    late = _late()
    with ThreadPoolExecutor(8) as threads:
        built = list(threads.map(lambda _: late[ConnectionPlatform.X], range(64)))

    assert len({id(adapter) for adapter in built}) == 1
