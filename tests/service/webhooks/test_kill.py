"""The real program, killed while it delivers: what was due is delivered after the next start."""

from contextlib import closing
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from app.contract.enums import KeyScope
from app.service.accounts.accounts import Plan, create_account, create_key
from app.service.clock import system_clock
from app.service.store.folder import DataFolder
from tests.service.programs import connect, serving
from tests.service.webhooks.receivers import Endpoint, Receiver, answers, stalls


@pytest.fixture
def account_id(tmp_path: Path) -> UUID:
    with closing(DataFolder(tmp_path).open_database()) as database:
        return database.write_now(lambda rows: create_account(rows, "Ines", Plan.LOCAL, system_clock()))


@pytest.fixture
def key(tmp_path: Path, account_id: UUID) -> str:
    now = system_clock()
    with closing(DataFolder(tmp_path).open_database()) as database:
        return database.write_now(lambda rows: create_key(rows, account_id, KeyScope.API_FULL, None, now))[1]


def plan(http: httpx.Client, connection_id: str) -> None:
    body = {
        "social_account_id": connection_id,
        "platform": "linkedin",
        "post_type": "text",
        "description": "Hello",
        "scheduled_at": "2031-01-01T12:00:00Z",
    }
    assert http.post("/posts", json=body).status_code == 201


def subscribe(http: httpx.Client, endpoint: Endpoint) -> httpx.Response:
    return http.post("/webhooks", json={"url": endpoint.url, "events": ["post.scheduled"]})


def test_a_kill_loses_no_delivery(tmp_path: Path, account_id: UUID, key: str, receiver: Receiver) -> None:
    options = ["--allow-private-network", "--extra-ca", str(receiver.authority)]
    options += ["--webhook-backoff", "0.01,0.01,0.01"]
    connection_id = connect(tmp_path, str(account_id))
    stuck, failing = receiver.endpoint(stalls, answers(204)), receiver.endpoint(answers(503), answers(204))
    with serving(tmp_path, *options) as service, service.client(key) as http:
        for endpoint in (stuck, failing):
            assert subscribe(http, endpoint).status_code == 201
        for _ in range(3):
            plan(http, connection_id)
        stuck.wait_for(1)
        service.process.kill()
        service.process.wait(20)
    assert len(stuck.requests) == 1

    with serving(tmp_path, *options) as service:
        arrived, others = stuck.wait_for(4), failing.wait_for(4)
        assert service.end() == 0

    assert arrived[1].event["delivery_id"] == arrived[0].event["delivery_id"]
    told = {request.event["event_id"] for request in arrived}
    assert len(told) == 3
    assert {request.event["event_id"] for request in others} == told


def test_without_the_option_nothing_private_is_called(tmp_path: Path, key: str, receiver: Receiver) -> None:
    endpoint = receiver.endpoint()
    with serving(tmp_path, "--extra-ca", str(receiver.authority)) as service, service.client(key) as http:
        assert subscribe(http, endpoint).status_code == 400

    assert endpoint.requests == []
