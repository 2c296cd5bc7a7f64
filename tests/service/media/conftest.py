"""A shelf for each test, in a folder or, where a test is asked to try both, in a bucket."""

from collections.abc import Iterator

import httpx
import pytest

from app.service.media.settings import MediaSettings
from app.service.settings import Settings
from tests.service.media.bucket import Bucket, running_bucket
from tests.service.media.shelf import Shelf
from tests.service.running import Caller, RunningService, run_service

__all__ = ["bucket", "links", "service", "shelf", "stranger"]


@pytest.fixture(scope="session")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bucket]:
    with running_bucket(tmp_path_factory.mktemp("bucket")) as running:
        yield running


@pytest.fixture(scope="session")
def _in_bucket(tmp_path_factory: pytest.TempPathFactory, bucket: Bucket) -> Iterator[RunningService]:
    settings = Settings(media=MediaSettings(s3=bucket.settings))
    with run_service(tmp_path_factory.mktemp("service"), {}, settings=settings) as service:
        yield service


@pytest.fixture
def service(request: pytest.FixtureRequest) -> Iterator[RunningService]:
    """The running service; with the parameter ``bucket``, one whose files lie in a bucket."""
    in_bucket = getattr(request, "param", "folder") == "bucket"
    running: RunningService = request.getfixturevalue("_in_bucket" if in_bucket else "_running")
    yield running
    running.forget_callers()


@pytest.fixture
def links(service: RunningService) -> Iterator[httpx.Client]:
    """A client without a key, for signed links."""
    with httpx.Client(verify=service.trust, trust_env=False, timeout=20) as client:
        yield client


@pytest.fixture
def shelf(caller: Caller, links: httpx.Client) -> Shelf:
    """The files of this test's account."""
    return Shelf(caller, links)


@pytest.fixture
def stranger(service: RunningService, links: httpx.Client) -> Shelf:
    """The files of another account."""
    return Shelf(service.new_caller(), links)
