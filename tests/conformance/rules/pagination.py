"""The pagination envelope of every list."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from tests.conformance.document import rows
from tests.conformance.outcome import expect, same
from tests.conformance.register import rule
from tests.conformance.shapes import check_page, check_shape, moment
from tests.conformance.stage import Stage

SECTION = "Pagination envelope"
LISTS = ("/posts", "/connections", "/analytics", "/content-history")
LIMIT_RULE = "Every list endpoint takes limit (1 to 100, default 20) and cursor"


def batch(stage: Stage, count: int) -> tuple[str, list[str]]:
    """Schedule posts in one batch; return the batch and the IDs in the order of creation."""
    batch_id = str(uuid4())
    return batch_id, [stage.planned(batch_id=batch_id)["id"] for _ in range(count)]


def pages(stage: Stage, path: str, **query: Any) -> Iterator[list[dict[str, Any]]]:
    """Yield every page, passing each cursor back unchanged."""
    cursor = None
    while True:
        page = stage.api.get(path, **query, **({"cursor": cursor} if cursor else {})).given()
        yield page["data"]
        if (cursor := page["next_cursor"]) is None:
            return


@rule(SECTION, *rows(SECTION), also={"Endpoints": ["list endpoints return the pagination envelope"]})
def every_list_answers_with_the_envelope(stage: Stage) -> None:
    for path in LISTS:
        check_shape(SECTION, stage.api.get(path).given())


@rule(SECTION, "Resource objects, newest first", also={"Posts": ["Returns envelope of PostDTO"]})
def posts_are_listed_newest_first(stage: Stage) -> None:
    batch_id, ids = batch(stage, 4)
    listed = check_page("Post (PostDTO)", stage.api.get("/posts", batch_id=batch_id).given())
    same([one["id"] for one in listed], ids[::-1], "the order of posts")
    times = [moment(one["created_at"]) for one in listed]
    same(times, sorted(times, reverse=True), "the order of created_at")


@rule(SECTION, "Null means the last page")
def a_null_cursor_means_the_last_page(stage: Stage) -> None:
    batch_id, ids = batch(stage, 3)
    first = stage.api.get("/posts", batch_id=batch_id, limit=2).given()
    expect(isinstance(first["next_cursor"], str), "next_cursor is null although there is another page")
    last = stage.api.get("/posts", batch_id=batch_id, limit=2, cursor=first["next_cursor"]).given()
    same((last["next_cursor"], [one["id"] for one in last["data"]]), (None, ids[:1]), "the last page")
    whole = stage.api.get("/posts", batch_id=batch_id, limit=3).given()
    same(whole["next_cursor"], None, "next_cursor of a page that ends exactly at the end")


@rule(SECTION, "Opaque: pass back exactly as received")
def passing_the_cursor_back_gives_every_resource_once(stage: Stage) -> None:
    batch_id, ids = batch(stage, 5)
    listed = [one["id"] for page in pages(stage, "/posts", batch_id=batch_id, limit=2) for one in page]
    same(listed, ids[::-1], "all pages together")


@rule(SECTION, "The cursor is based on the resource creation date")
def what_is_created_meanwhile_neither_repeats_nor_hides_a_resource(stage: Stage) -> None:
    batch_id, ids = batch(stage, 4)
    first = stage.api.get("/posts", batch_id=batch_id, limit=2).given()
    stage.planned(batch_id=batch_id)
    rest = stage.api.get("/posts", batch_id=batch_id, limit=2, cursor=first["next_cursor"]).given()
    same([one["id"] for one in rest["data"]], [ids[1], ids[0]], "the second page")


@rule(SECTION, LIMIT_RULE, also={"Limits": ["limit on list endpoints"]})
def a_page_holds_as_many_as_the_limit_and_twenty_by_default(stage: Stage) -> None:
    batch_id, _ = batch(stage, 21)
    for limit in (1, 7):
        page = stage.api.get("/posts", batch_id=batch_id, limit=limit).given()
        same(len(page["data"]), limit, f"the length of a page with limit {limit}")
    page = stage.api.get("/posts", batch_id=batch_id).given()
    same(len(page["data"]), 20, "the length of a page without limit")
    expect(page["next_cursor"], "next_cursor is missing although 21 posts are there")


@rule(SECTION, LIMIT_RULE, also={"Limits": ["limit on list endpoints"]})
def every_list_takes_limits_from_1_to_100(stage: Stage) -> None:
    for path in LISTS:
        for limit in (1, 100):
            stage.api.get(path, limit=limit).given()
        for wrong in ("0", "101", "-1", "x", "1.5"):
            stage.api.get(path, limit=wrong).refused("validation_error")


@rule(SECTION, LIMIT_RULE)
def deliveries_take_limits_from_1_to_100(stage: Stage) -> None:
    subscription = stage.subscribe(stage.inbox())
    path = f"/webhooks/{subscription['id']}/deliveries"
    for limit in (1, 100):
        check_page("Webhook delivery record", stage.api.get(path, limit=limit).given())
    for limit in (0, 101):
        stage.api.get(path, limit=limit).refused("validation_error")


@rule(SECTION, "Every list endpoint takes limit", "Opaque: pass back exactly as received")
def the_pages_of_other_lists_hold_each_resource_once(stage: Stage) -> None:
    ids = {stage.fresh_connection("x")["id"] for _ in range(3)}
    lists: tuple[tuple[str, dict[str, object]], ...] = (
        ("/connections", {"platform": "x", "limit": 2}),
        ("/content-history", {"limit": 10}),
        ("/analytics", {"limit": 10}),
    )
    for path, query in lists:
        found = [one["id"] for page in pages(stage, path, **query) for one in page]
        same(len(found), len(set(found)), f"the number of resources of {path}")
        expect(path != "/connections" or ids <= set(found), "the pages leave an account out")
