"""Which pins are the one that was lost, and when there is none."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from app.contract.enums import ConnectionPlatform, PostType
from app.platforms.base import FailureKind, LookBack, LookBackOutcome
from tests.platforms.scripted import NOW, Script, json_answer, publication
from tests.platforms.test_files_against_practice import board_of
from tests.platforms.world import Practice, connect, picture

PLATFORM = ConnectionPlatform.PINTEREST
POST = replace(publication("1", post_type=PostType.IMAGE), title="Title", board_id="3")
ABSENT = LookBack(LookBackOutcome.ABSENT)
UNKNOWABLE = LookBack(LookBackOutcome.UNKNOWABLE)
OLDER = (NOW - timedelta(hours=1)).isoformat()


def pin(pin_id: str = "9", **more: object) -> dict[str, object]:
    texts = {"title": "Title", "description": "Good morning", "link": None}
    return {"id": pin_id, **texts, "created_at": "2026-11-21T12:00:00", "is_owner": True, **more}


def page(*pins: dict[str, object], bookmark: str | None = None) -> httpx.Response:
    return json_answer(200, {"items": pins, "bookmark": bookmark})


def look(*answers: httpx.Response) -> tuple[LookBack, Script]:
    script = Script(*answers)
    since = NOW - timedelta(minutes=1)
    seen = script.run(PLATFORM, lambda adapter: adapter.look_back(POST, since=since, known=("4",)))
    return seen, script


def test_a_pin_on_its_board_needs_no_other_list() -> None:
    seen, script = look(page(pin()))
    assert (seen.outcome, seen.item.content_id if seen.item else None) == (LookBackOutcome.FOUND, "9")
    assert [request.url.path for request in script.requests] == ["/v5/boards/3/pins"]


def test_a_pin_is_absent_if_no_board_has_it() -> None:
    others = pin("4"), pin("8", title="Other", created_at=OLDER)
    seen, script = look(page(*others), page(*others))
    assert seen == ABSENT
    assert [request.url.path for request in script.requests] == ["/v5/boards/3/pins", "/v5/pins"]
    assert script.requests[1].url.params["include_protected_pins"] == "true"


def test_a_pin_that_was_moved_is_found() -> None:
    assert look(page(), page(pin()))[0].outcome is LookBackOutcome.FOUND


@pytest.mark.parametrize("edited", [{"title": "New"}, {"description": "Good morning, all"}, {"title": None}])
def test_another_text_rules_no_pin_out(edited: dict[str, Any]) -> None:
    assert look(page(pin(**edited)))[0] == UNKNOWABLE
    assert look(page(), page(pin(**edited)))[0] == UNKNOWABLE


@pytest.mark.parametrize("other", [{"is_owner": False}, {"parent_pin_id": "7"}, {"created_at": OLDER}])
def test_the_pin_of_somebody_else_a_saved_one_and_an_older_one_are_not_ours(other: dict[str, Any]) -> None:
    assert look(page(pin(**other)), page())[0] == ABSENT


def many(first_id: int) -> list[dict[str, Any]]:
    """250 pins, newest first, all older than the call."""
    times = [NOW - timedelta(hours=1, seconds=10_000 - first_id + number) for number in range(250)]
    return [pin(str(first_id - number), created_at=at.isoformat()) for number, at in enumerate(times)]


def test_many_pins_are_read_as_far_as_needed_if_they_are_in_order() -> None:
    assert look(page(), page(*many(9000), bookmark="p2"))[0] == ABSENT
    short = many(9000)[:249]
    assert look(page(), page(*short, bookmark="p2"), page(*many(5000), bookmark="p3"))[0] == ABSENT


def test_lists_without_order_and_end_prove_nothing() -> None:
    pages = [page(*many(9000)[::-1], bookmark="more") for _ in range(10)]
    assert look(page(), *pages)[0] == UNKNOWABLE


def test_a_lost_pin_that_its_author_moved_and_edited(practice: Practice) -> None:
    member = connect(practice, PLATFORM)
    board = board_of(practice, member)
    post = member.with_file("Good morning", picture(), title="Title", board_id=board)
    boards = practice.run(
        PLATFORM,
        lambda adapter: adapter.boards(member.grant.access_token, page_size=25, bookmark=None),
    ).boards
    elsewhere = next(one.id for one in boards if one.id != board and one.privacy == "PROTECTED")

    def outcome(*known: str) -> LookBackOutcome:
        since = datetime.now(UTC) - timedelta(minutes=1)
        seen = practice.run(PLATFORM, lambda adapter: adapter.look_back(post, since=since, known=known))
        assert isinstance(seen, LookBack)
        return seen.outcome

    assert practice.lose(PLATFORM, post).kind is FailureKind.AMBIGUOUS
    [entry] = practice.ledger(member.profile.account_identifier)
    practice.edit(PLATFORM, entry["content_id"], board_id=elsewhere)
    assert outcome() is LookBackOutcome.FOUND
    practice.edit(PLATFORM, entry["content_id"], title="Better title")
    assert outcome() is LookBackOutcome.UNKNOWABLE
    assert outcome(entry["content_id"]) is LookBackOutcome.ABSENT
