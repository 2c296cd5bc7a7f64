"""Keys over the companion: made, listed and revoked by their owner alone."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.contract.base import format_timestamp
from app.contract.companion import ApiKey, CreatedApiKey
from app.contract.enums import KeyScope
from app.service.accounts import keys
from app.service.accounts.keys import KEY_FORMAT, KEYS_IN_FORCE_MAX
from app.service.store.tables import api_keys, sign_in_links
from tests.service.running import Caller, RunningService, in_hours
from tests.service.test_companion import url
from tests.service.test_envelope import envelope


def make(caller: Caller, **fields: Any) -> dict[str, Any]:
    answer = caller.http.post(url(caller, "/keys"), json={"name": "Zapier", **fields})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def listed(caller: Caller, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = caller.http.get(url(caller, "/keys"), params=query).json()["data"]
    return found


def status_of(service: RunningService, key: str) -> int:
    with service.client({"Authorization": f"Bearer {key}"}) as http:
        return http.get("/usage").status_code


def test_a_made_key_works_at_once_and_is_told_once(caller: Caller) -> None:
    made = make(caller, name="  Zapier, for drafts  ")

    assert set(made) == set(CreatedApiKey.model_fields)
    assert KEY_FORMAT.fullmatch(made["key"])
    assert (made["name"], made["hint"]) == ("Zapier, for drafts", made["key"][-4:])
    assert (made["scope"], made["expires_at"], made["revoked_at"]) == ("api:full", None, None)
    assert status_of(caller.service, made["key"]) == 200
    told = caller.http.get(url(caller, "/keys"))
    assert made["key"] not in told.text
    assert set(told.json()["data"][0]) == set(ApiKey.model_fields)


def test_a_revoked_key_ends_at_once_and_stays_listed(caller: Caller) -> None:
    made = make(caller)

    first = caller.http.delete(url(caller, f"/keys/{made['id']}"))
    assert status_of(caller.service, made["key"]) == 401
    again = caller.http.delete(url(caller, f"/keys/{made['id']}"))

    assert first.status_code == again.status_code == 200
    assert first.json()["revoked_at"] == again.json()["revoked_at"] is not None
    assert listed(caller)[0] == first.json()


def test_a_key_may_revoke_itself(caller: Caller) -> None:
    own = listed(caller)[0]["id"]

    assert caller.http.delete(url(caller, f"/keys/{own}")).status_code == 200
    assert envelope(caller.http.get(url(caller, "/keys"))).error.code == "unauthorized"


def test_a_key_ends_when_it_was_made_to(service: RunningService, caller: Caller) -> None:
    made = make(caller, expires_at=format_timestamp(service.clock() + timedelta(hours=2)))
    assert status_of(service, made["key"]) == 200

    service.clock.ahead = timedelta(hours=2)

    assert status_of(service, made["key"]) == 401
    assert listed(caller)[0]["expires_at"] == made["expires_at"]


def test_the_list_has_pages_newest_first(caller: Caller) -> None:
    made = [make(caller, name=str(number))["id"] for number in range(3)]

    first = caller.http.get(url(caller, "/keys"), params={"limit": 2}).json()
    rest = listed(caller, limit=2, cursor=first["next_cursor"])

    assert [key["id"] for key in first["data"] + rest][:3] == made[::-1]
    assert len(first["data"] + rest) == 4  # with the caller's own


def test_other_accounts_see_and_revoke_nothing(service: RunningService, caller: Caller) -> None:
    made, stranger = make(caller), service.new_caller()

    assert made["id"] not in str(listed(stranger))
    for path in (f"/keys/{made['id']}", f"/keys/{uuid4()}", "/keys/me"):
        assert envelope(stranger.http.delete(url(stranger, path))).error.code == "not_found"
    assert status_of(service, made["key"]) == 200


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "   "}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": None}, "name"),
        ({"name": 7}, "name"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
        ({"expires_at": "2031-01-01"}, "expires_at"),
        ({"expires_at": "2031-01-01T00:00:00"}, "expires_at"),
    ],
)
def test_what_is_wrong_is_named_and_makes_nothing(caller: Caller, fields: dict[str, Any], field: str) -> None:
    refused = caller.http.post(url(caller, "/keys"), json={"name": "Zapier", **fields})

    assert refused.status_code == 400
    assert [issue["field"] for issue in refused.json()["error"]["details"]["errors"]] == [field]
    assert len(listed(caller)) == 1


def test_an_account_has_only_so_many_keys(service: RunningService, caller: Caller) -> None:
    for _ in range(KEYS_IN_FORCE_MAX - 1):
        _, last = service.new_key(caller.account_id)

    refused = caller.http.post(url(caller, "/keys"), json={"name": "One more"})

    assert envelope(refused).error.code == "forbidden"
    assert status_of(service, last) == 200
    caller.http.delete(url(caller, f"/keys/{listed(caller)[0]['id']}"))
    make(caller)


def test_without_the_scope_nothing_is_done(service: RunningService) -> None:
    powerless = service.new_caller(KeyScope.NONE)

    for answer in (
        powerless.http.get(url(powerless, "/keys")),
        powerless.http.post(url(powerless, "/keys"), json={"name": "x"}),
        powerless.http.delete(url(powerless, f"/keys/{uuid4()}")),
        powerless.http.post(url(powerless, "/sign-in-link")),
    ):
        assert envelope(answer).error.code == "forbidden"


def test_the_last_use_is_told_but_not_written_at_every_call(service: RunningService, caller: Caller) -> None:
    def last_use() -> Any:
        caller.http.get("/usage")
        service.database.write_now(lambda _: None)  # behind what that wrote
        return listed(caller)[0]["last_used_at"]

    first = last_use()
    assert first is not None
    assert last_use() == first

    service.clock.ahead = keys._USE_TOLD_EVERY

    assert last_use() > first


def test_a_sign_in_link_is_for_now_and_kept_as_a_hash(service: RunningService, caller: Caller) -> None:
    link = caller.http.post(url(caller, "/sign-in-link"))

    assert link.status_code == 201
    address, _, token = link.json()["url"].partition("?link=")
    assert address == f"{service.base_url}/integrations/sign-in"
    assert len(token) >= 43
    assert link.json()["expires_at"] <= in_hours(1 / 6)
    rows = service.database.read_now(lambda rows: rows.execute(sign_in_links.select()).all())
    assert any(row.account_id == caller.account_id for row in rows)
    assert token not in str(rows)


def test_no_key_is_in_the_store(service: RunningService, caller: Caller) -> None:
    made = make(caller)
    row = service.database.read_now(
        lambda rows: rows.execute(api_keys.select().where(api_keys.c.id == UUID(made["id"]))).one()
    )

    assert made["key"] not in str(row)
    assert made["key"].removeprefix("stp_rest_") not in str(row)
