"""A PostgreSQL of its own for tests that stop it."""

from collections.abc import Iterator

import pytest

from tests.postgres import Cluster, running_cluster
from tests.stores import postgres_cluster


@pytest.fixture(scope="package")
def mortal() -> Iterator[Cluster]:
    postgres_cluster()  # skips where there is none
    with running_cluster(durable=False) as cluster:
        yield cluster
