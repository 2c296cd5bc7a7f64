"""One service for all tests of a session; every test has an account of its own."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from app.contract.enums import ConnectionPlatform, KeyScope
from app.service.accounts.accounts import Plan, create_account, create_key
from app.service.clock import system_clock
from tests.service.platforms import ScriptedAdapter, ScriptedPinterest, ScriptedTikTok, robin
from tests.service.programs import AS_ROOT, write
from tests.service.running import Caller, RunningService, run_service
from tests.stores import STORES, choose, chosen, take_back

LINKEDIN, PINTEREST = ConnectionPlatform.LINKEDIN, ConnectionPlatform.PINTEREST
TIKTOK, X = ConnectionPlatform.TIKTOK, ConnectionPlatform.X


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--store", choices=STORES, default="sqlite", help="where the service's rows are")


def pytest_configure(config: pytest.Config) -> None:
    choose(config.getoption("--store"))


@pytest.fixture
def store(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where the rows of this test are; for modules that are marked to run on both."""
    with chosen(request.param) as store:
        yield store
    if "tmp_path" in request.node.funcargs:
        take_back(request.node.funcargs["tmp_path"])


@pytest.fixture(scope="session")
def _adapters() -> dict[ConnectionPlatform, ScriptedAdapter]:
    adapters = [
        ScriptedAdapter(LINKEDIN),
        ScriptedPinterest(PINTEREST),
        ScriptedTikTok(TIKTOK),
        ScriptedAdapter(X),
    ]
    return {adapter.platform: adapter for adapter in adapters}


@pytest.fixture(scope="session")
def _running(
    tmp_path_factory: pytest.TempPathFactory, _adapters: dict[ConnectionPlatform, ScriptedAdapter]
) -> Iterator[RunningService]:
    with run_service(tmp_path_factory.mktemp("service"), _adapters) as service:
        yield service


@pytest.fixture
def service(_running: RunningService) -> Iterator[RunningService]:
    """The running service; after each test its clock is right again and connections are closed."""
    yield _running
    _running.forget_callers()


@pytest.fixture
def caller(service: RunningService) -> Caller:
    """An account of this test's own."""
    return service.new_caller()


@pytest.fixture
def linkedin(_adapters: dict[ConnectionPlatform, ScriptedAdapter]) -> ScriptedAdapter:
    """LinkedIn's stand-in, fresh: one person, tokens without end."""
    fresh = ScriptedAdapter(LINKEDIN, people=[robin()])
    vars(_adapters[LINKEDIN]).update(vars(fresh))
    return _adapters[LINKEDIN]


@pytest.fixture
def pinterest(_adapters: dict[ConnectionPlatform, ScriptedAdapter]) -> ScriptedPinterest:
    """Pinterest's stand-in, fresh: one person without boards."""
    adapter = _adapters[PINTEREST]
    assert isinstance(adapter, ScriptedPinterest)
    vars(adapter).update(vars(ScriptedPinterest(PINTEREST, people=[robin()])))
    return adapter


@pytest.fixture
def tiktok(_adapters: dict[ConnectionPlatform, ScriptedAdapter]) -> ScriptedTikTok:
    """TikTok's stand-in, fresh: one person whom it lets post to everybody."""
    adapter = _adapters[TIKTOK]
    assert isinstance(adapter, ScriptedTikTok)
    vars(adapter).update(vars(ScriptedTikTok(TIKTOK, people=[robin()])))
    return adapter


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def account(data: Path) -> str:
    """An account, made without a process of its own."""
    now = system_clock()
    return str(write(data, lambda rows: create_account(rows, "Ines Duarte", Plan.LOCAL, now)))


@pytest.fixture
def key(data: Path, account: str) -> str:
    now = system_clock()
    return write(data, lambda rows: create_key(rows, UUID(account), KeyScope.API_FULL, None, now))[1]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with little room."""
    if not AS_ROOT or sys.platform != "linux":
        pytest.skip("mounting a small disk needs root on Linux")
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("a small disk cannot be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)
