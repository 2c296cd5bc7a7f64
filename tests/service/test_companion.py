"""The companion: what is offered, and the attempts to publish a post."""

from datetime import timedelta
from uuid import UUID, uuid4

from app.contract.companion import Attempt
from app.service.companion.routes import OFFERS
from app.service.store.tables import attempts
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
