"""The companion: what is offered, and the attempts to publish a post."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from app.contract.companion import Attempt
from app.service.companion.routes import OFFERS
from app.service.store.tables import attempts, posts
from tests.service.running import Caller, RunningService
from tests.service.test_envelope import envelope


def url(caller: Caller, path: str = "") -> str:
    return f"{caller.service.base_url}/companion/v1{path}"


def test_it_says_what_it_offers(caller: Caller) -> None:
    answer = caller.http.get(url(caller))

    assert answer.json() == {
        "version": "1",
        "offers": sorted(OFFERS),
        "practice": True,
        "clock_ahead_seconds": None,
    }
    assert {"attempts", "events", "posts", "quotas"} < set(OFFERS)


def test_it_needs_a_key_like_everything_else(caller: Caller) -> None:
    with caller.service.client({}) as stranger:
        assert envelope(stranger.get(url(caller))).error.code == "unauthorized"


def test_attempts_are_told_newest_first_to_their_owner_alone(service: RunningService, caller: Caller) -> None:
    post = caller.create(caller.connect())
    path = f"/posts/{post['id']}/attempts"
    assert caller.http.get(url(caller, path)).json() == {"data": []}
    began = service.clock()
    rows = [
        {
            "id": uuid4(),
            "post_id": UUID(post["id"]),
            "account_id": caller.account_id,
            "step": "publish",
            "outcome": outcome,
            "started_at": began + timedelta(seconds=number),
            "platform_code": "503",
            "advice": "Nothing to do.",
        }
        for number, outcome in enumerate(("transient", "published"))
    ]
    service.database.write_now(lambda connection: connection.execute(attempts.insert(), rows))

    told = caller.http.get(url(caller, path)).json()["data"]

    assert [attempt["outcome"] for attempt in told] == ["published", "transient"]
    assert set(told[0]) == set(Attempt.model_fields)
    assert service.new_caller().http.get(url(caller, path)).status_code == 404
    assert caller.http.get(url(caller, f"/posts/{uuid4()}/attempts")).status_code == 404


def lost_post(service: RunningService, caller: Caller, *outcomes: str) -> str:
    """A failed post whose attempts ended like this, oldest first."""
    post_id = UUID(caller.create(caller.connect())["id"])
    tried = [
        {
            "id": uuid4(),
            "post_id": post_id,
            "account_id": caller.account_id,
            "step": "publish",
            "outcome": outcome,
            "started_at": service.clock() + timedelta(seconds=number),
            "finished_at": service.clock(),
            "platform_message": "No answer.",
            "advice": "Look there.",
        }
        for number, outcome in enumerate(outcomes)
    ]
    failed = posts.update().where(posts.c.id == post_id).values(status="failed")
    service.database.write_now(lambda rows: rows.execute(attempts.insert(), tried))
    service.database.write_now(lambda rows: rows.execute(failed))
    return str(post_id)


@pytest.mark.parametrize(
    ("is_live", "status", "outcome"), [(True, "posted", "published"), (False, "failed", "refused")]
)
def test_a_person_reports_what_is_on_the_platform(
    service: RunningService, caller: Caller, status: str, outcome: str, *, is_live: bool
) -> None:
    post_id = lost_post(service, caller, "unknown")
    path = url(caller, f"/posts/{post_id}/outcome")

    stranger = service.new_caller()
    assert stranger.http.put(path, json={"is_live": is_live}).status_code == 404
    told = caller.http.put(path, json={"is_live": is_live})

    assert told.status_code == 200
    assert told.json()["status"] == status
    assert (told.json()["posted_at"] is not None) is is_live
    [attempt] = caller.http.get(url(caller, f"/posts/{post_id}/attempts")).json()["data"]
    assert attempt["outcome"] == outcome
    assert attempt["platform_message"] is None
    again = caller.http.put(path, json={"is_live": not is_live})
    assert again.status_code == 400  # nothing is unknown any more


def test_of_several_lost_calls_the_first_published_a_post_that_is_live(
    service: RunningService, caller: Caller
) -> None:
    """The later ones repeated it on a platform that refuses copies."""
    post_id = lost_post(service, caller, "transient", "unknown", "unknown")

    caller.http.put(url(caller, f"/posts/{post_id}/outcome"), json={"is_live": True}).raise_for_status()

    told = caller.http.get(url(caller, f"/posts/{post_id}/attempts")).json()["data"]
    assert [(attempt["outcome"], attempt["advice"]) for attempt in reversed(told)] == [
        ("transient", "Look there."),
        ("published", None),
        ("transient", "Another attempt published this post, so this one didn't."),
    ]


def test_a_known_outcome_cannot_be_reported(service: RunningService, caller: Caller) -> None:
    refused = url(caller, f"/posts/{lost_post(service, caller, 'refused')}/outcome")
    waiting = url(caller, f"/posts/{caller.create(caller.connect())['id']}/outcome")
    for path in (refused, waiting):
        assert caller.http.put(path, json={"is_live": True}).status_code == 400
