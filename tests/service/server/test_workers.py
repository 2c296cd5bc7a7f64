"""One API and three workers as programs of their own, on one PostgreSQL."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest
from httpx_sse import EventSource

from tests.service.server.fleet import Fleet, Program, running, until

POSTS = 30


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with running(tmp_path_factory.mktemp("fleet")) as fleet:
        yield fleet


def test_many_workers_publish_and_deliver_everything_once(fleet: Fleet) -> None:
    endpoint = fleet.receiver.endpoint()
    hook = fleet.http.post("/webhooks", json={"url": endpoint.url, "events": ["post.published"]})
    assert hook.status_code == 201, hook.text
    texts = fleet.plan(POSTS, timedelta(seconds=2), first_in=timedelta(seconds=5))

    until(lambda: fleet.statuses(texts)["posted"] == POSTS, "every post is posted")
    assert fleet.published(texts) == dict.fromkeys(texts, 1)
    told = [json.loads(request.body)["data"]["post_id"] for request in endpoint.wait_for(POSTS)]
    assert len(set(told)) == len(told) == POSTS
    assert fleet.http.delete(f"/webhooks/{hook.json()['id']}").status_code == 200


def test_workers_count_what_they_publish_and_deliver(fleet: Fleet) -> None:
    texts = fleet.plan(POSTS, timedelta(seconds=1), first_in=timedelta(seconds=3))
    before = _counted(fleet)
    until(lambda: fleet.statuses(texts)["posted"] == POSTS, "every post is posted")

    ended = 'kalends_posts_ended_total{platform="x",result="published"}'
    until(lambda: _counted(fleet)[ended] - before[ended] == POSTS, "each is counted once")
    counted = _counted(fleet)
    assert counted['kalends_publish_delay_seconds_count{platform="x"}'] >= POSTS
    assert counted['kalends_webhook_deliveries_total{outcome="delivered"}'] > 0
    assert counted["kalends_database_up"] == len(fleet.workers)
    exposed = "".join(_metrics(worker) for worker in fleet.workers)
    for secret in (*texts, fleet.connection_id, fleet.http.headers["Authorization"].split()[1]):
        assert secret not in exposed


def _metrics(worker: Program) -> str:
    return httpx.get(f"{worker.ready['admin_url']}/metrics", trust_env=False).text


def _counted(fleet: Fleet) -> Counter[str]:
    """The samples of all workers together."""
    samples: Counter[str] = Counter()
    for line in "".join(map(_metrics, fleet.workers)).splitlines():
        if not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            samples[name] += float(value)  # type: ignore[assignment]
    return samples


def test_what_workers_do_is_told_by_the_api(fleet: Fleet) -> None:
    url = f"{fleet.api.ready['base_url']}/companion/v1/events"
    with fleet.http.stream("GET", url, timeout=httpx.Timeout(30)) as response:
        events = EventSource(response).iter_sse()
        assert next(events).event == "reset"
        body = {"social_account_id": fleet.connection_id, "platform": "x", "post_type": "text"}
        made = fleet.http.post("/posts", json={**body, "description": "Right now"}).json()
        told = (json.loads(event.data)["post"] for event in events if event.event == "post.changed")
        assert next(post for post in told if post["status"] == "posted")["id"] == made["id"]


def test_the_others_take_over_what_a_killed_worker_had(fleet: Fleet) -> None:
    texts = fleet.plan(POSTS, timedelta(seconds=3), first_in=timedelta(seconds=5))
    until(lambda: len(fleet.published(texts)) > POSTS // 4, "a quarter is out")
    fleet.workers.pop().kill()

    until(lambda: fleet.statuses(texts)["posted"] == POSTS, "every post is posted")
    assert fleet.published(texts) == dict.fromkeys(texts, 1)


def test_nothing_of_this_is_an_error(fleet: Fleet) -> None:
    assert fleet.logged_errors() == []


def test_a_database_that_is_away_for_a_moment_is_waited_for(fleet: Fleet) -> None:
    texts = fleet.plan(POSTS, timedelta(seconds=2), first_in=timedelta(seconds=5))
    until(lambda: len(fleet.published(texts)) > 0, "the first is out")
    fleet.cluster.stop("immediate")
    assert fleet.http.get("/posts").status_code == httpx.codes.INTERNAL_SERVER_ERROR
    fleet.cluster.start()

    until(lambda: fleet.statuses(texts)["posted"] == POSTS, "every post is posted")
    assert fleet.published(texts) == dict.fromkeys(texts, 1)


@pytest.mark.variation
def test_workers_end_in_good_order(fleet: Fleet) -> None:
    assert [worker.end() for worker in fleet.workers] == [0] * len(fleet.workers)
    assert fleet.api.end() == 0
