"""Keys over the companion: made, listed and revoked by their owner alone."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError

from app.contract.base import format_timestamp
from app.contract.companion import ApiKey, CreatedApiKey
from app.contract.enums import KeyScope, SubscriptionStatus
from app.service.accounts import accounts as keys
from app.service.accounts.accounts import KEY_FORMAT, KEYS_IN_FORCE_MAX, Plan, create_account
from app.service.store.tables import accounts, api_keys, sign_in_links
from tests.service.integrations.visiting import visiting
from tests.service.running import Caller, MovingClock, RunningService, in_hours
from tests.service.test_companion import url
from tests.service.test_envelope import envelope
from tests.service.test_envelope import fields as fields_of
from tests.stores import chosen, service_engine, take_back

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
MOMENT = timedelta(milliseconds=1)
PRINCIPAL = keys.Principal(UUID(int=1), KeyScope.API_FULL, UUID(int=2), Plan.LOCAL, None, None)


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


def test_what_was_never_a_key_opens_nothing(caller: Caller) -> None:
    unknown = caller.key[:-4] + ("0000" if caller.key[-4:] != "0000" else "1111")
    assert [status_of(caller.service, key) for key in (unknown, caller.key)] == [401, 200]


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


def using(service: RunningService, caller: Caller, key: str) -> Caller:
    """The same account, calling with another key."""
    other = Caller(service, caller.account_id, key)
    service.callers.append(other)
    return other


def test_a_key_ends_at_the_earliest_after_this_moment(
    service: RunningService, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = service.clock().replace(microsecond=0)
    monkeypatch.setattr(MovingClock, "__call__", lambda _: now)
    ended = {"name": "Ended", "expires_at": format_timestamp(now)}
    refused = caller.http.post(url(caller, "/keys"), json=ended)
    assert (refused.status_code, fields_of(refused)) == (400, {"expires_at": "time_past"})
    make(caller, expires_at=format_timestamp(now + MOMENT))


def test_a_key_ends_no_later_than_the_one_that_made_it(service: RunningService, caller: Caller) -> None:
    end = service.clock() + timedelta(hours=2)
    parent = using(service, caller, service.new_key(caller.account_id, expires_at=end)[1])
    last = format_timestamp(end)

    child = make(parent)
    grandchild = make(using(service, caller, child["key"]), expires_at=last)
    later = {"name": "Later", "expires_at": format_timestamp(end + timedelta(milliseconds=1))}
    refused = parent.http.post(url(parent, "/keys"), json=later)

    assert (child["expires_at"], grandchild["expires_at"]) == (last, last)
    assert fields_of(refused) == {"expires_at": "after_parent"}
    assert make(parent, expires_at=in_hours(1))["expires_at"] < last
    service.clock.ahead = timedelta(hours=2)
    assert [status_of(service, one["key"]) for one in (child, grandchild)] == [401, 401]


def test_revoking_a_key_revokes_all_that_came_of_it(service: RunningService, caller: Caller) -> None:
    parent_id, parent_key = service.new_key(caller.account_id)
    parent = using(service, caller, parent_key)
    child = make(parent)
    grandchild = make(using(service, caller, child["key"]))
    gone_before = make(parent)
    assert caller.http.delete(url(caller, f"/keys/{gone_before['id']}")).status_code == 200
    first_end = next(key for key in listed(caller) if key["id"] == gone_before["id"])["revoked_at"]
    beside = make(caller)
    service.clock.ahead = timedelta(seconds=5)

    caller.http.delete(url(caller, f"/keys/{parent_id}"))

    told = [status_of(service, key) for key in (parent_key, child["key"], grandchild["key"], beside["key"])]
    assert told == [401, 401, 401, 200]
    assert status_of(service, caller.key) == 200
    assert next(key for key in listed(caller) if key["id"] == gone_before["id"])["revoked_at"] == first_end


def test_a_sign_in_link_and_its_session_end_with_the_key(service: RunningService, caller: Caller) -> None:
    key_id, key = service.new_key(caller.account_id)
    with using(service, caller, key).http as http, visiting(service) as new:
        used, unused = (http.post(url(caller, "/sign-in-link")).json()["url"] for _ in range(2))
        visitor = new()
        visitor.at = visitor.http.get(used)
        assert visitor.send("/sign-in/link").status_code == 303
        assert visitor.is_signed_in()
        visitor.open()
        made = visitor.send("/keys", name="From the page", expires="never")
        shown = KEY_FORMAT.search(made.text)
        assert shown is not None

        caller.http.delete(url(caller, f"/keys/{key_id}"))

        assert not visitor.is_signed_in()
        assert status_of(service, shown[0]) == 401
        late = new()
        late.at = late.http.get(unused)
        assert late.send("/sign-in/link").status_code == 403


def test_a_session_that_ends_while_a_form_comes_in_makes_no_key(
    service: RunningService, caller: Caller
) -> None:
    key_id, key = service.new_key(caller.account_id)
    with using(service, caller, key).http as http, visiting(service) as new:
        visitor = new()
        visitor.at = visitor.http.get(http.post(url(caller, "/sign-in-link")).json()["url"])
        visitor.send("/sign-in/link")
        visitor.open()
        form = visitor.form("/keys")
        content = urlencode(form.fields | {"name": "Too late"}).encode()

        def slowly() -> Iterator[bytes]:
            yield content[:10]
            caller.http.delete(url(caller, f"/keys/{key_id}"))
            yield content[10:]

        headers = {
            "Origin": service.base_url,
            "Content-Type": "application/x-www-form-urlencoded",
            "Content-Length": str(len(content)),
        }
        answer = visitor.http.post(form.action, content=slowly(), headers=headers)
        assert (answer.status_code, answer.headers["location"]) == (303, "/integrations/sign-in?note=ended")
        assert "Too late" not in [key["name"] for key in listed(caller)]


def test_a_session_and_what_it_makes_end_when_the_key_expires(
    service: RunningService, caller: Caller
) -> None:
    end = service.clock() + timedelta(minutes=4)
    _, key = service.new_key(caller.account_id, expires_at=end)
    with using(service, caller, key).http as http, visiting(service) as new:
        link = http.post(url(caller, "/sign-in-link")).json()
        assert link["expires_at"] == format_timestamp(end)
        visitor = new()
        visitor.at = visitor.http.get(link["url"])
        assert visitor.send("/sign-in/link").status_code == 303
        visitor.open()
        visitor.send("/keys", name="From the page", expires="never")
        assert listed(caller)[0]["expires_at"] == format_timestamp(end)

        service.clock.ahead = timedelta(minutes=4)

        assert not visitor.is_signed_in()


def test_a_key_that_ends_while_it_makes_another_makes_none(service: RunningService, caller: Caller) -> None:
    key_id, _ = service.new_key(caller.account_id)
    now = service.clock()

    def work(rows: Connection) -> None:
        keys.revoke_key(rows, key_id, now)
        keys.create_key(rows, caller.account_id, KeyScope.API_FULL, None, now, created_by=key_id)

    with pytest.raises(keys.KeyRefusedError):
        service.database.write_now(work)
    assert len(listed(caller)) == 2


@pytest.mark.parametrize("path", ["/keys", "/sign-in-link"])
def test_a_key_that_ends_during_its_own_call_is_unauthorized(
    service: RunningService, caller: Caller, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """It's valid when the call is admitted, and has expired when the new row is written."""
    end = service.clock() + timedelta(hours=1)
    with using(service, caller, service.new_key(caller.account_id, expires_at=end)[1]).http as http:
        times = iter([end - MOMENT])
        monkeypatch.setattr(MovingClock, "__call__", lambda _: next(times, end))
        answer = http.post(url(caller, path), json={"name": "Late"})
    monkeypatch.undo()

    assert answer.status_code == 401
    error = envelope(answer).error
    assert (error.code, error.message) == (
        "unauthorized",
        "The API key has expired. Create a new one.",
    )
    assert len(listed(caller)) == 2


def test_keys_that_ended_are_forgotten_in_time_and_beyond_a_number(
    service: RunningService, caller: Caller
) -> None:
    old = make(caller, name="old")
    caller.http.delete(url(caller, f"/keys/{old['id']}"))
    expired = make(caller, name="expired", expires_at=in_hours(1))
    service.clock.ahead = keys.ENDED_KEYS_KEPT + timedelta(minutes=1)
    make(caller, name="new")
    assert [key["name"] for key in listed(caller)] == ["new", "expired", None]
    service.clock.ahead += timedelta(hours=2)
    make(caller, name="newer")
    assert [key["name"] for key in listed(caller)] == ["newer", "new", None]

    now, owner = service.clock(), caller.account_id

    def work(rows: Connection) -> None:
        for number in range(keys.ENDED_KEYS_MAX + 5):
            at = now + timedelta(milliseconds=number)
            key_id, _ = keys.create_key(rows, owner, KeyScope.API_FULL, None, at, name=str(number))
            keys.revoke_key(rows, key_id, at)

    service.database.write_now(work)
    service.clock.ahead += timedelta(seconds=1)
    make(caller, name="newest")
    names = [key["name"] for key in listed(caller, limit=100)]
    assert names[:2] == ["newest", str(keys.ENDED_KEYS_MAX + 4)]
    rows = service.database.read_now(
        lambda rows: rows.execute(api_keys.select().where(api_keys.c.account_id == owner)).all()
    )
    assert len(rows) == keys.ENDED_KEYS_MAX + 4  # the caller's own, and three that are in force
    assert expired["id"] not in {str(row.id) for row in rows}


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
        error = envelope(stranger.http.delete(url(stranger, path))).error
        assert (error.code, error.message) == ("not_found", "There is no such key.")
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


def test_keys_with_an_end_count_until_they_have_expired(service: RunningService, caller: Caller) -> None:
    end = service.clock() + timedelta(hours=1)
    for _ in range(KEYS_IN_FORCE_MAX - 1):
        service.new_key(caller.account_id, expires_at=end)

    assert caller.http.post(url(caller, "/keys"), json={"name": "One more"}).status_code == 403
    service.clock.ahead = timedelta(hours=1)
    make(caller)


def test_a_key_has_the_id_that_was_chosen_for_it(service: RunningService, caller: Caller) -> None:
    chosen, now = uuid4(), service.clock()

    def work(rows: Connection) -> tuple[UUID, str]:
        return keys.create_key(rows, caller.account_id, KeyScope.API_FULL, None, now, key_id=chosen)

    made, key = service.database.write_now(work)
    assert made == chosen
    assert status_of(service, key) == 200
    assert str(chosen) in {one["id"] for one in listed(caller)}


def test_only_keys_that_would_be_admitted_now_are_still_good(service: RunningService, caller: Caller) -> None:
    """Whoever listens is asked again and again whether it still may."""
    now, account = service.clock(), caller.account_id
    good = service.new_key(account, expires_at=now + timedelta(hours=1))[0], service.new_key(account)[0]
    expired, revoked = (
        service.new_key(account, expires_at=now + timedelta(minutes=1))[0],
        service.new_key(account)[0],
    )
    powerless, untold = service.new_key(account, KeyScope.NONE)[0], service.new_key(account)[0]
    lapsed = service.new_caller()
    lapsed_key = service.new_key(lapsed.account_id)[0]
    asked = {*good, expired, revoked, powerless, lapsed_key, uuid4()}

    def work(rows: Connection) -> frozenset[keys.Caller]:
        keys.revoke_key(rows, revoked, now)
        ended = accounts.update().where(accounts.c.id == lapsed.account_id)
        rows.execute(ended.values(status=SubscriptionStatus.INACTIVE.value))
        return keys.still_good(rows, asked, now + timedelta(minutes=1))

    assert service.database.write_now(work) == {keys.Caller(account, one) for one in good}
    assert untold not in asked
    assert [status_of(service, key) for key in (lapsed.key, caller.key)] == [401, 200]


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


@pytest.mark.parametrize(
    ("ago", "is_news"),
    [(None, True), (keys._USE_TOLD_EVERY, True), (keys._USE_TOLD_EVERY - MOMENT, False)],
    ids=str,
)
def test_a_use_is_news_when_the_last_one_is_long_ago(ago: timedelta | None, is_news: bool) -> None:
    used = replace(PRINCIPAL, last_used_at=None if ago is None else NOW - ago)

    assert used.use_is_news(NOW) is is_news


def test_a_key_is_good_until_the_moment_it_expires() -> None:
    PRINCIPAL.require_unexpired(NOW)
    ending = replace(PRINCIPAL, expires_at=NOW)
    ending.require_unexpired(NOW - MOMENT)
    with pytest.raises(keys.KeyRefusedError, match="has expired"):
        ending.require_unexpired(NOW)


def test_a_key_is_admitted_with_what_the_store_has_of_it(service: RunningService, caller: Caller) -> None:
    now = service.clock()
    end = now + timedelta(hours=1)
    key_id, key = service.new_key(caller.account_id, KeyScope.NONE, expires_at=end)

    def admitted(at: datetime) -> keys.Principal:
        return service.database.read_now(lambda rows: keys.authenticate(rows, key, at))

    plan = admitted(now).plan
    assert admitted(end - MOMENT) == keys.Principal(caller.account_id, KeyScope.NONE, key_id, plan, None, end)
    with pytest.raises(keys.KeyRefusedError, match="has expired"):
        admitted(end)
    service.database.write_now(lambda rows: keys.revoke_key(rows, key_id, now))
    with pytest.raises(keys.KeyRefusedError, match="was revoked"):
        admitted(now)


def test_the_numbers_of_keys_and_days_are_those_that_are_promised() -> None:
    assert (KEYS_IN_FORCE_MAX, keys.ENDED_KEYS_MAX) == (100, 100)
    assert timedelta(days=90) == keys.ENDED_KEYS_KEPT


def test_a_key_of_another_account_is_not_revoked(service: RunningService, caller: Caller) -> None:
    stranger = service.new_caller()
    key_id, key = service.new_key(caller.account_id)
    now = service.clock()

    def revoke(owner: UUID) -> bool:
        return service.database.write_now(lambda rows: keys.revoke_key(rows, key_id, now, owner=owner))

    assert revoke(stranger.account_id) is False
    assert status_of(service, key) == 200
    assert revoke(caller.account_id) is True
    assert status_of(service, key) == 401


def test_revoking_a_key_leaves_the_sign_in_links_of_others(service: RunningService, caller: Caller) -> None:
    stranger = service.new_caller()
    assert stranger.http.post(url(stranger, "/sign-in-link")).status_code == 201
    own = listed(caller)[0]["id"]
    caller.http.delete(url(caller, f"/keys/{own}"))

    theirs = sign_in_links.select().where(sign_in_links.c.account_id == stranger.account_id)
    assert len(service.database.read_now(lambda rows: rows.execute(theirs).all())) == 1


def test_keys_of_others_do_not_make_ended_keys_old(service: RunningService, caller: Caller) -> None:
    ended = make(caller)["id"]
    caller.http.delete(url(caller, f"/keys/{ended}"))
    stranger = service.new_caller()
    for _ in range(keys.ENDED_KEYS_MAX - 1):
        service.new_key(stranger.account_id)
    make(caller)

    assert ended in {key["id"] for key in listed(caller)}


def test_a_use_is_stored_with_its_own_key(service: RunningService, caller: Caller) -> None:
    used, unused = (service.new_key(caller.account_id)[0] for _ in range(2))
    now = service.clock()
    service.database.write_now(lambda rows: keys.tell_use(rows, used, now))

    found = service.database.read_now(lambda rows: rows.execute(api_keys.select()).all())
    last_uses = {row.id: row.last_used_at for row in found}
    assert (last_uses[used], last_uses[unused]) == (now, None)


def test_two_processes_make_keys_of_an_account_one_after_the_other(tmp_path: Path) -> None:
    """PostgreSQL alone: SQLite has one writer at a time."""
    with chosen("postgresql"):
        engine = service_engine(tmp_path)
        with engine.begin() as rows:
            owner = create_account(rows, "Ines", Plan.LOCAL, NOW)
        with engine.begin() as first, engine.begin() as second:
            keys.create_key(first, owner, KeyScope.API_FULL, None, NOW)
            second.execute(text("SET LOCAL lock_timeout = '200ms'"))
            with pytest.raises(OperationalError, match="lock timeout"):
                keys.create_key(second, owner, KeyScope.API_FULL, None, NOW)
        engine.dispose()
    take_back(tmp_path)


def test_a_key_that_ended_is_deleted_after_exactly_its_time(service: RunningService, caller: Caller) -> None:
    owner, now = caller.account_id, service.clock()
    revoked, expired = (service.new_key(owner, expires_at=now + timedelta(days=1))[0] for _ in range(2))

    def left(at: datetime) -> set[UUID]:
        """Those of the two that are stored after a key was made."""

        def work(rows: Connection) -> set[UUID]:
            keys.create_key(rows, owner, KeyScope.API_FULL, None, at)
            return {row.id for row in rows.execute(api_keys.select())} & {revoked, expired}

        return service.database.write_now(work)

    service.database.write_now(lambda rows: keys.revoke_key(rows, revoked, now))
    end = now + keys.ENDED_KEYS_KEPT
    assert left(end - MOMENT) == {revoked, expired}
    assert left(end) == {expired}
    assert left(end + timedelta(days=1) - MOMENT) == {expired}
    assert left(end + timedelta(days=1)) == set()


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
