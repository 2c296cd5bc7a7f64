"""``kill -9`` of the service while it publishes: every post is on the platform exactly once."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.faults.programs import Stage, practice_platforms, status, wait_until


@pytest.fixture
def platforms(tmp_path: Path) -> Iterator[httpx.Client]:
    with practice_platforms(tmp_path / "practice") as client:
        yield client


@pytest.fixture(params=[pytest.param("linkedin", marks=pytest.mark.variation), "x"])
def stage(request: pytest.FixtureRequest, tmp_path: Path, platforms: httpx.Client) -> Stage:
    return Stage.set_up(tmp_path / "service", platforms, request.param)


def test_a_kill_while_the_answer_is_lost(stage: Stage) -> None:
    stage.order_fault("timeout_after_accept")
    with stage.service() as service, service.client(stage.key) as api:
        post_id = stage.publish_now(api, "Only once")
        wait_until(lambda: stage.ledger() == {"Only once": 1})
        assert status(api, post_id) == "processing"
        service.process.kill()
        service.process.wait()

    with stage.service() as service, service.client(stage.key) as api:
        wait_until(lambda: status(api, post_id) == "posted")
        attempts = f"{service.base_url}/companion/v1/posts/{post_id}/attempts"
        told = [attempt["outcome"] for attempt in api.get(attempts).json()["data"]]
        assert told.count("published") == 1
        assert {"pending", "unknown"}.isdisjoint(told)
    assert stage.ledger() == {"Only once": 1}


@pytest.mark.variation
def test_a_kill_amid_several_posts(stage: Stage) -> None:
    texts = [f"Number {number}" for number in range(8)]
    with stage.service() as service, service.client(stage.key) as api:
        ids = [stage.publish_now(api, text) for text in texts]
        wait_until(lambda: stage.ledger().total() > 0)
        service.process.kill()
        service.process.wait()

    with stage.service() as service, service.client(stage.key) as api:
        wait_until(lambda: all(status(api, post_id) == "posted" for post_id in ids))
    assert stage.ledger() == dict.fromkeys(texts, 1)
