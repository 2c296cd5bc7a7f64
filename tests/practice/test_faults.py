"""Scheduled faults: which call they affect, the response, and the ledger afterwards."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from app.practice.faults import FaultKind, FaultOrder, Faults, Operation
from app.practice.settings import Settings
from app.practice.store import Store
from tests.practice.conftest import running
from tests.practice.programs import LinkedInProgram, XProgram

Order = Callable[..., None]
Program = LinkedInProgram | XProgram


@pytest.fixture(params=["linkedin", "x"])
def program(request: pytest.FixtureRequest) -> Program:
    connected: Program = request.getfixturevalue(request.param)
    return connected


def name(program: Program) -> str:
    return "linkedin" if isinstance(program, LinkedInProgram) else "x"


@pytest.mark.parametrize(
    ("kind", "linkedin_status", "x_status"),
    [("reject", 400, 403), ("error_500", 500, 500), ("rate_limit", 429, 429), ("expired_token", 401, 401)],
)
def test_a_refusal_publishes_nothing_and_is_over_after_its_times(
    program: Program, order: Order, kind: str, linkedin_status: int, x_status: int
) -> None:
    order(name(program), "publish", kind, times=2)
    status = linkedin_status if name(program) == "linkedin" else x_status
    assert [program.publish("Hello").status_code for _ in range(2)] == [status, status]
    assert program.published() == []
    assert program.publish("Hello").status_code == 201


def test_a_lost_answer_leaves_the_publication_in_the_ledger(program: Program, order: Order) -> None:
    order(name(program), "publish", "timeout_after_accept")
    with pytest.raises(httpx.RemoteProtocolError):
        program.publish("Hello")
    assert [entry["text"] for entry in program.published()] == ["Hello"]
    assert program.publish("Hello").status_code in {403, 422}


def wait_for_the_publication(program: XProgram) -> None:
    """Wait until the platform has accepted it, whatever happens to the response."""
    end = time.monotonic() + 30
    while not program.published():
        assert time.monotonic() < end, "it was never published"
        time.sleep(0.02)


def test_the_connection_is_held_until_the_client_gives_up(tmp_path: Path) -> None:
    with running(Settings(tmp_path, hold_s=60)) as client:
        program = XProgram.connect(client)
        client.post("/faults", json={"platform": "x", "operation": "publish", "kind": "timeout_after_accept"})
        impatient = httpx.Timeout(20, read=0.3)
        with pytest.raises(httpx.ReadTimeout):
            client.post("/x/2/tweets", json={"text": "Hello"}, headers=program.headers, timeout=impatient)
        wait_for_the_publication(program)
        assert len(program.published()) == 1


@pytest.mark.logs_error("Cancel 1 running task")
@pytest.mark.logs_error("CancelledError")
def test_going_down_does_not_answer_a_held_call(tmp_path: Path) -> None:
    outcome: list[str] = []

    def publish(program: XProgram) -> None:
        try:
            outcome.append(str(program.publish("Hello").status_code))
        except httpx.TransportError as error:
            outcome.append(type(error).__name__)

    with running(Settings(tmp_path, hold_s=60)) as client:
        program = XProgram.connect(client)
        client.post("/faults", json={"platform": "x", "operation": "publish", "kind": "timeout_after_accept"})
        thread = threading.Thread(target=publish, args=(program,))
        thread.start()
        wait_for_the_publication(program)
    thread.join()
    assert outcome in (["ReadError"], ["RemoteProtocolError"])


def test_a_slow_answer_comes_after_the_publication(program: Program, order: Order) -> None:
    order(name(program), "publish", "slow")
    assert program.publish("Hello").status_code == 201
    assert len(program.published()) == 1


def test_a_rate_limit_of_x_names_its_reset(x: XProgram, order: Order) -> None:
    order("x", "publish", "rate_limit")
    headers = x.publish("Hello").headers
    assert headers["x-rate-limit-remaining"] == "0"
    assert int(headers["x-rate-limit-reset"]) > 0
    assert headers["content-type"] == "application/problem+json"


def test_a_fault_for_an_account_falls_on_that_account(practice: httpx.Client, order: Order) -> None:
    mine, other = XProgram.connect(practice, account="mine"), XProgram.connect(practice, account="other")
    order("x", "publish", "error_500", account=mine.user_id)
    assert other.publish("Hello").status_code == 201
    assert mine.publish("Hello").status_code == 500


def test_a_fault_falls_on_its_operation(x: XProgram, order: Order) -> None:
    order("x", "look_back", "error_500")
    assert x.publish("Hello").status_code == 201
    assert x.timeline().status_code == 500
    assert x.timeline().status_code == 200


def test_metrics_and_look_back_of_linkedin_fail_on_order(linkedin: LinkedInProgram, order: Order) -> None:
    order("linkedin", "metrics", "rate_limit")
    order("linkedin", "look_back", "error_500")
    followers = linkedin.client.get(
        "/linkedin/rest/memberFollowersCount", params={"q": "me"}, headers=linkedin.headers
    )
    posts = linkedin.client.get("/linkedin/rest/posts", params={"q": "author"}, headers=linkedin.headers)
    assert (followers.status_code, posts.status_code) == (429, 500)


def test_a_rejected_token_call_is_an_oauth_error(program: Program, order: Order) -> None:
    order(name(program), "token", "reject")
    assert program.refresh().json()["error"] == "invalid_request"
    assert program.refresh().status_code == 200


def test_an_expired_token_stays_dead_until_the_account_consents_again(program: Program, order: Order) -> None:
    account = program.urn if isinstance(program, LinkedInProgram) else program.user_id
    order(name(program), "token", "expired_token", account=account)
    assert [program.publish("Hello").status_code for _ in range(2)] == [401, 401]
    for _ in range(2):
        refused = program.refresh()
        assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")
    again = type(program).connect(program.client, account="somebody-else")
    assert again.publish("Hello").status_code == 201
    assert program.publish("Hello").status_code == 401


def test_consenting_again_revives_the_account(practice: httpx.Client, order: Order) -> None:
    before = XProgram.connect(practice, account="revived")
    order("x", "token", "expired_token", account=before.user_id)
    after = XProgram.connect(practice, account="revived")
    assert after.user_id == before.user_id
    assert after.publish("Hello").status_code == 201
    assert before.publish("Again").status_code == 401


def test_a_lost_answer_of_a_refresh_still_spends_the_token(x: XProgram, order: Order) -> None:
    order("x", "token", "timeout_after_accept", account=x.user_id)
    with pytest.raises(httpx.RemoteProtocolError):
        x.refresh()
    assert x.refresh().status_code == 400


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"platform": "myspace"}, "platform"),
        ({"platform": None}, "platform"),
        ({"operation": "dance"}, "operation"),
        ({"kind": "sulk"}, "kind"),
        ({"times": 0}, "times"),
        ({"times": "2"}, "times"),
        ({"account": 5}, "account"),
        ({"color": "red"}, "color"),
    ],
)
def test_a_wrong_order_names_its_field(practice: httpx.Client, body: dict[str, object], field: str) -> None:
    right = {"platform": "x", "operation": "publish", "kind": "slow"}
    answer = practice.post("/faults", json=right | body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


@pytest.mark.parametrize("body", ["", "{", "[]", "[" * 100_000])
def test_what_is_no_json_object_is_refused(practice: httpx.Client, body: str) -> None:
    answer = practice.post("/faults", content=body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "body")


def test_times_are_counted_down_once_each_by_callers_at_the_same_time(tmp_path: Path) -> None:
    store = Store(tmp_path)
    faults = Faults(store)
    faults.order(FaultOrder(platform="x", operation=Operation.PUBLISH, kind=FaultKind.REJECT, times=25))
    taken: Counter[FaultKind | None] = Counter()

    def take() -> None:
        suffered = [faults.take("x", Operation.PUBLISH, "1") for _ in range(10)]
        taken.update([fault.kind if fault else None for fault in suffered])

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    assert taken == {FaultKind.REJECT: 25, None: 15}
