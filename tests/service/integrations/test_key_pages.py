"""Keys on the pages: made, shown once, revoked, by their owner alone."""

from datetime import timedelta
from uuid import uuid4

import pytest

from app.contract.enums import SubscriptionStatus
from app.contract.limits import API_KEY_NAME_MAX
from app.service.accounts.accounts import KEY_FORMAT, KEYS_IN_FORCE_MAX, change_account
from tests.service.integrations.visiting import Visitor
from tests.service.running import Caller, RunningService
from tests.service.test_companion_keys import listed, make, status_of


def create(visitor: Visitor, name: str = "Zapier", **fields: str) -> str:
    """Makes a key on the page; gives what the page shows of it, once."""
    visitor.open()
    answer = visitor.send("/keys", name=name, **fields)
    assert answer.status_code == 200, answer.text
    found = KEY_FORMAT.findall(answer.text)
    assert len(found) == 1
    return str(found[0])


def test_a_key_works_at_once_and_is_shown_once(owner: Visitor, caller: Caller) -> None:
    key = create(owner)

    assert "Copy it now." in owner.page.text
    assert status_of(caller.service, key) == 200
    assert owner.at.headers["cache-control"] == "no-store"
    assert key not in owner.open().text
    assert f"ends in …{key[-4:]}" in owner.page.text
    assert key not in caller.http.get(f"{caller.service.base_url}/companion/v1/keys").text


def test_a_page_loaded_again_shows_no_key_and_makes_none(owner: Visitor, caller: Caller) -> None:
    owner.open()
    form = owner.form("/keys")
    fields = form.fields | {"name": "Zapier"}
    first = owner.post(form.action, fields)
    assert first.status_code == 200
    before = len(listed(caller))

    again = owner.post(form.action, fields)

    assert again.status_code == 409
    assert KEY_FORMAT.findall(again.text) == []
    assert "already shown" in again.text
    assert len(listed(caller)) == before


def test_the_id_of_somebody_elses_key_makes_no_key(
    owner: Visitor, service: RunningService, caller: Caller
) -> None:
    theirs = make(service.new_caller())["id"]

    assert owner.send("/keys", name="Zapier", form_id=theirs).status_code == 409
    assert len(listed(caller)) == 1


def test_a_key_ends_when_the_form_said(owner: Visitor, service: RunningService) -> None:
    key = create(owner, expires="7")
    service.clock.ahead = timedelta(days=7)

    assert status_of(service, key) == 401


def test_a_key_without_an_end_has_none(owner: Visitor, caller: Caller) -> None:
    create(owner)

    assert listed(caller)[0]["expires_at"] is None


@pytest.mark.parametrize("name", ["", "   ", "x" * (API_KEY_NAME_MAX + 1), "a\x00b", "a\nb"])
def test_a_bad_name_is_said_at_its_field_and_makes_nothing(owner: Visitor, caller: Caller, name: str) -> None:
    assert owner.send("/keys", name=name).status_code == 400

    field = next(given for given in owner.page.attributes("input") if given.get("id") == "name")
    assert field["aria-invalid"] == "true"
    assert field["aria-describedby"] in [given.get("id") for given in owner.page.attributes("p")]
    assert [given for given in owner.page.attributes("div") if given.get("role") == "alert"]
    assert "<title>Error: " in owner.at.text
    assert len(listed(caller)) == 1


def test_a_name_is_text_whatever_it_holds(owner: Visitor) -> None:
    name = "<script>alert(1)</script> & \"'"
    create(owner, name)

    assert name in owner.open().text
    assert "<script" not in owner.at.text


def test_a_revoked_key_ends_at_once(owner: Visitor, caller: Caller) -> None:
    made = make(caller, name="Old website")
    page = owner.open()
    assert f"/integrations/keys/{made['id']}/revoke" in [given["href"] for given in page.attributes("a")]

    owner.open(f"/integrations/keys/{made['id']}/revoke")
    assert owner.page.titles == ["Revoke this key?"]
    assert "Old website" in owner.page.text
    assert status_of(caller.service, made["key"]) == 200
    answer = owner.send("/revoke")

    assert (answer.status_code, answer.headers["location"]) == (303, "/integrations?note=revoked")
    assert status_of(caller.service, made["key"]) == 401
    text = owner.open("/integrations?note=revoked").text
    assert "The key was revoked." in text
    assert f"Old website …{made['hint']}, revoked" in text
    assert owner.http.get(f"/integrations/keys/{made['id']}/revoke").status_code == 404


def test_keys_of_others_are_neither_seen_nor_revoked(owner: Visitor, service: RunningService) -> None:
    other = service.new_caller()
    made = make(other, name="Somebody else's")
    path = f"/integrations/keys/{made['id']}/revoke"
    token = owner.form("/keys").fields["form_token"]

    assert "Somebody else's" not in owner.open().text
    assert owner.http.get(path).status_code == owner.post(path, {"form_token": token}).status_code == 404
    assert owner.post(f"/integrations/keys/{uuid4()}/revoke", {"form_token": token}).status_code == 404
    assert status_of(service, made["key"]) == 200


def test_so_many_keys_are_enough(owner: Visitor, service: RunningService, caller: Caller) -> None:
    for _ in range(KEYS_IN_FORCE_MAX - 1):
        service.new_key(caller.account_id)

    answer = owner.send("/keys", name="One more")

    assert answer.status_code == 403
    assert "Revoke one first." in owner.page.text


def test_an_account_without_a_subscription_is_told_so(owner: Visitor, caller: Caller) -> None:
    assert "No active subscription." not in owner.open().text
    caller.service.database.write_now(
        lambda rows: change_account(rows, caller.account_id, status=SubscriptionStatus.PAST_DUE)
    )

    assert "No active subscription." in owner.open().text
