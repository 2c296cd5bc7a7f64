"""One service and one practice program for all tests of the folder."""

import ssl
from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest

from app.contract.enums import PostingPlatform
from app.platforms.registry import build_adapters
from app.platforms.wire import Timeouts
from app.service.publishing.settings import PublishingSettings
from app.service.settings import RunOptions, Settings
from tests.platforms.world import program
from tests.service.publishing.endtoend.stage import Stage, connect_everything, working
from tests.service.running import run_service

# Practice is done with a file after 0.3 seconds, so that looking each second would be waiting for nothing.
_SOON = Timeouts(first_look=0.1)


def _client(base_url: str = "", trust: ssl.SSLContext | None = None) -> httpx.Client:
    return httpx.Client(
        base_url=base_url, verify=trust or True, trust_env=False, follow_redirects=True, timeout=60
    )


@pytest.fixture(scope="package")
def practice_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with program(tmp_path_factory.mktemp("practice")) as url:
        yield url


@pytest.fixture(scope="package")
def stage(tmp_path_factory: pytest.TempPathFactory, practice_url: str) -> Iterator[Stage]:
    """Everything runs, and an account of every platform is connected."""
    adapters = build_adapters(practice_url, timeouts=_SOON)
    run = RunOptions(practice_url=practice_url)
    settings = Settings(
        publishing=PublishingSettings(refused_for=timedelta(seconds=3), follow_first=timedelta(seconds=0.3))
    )
    with (
        run_service(tmp_path_factory.mktemp("service"), adapters, run, settings, reachable=True) as service,
        working(service),
        _client(trust=service.trust) as person,
        _client(practice_url) as practice,
    ):
        caller = service.new_caller()
        accounts = connect_everything(caller, person, [platform.value for platform in PostingPlatform])
        yield Stage(caller, person, practice, accounts)
        service.forget_callers()
        service.await_(adapters.close)
