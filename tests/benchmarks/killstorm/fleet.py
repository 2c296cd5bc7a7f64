"""The programs of one storm: the practice platforms and the service, as one process or as several."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import httpx

from tests.benchmarks.killstorm.programs import Program, command
from tests.ports import free_port
from tests.postgres import running_cluster

_WORKERS: Final = 3
_HOUR_S: Final = 3600

SETTINGS: Final = {
    "settle_delay": 0.5,
    "look_longest": 5,
    "confirm_absence": 2,
    "unknown_limit": 300,
    "retry_first": 0.5,
    "retry_longest": 5,
    "lease": 6,
    "refused_for": 15,
    "reconnect_look": 2,
}
"""What is shortened, in seconds, so that a storm is over sooner; it means the same."""


@dataclass(frozen=True)
class Fleet:
    """Everything that runs.

    Attributes:
        practice: The platforms, for their ledger and their weather.
        api: Answers calls.
        mortal: What is killed and stalled, one at a time.
        key: Of the one account.
    """

    practice: httpx.Client
    api: Program
    mortal: Sequence[Program]
    key: str


@contextmanager
def opened(folder: Path, store: str, shifts: Random | None = None) -> Iterator[Fleet]:
    """Starts everything; the processes are killed at the end.

    ``shifts``: at each start a process may get a clock that is wrong by an hour. The computer of an embedded
    service is right or ahead: behind, it publishes late. Of the workers the first is always right.
    On ``sqlite`` one process does everything. On ``postgresql`` one answers calls, and three publish.
    """
    with ExitStack() as stack:
        practice = Program(
            ["app.practice", "serve", "--data", str(folder / "practice")], folder / "practice.log"
        )
        stack.callback(practice.kill)
        practice.start()
        place = _place(folder / "service", store, stack)
        account = command("account", "create", *place, "--name", "Robin Marsh")["account_id"]
        key = command("key", "create", *place, "--account", account)["key"]
        practice_url = practice.wait_until_ready()["base_url"]
        options = [*place, "--practice-url", practice_url]
        api, *workers = _programs(options, store, folder / "service.log", shifts)
        for program in (api, *workers):
            stack.callback(program.kill)
            program.start()
        for program in (api, *workers):
            program.wait_until_ready()
        platforms = stack.enter_context(httpx.Client(base_url=practice_url, trust_env=False, timeout=60))
        yield Fleet(platforms, api, workers or [api], key)


def _place(folder: Path, store: str, stack: ExitStack) -> Sequence[str]:
    """The options that name an installation, which is made; its database runs as long as the stack."""
    folder.mkdir(mode=0o700)
    lines = [f"{name} = {value}" for name, value in SETTINGS.items()]
    settings = folder / "service.toml"
    settings.write_text("\n".join(["[publishing]", *lines, ""]))
    if store == "sqlite":
        return ["--data", str(folder)]
    cluster = stack.enter_context(running_cluster())
    return ["--config", str(settings), "--database-url", cluster.create_database()]


def _programs(options: Sequence[str], store: str, log: Path, shifts: Random | None) -> list[Program]:
    """The process that answers calls first."""
    ports = ["--port", str(free_port()), "--callback-port", str(free_port())]
    alone = ["app.service", "serve", *options, *ports, "--rate-limit", "off"]
    if store == "sqlite":
        return [Program(alone, log, _drawn(shifts, (0, _HOUR_S)))]
    worker, wrong = ["app.service", "worker", *options], _drawn(shifts, (-_HOUR_S, 0, _HOUR_S))
    workers = [Program(worker, log), *(Program(worker, log, wrong) for _ in range(_WORKERS - 1))]
    return [Program([*alone, "--without-workers"], log), *workers]


def _drawn(shifts: Random | None, wrong: Sequence[int]) -> Callable[[], int]:
    return (lambda: 0) if shifts is None else partial(shifts.choice, wrong)
