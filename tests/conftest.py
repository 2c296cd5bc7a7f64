"""What holds for every test: no screen, no home, no keyring of a person, and no error logged unnoticed."""

import gc
import logging
import os
import tempfile
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings

from tests.secrecy import SecrecyPlugin

# Modules are never freed: searching them for garbage while tests are collected takes a quarter of that time.
gc.disable()

# Set before anything imports Qt or asks where the home folder is; child processes inherit it.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
os.environ.pop("DBUS_SESSION_BUS_ADDRESS", None)
_HOME = tempfile.TemporaryDirectory(prefix="kalends-", ignore_cleanup_errors=True)
for _name, _folder in {
    "HOME": "home",
    "USERPROFILE": "home",
    "APPDATA": "home/roaming",
    "LOCALAPPDATA": "home/local",
    "XDG_CACHE_HOME": "home/cache",
    "XDG_CONFIG_HOME": "home/config",
    "XDG_DATA_HOME": "home/data",
    "XDG_STATE_HOME": "home/state",
    "XDG_RUNTIME_DIR": "run",
}.items():
    _path = Path(_HOME.name, _folder)
    _path.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.environ[_name] = str(_path)

# Two cores shared by many: how long an example takes says nothing.
settings.register_profile(
    "ci", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("whole", settings.get_profile("ci"), max_examples=500)
settings.register_profile("long", settings.get_profile("ci"), max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--whole", action="store_true", help="every variation, and more examples of each law")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("whole"):
        os.environ.setdefault("KALENDS_SIMULATED_SECONDS", "15")
        if "HYPOTHESIS_PROFILE" not in os.environ:
            settings.load_profile("whole")
    config.addinivalue_line(
        "markers", "logs_error(text): this test makes the program log an error that holds `text`"
    )
    config.addinivalue_line(
        "markers", "variation: another form of a test that stays; it runs with --whole or when it is chosen"
    )
    config.addinivalue_line(
        "markers", "only_on(store): of the stores that a module uses, this test needs one"
    )
    config.pluginmanager.register(SecrecyPlugin())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave variations to the whole run, unless the command line names a test."""
    chosen = config.getoption("keyword") or any("::" in argument for argument in config.args)
    takes_all = bool(config.getoption("whole") or chosen)
    left_out = [item for item in items if _is_elsewhere(item) or not (takes_all or _is_usual(item))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


def _is_usual(item: pytest.Item) -> bool:
    return item.get_closest_marker("variation") is None


def _is_elsewhere(item: pytest.Item) -> bool:
    """Whether a test makes sense on another store only."""
    mark, callspec = item.get_closest_marker("only_on"), getattr(item, "callspec", None)
    return (
        mark is not None and callspec is not None and callspec.params.get("store", *mark.args) != mark.args[0]
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show why a test failed at first that passed when it was run again."""
    for report in terminalreporter.stats.get("rerun", ()):
        terminalreporter.section(f"Failed at first: {report.nodeid}")
        terminalreporter.write_line(report.longreprtext)


def pytest_unconfigure() -> None:
    _HOME.cleanup()


def pytest_collection_finish() -> None:
    """Keeps what is imported out of searches for garbage, until the app's collector includes it again."""
    gc.collect()
    gc.freeze()
    gc.enable()


class _ErrorCollector(logging.Handler):
    """Keeps every record of level ERROR and above, also those that structlog does not hand to logging."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = f"{record.name}: {record.getMessage()}"
        if record.exc_info and record.exc_info[0]:
            text = f"{text} ({record.exc_info[0].__name__}: {record.exc_info[1]})"
        self.errors.append(text)

    def watch(
        self, _logger: object, method: str, event: MutableMapping[str, Any]
    ) -> MutableMapping[str, Any]:
        """A structlog processor that looks and passes on."""
        if method in {"error", "exception", "critical"}:
            self.errors.append(f"structlog: {dict(event)}")
        return event


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Coroutine tests run on asyncio's own loop."""
    return "asyncio"


@pytest.fixture(scope="session")
def qapp_cls() -> type:
    """What pytest-qt makes: the application as the app has it."""
    from app.desktop.aio import AsyncApplication

    return AsyncApplication


@pytest.fixture(autouse=True)
def no_unexpected_errors(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails a test during which an error was logged that its `logs_error` marks do not announce."""
    collector = _ErrorCollector()
    root = logging.getLogger()
    root.addHandler(collector)
    # In place: loggers that are bound already share this very list.
    processors: list[Any] = structlog.get_config()["processors"]
    processors.insert(0, collector.watch)
    yield
    root.removeHandler(collector)
    if collector.watch in processors:
        processors.remove(collector.watch)
    announced = [str(mark.args[0]) for mark in request.node.iter_markers("logs_error")]
    unexpected = [error for error in collector.errors if not any(text in error for text in announced)]
    if unexpected:
        pytest.fail("Logged as an error:\n" + "\n".join(unexpected), pytrace=False)
