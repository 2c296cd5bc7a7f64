"""One service for all tests of a session; every test has an account of its own."""

from collections.abc import Iterator

import pytest

from app.contract.enums import ConnectionPlatform
from tests.service.platforms import ScriptedAdapter, ScriptedPinterest, robin
from tests.service.running import Caller, RunningService, run_service
from tests.stores import STORES, choose, chosen

LINKEDIN, PINTEREST, X = ConnectionPlatform.LINKEDIN, ConnectionPlatform.PINTEREST, ConnectionPlatform.X


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--store", choices=STORES, default="sqlite", help="where the service's rows are")


def pytest_configure(config: pytest.Config) -> None:
    choose(config.getoption("--store"))


@pytest.fixture
def store(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where the rows of this test are; for modules that are marked to run on both."""
    with chosen(request.param) as store:
        yield store


@pytest.fixture(scope="session")
def _adapters() -> dict[ConnectionPlatform, ScriptedAdapter]:
    adapters = [ScriptedAdapter(LINKEDIN), ScriptedPinterest(PINTEREST), ScriptedAdapter(X)]
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
