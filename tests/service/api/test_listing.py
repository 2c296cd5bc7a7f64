"""Rows that go out as text say the same as the models would."""

from datetime import UTC, datetime, timedelta
from itertools import chain
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.base import format_timestamp
from app.contract.pagination import Page
from app.contract.posts import Post
from app.service.api import listing
from app.service.api.listing import dashed, timestamp
from tests.service.running import Caller

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@given(at=st.datetimes(timezones=st.just(UTC)))
def test_a_time_reads_like_the_contracts(at: datetime) -> None:
    milliseconds = (at - EPOCH) // timedelta(milliseconds=1)

    assert timestamp(milliseconds) == format_timestamp(EPOCH + milliseconds * timedelta(milliseconds=1))


@given(row=st.uuids())
def test_an_id_reads_as_usual(row: UUID) -> None:
    assert dashed(row.hex) == str(row)


def test_nothing_stays_nothing() -> None:
    assert timestamp(None) is None
    assert dashed(None) is None


def test_a_list_is_what_the_models_would_write(caller: Caller) -> None:
    account = caller.connect()
    for number in range(3):
        caller.create(account, title=f'"{number}" \\ é 👩', batch_id="b" if number else "a")

    answer = caller.http.get("/posts", params={"limit": 2})

    page = Page[Post].model_validate_json(answer.content)
    assert page.model_dump_json() == answer.text
    assert [caller.http.get(f"/posts/{post.id}").text for post in page.data] == [
        post.model_dump_json() for post in page.data
    ]


def test_pages_of_very_long_texts_end_early_and_lead_to_the_rest(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "_LONGEST", 1_000)
    account = caller.connect()
    ids = [caller.create(account, description="x" * 400)["id"] for _ in range(5)]

    pages: list[list[str]] = []
    cursor = None
    while not pages or cursor is not None:
        params = {"limit": 100, **({"cursor": cursor} if cursor else {})}
        page = caller.http.get("/posts", params=params).json()
        pages.append([post["id"] for post in page["data"]])
        cursor = page["next_cursor"]
    assert sorted(chain.from_iterable(pages)) == sorted(ids)
    assert {len(page) for page in pages} <= {1, 2}


def test_a_page_holds_at_least_one_post(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_LONGEST", 10)
    caller.create(caller.connect(), description="x" * 400)
    assert len(caller.http.get("/posts").json()["data"]) == 1
