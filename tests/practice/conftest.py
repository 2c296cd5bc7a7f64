"""A practice server in a thread for each module, with a new user for each test."""

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import pytest

from app.practice.server import PracticeServer, base_url, bind, create_app
from app.practice.settings import Settings
from tests.practice.programs import LinkedInProgram, XProgram


class Clock:
    """Wall time that a test can advance."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


@contextmanager
def running(settings: Settings) -> Iterator[httpx.Client]:
    """Return a client of a server that runs during the block."""
    ready = threading.Event()
    with bind(0) as listener:
        server = PracticeServer(create_app(settings), ready.set)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            assert ready.wait(20)
            with httpx.Client(base_url=base_url(listener), trust_env=False, timeout=20) as client:
                yield client
        finally:
            server.should_exit = True
            thread.join()


_persons = (f"person-{number}" for number in itertools.count())


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def practice(tmp_path_factory: pytest.TempPathFactory, clock: Clock) -> Iterator[httpx.Client]:
    """Uses short delays; the defaults are for people."""
    data = tmp_path_factory.mktemp("practice")
    with running(Settings(data, slow_s=0.05, hold_s=0.05, processing_s=0.05, clock=clock)) as client:
        yield client


@pytest.fixture
def linkedin(practice: httpx.Client) -> LinkedInProgram:
    """Connected with every scope."""
    return LinkedInProgram.connect(practice, account=next(_persons))


@pytest.fixture
def x(practice: httpx.Client) -> XProgram:
    """Connected with every scope."""
    return XProgram.connect(practice, account=next(_persons))


@pytest.fixture
def order(practice: httpx.Client) -> Callable[..., None]:
    """Schedule a fault."""

    def place(platform: str, operation: str, kind: str, **more: object) -> None:
        body = {"platform": platform, "operation": operation, "kind": kind, **more}
        assert practice.post("/faults", json=body).status_code == 201

    return place
