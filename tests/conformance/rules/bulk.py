"""Creating posts in bulk."""

import secrets
from uuid import uuid4

from tests.conformance.document import rows
from tests.conformance.outcome import expect, same
from tests.conformance.register import rule
from tests.conformance.shapes import check_shape
from tests.conformance.stage import Fields, Stage

RESULT = "Bulk create result"
POSTS = "Posts"


def bulk(stage: Stage, items: list[Fields]) -> Fields:
    """Return the result of a bulk call, which must be successful. Its posts are removed after the rule."""
    result: Fields = stage.api.post("/posts/bulk", {"posts": items}).given()
    check_shape(RESULT, result)
    for post in result["posts"]:
        stage.remove_later(post["id"])
    return result


@rule(
    RESULT,
    *rows(RESULT),
    "True when the batch was processed",
    "Items received",
    "Posts stored",
    "Inserted posts",
    also={POSTS: ["Returns the bulk create result"]},
)
def good_items_are_all_stored_in_order(stage: Stage) -> None:
    items = [stage.text_post() for _ in range(3)]
    result = bulk(stage, items)
    same(
        (result["success"], result["total"], result["inserted"]), (True, 3, 3), "success, total and inserted"
    )
    same((result["duplicates"], result["rejected"]), (0, []), "duplicates and rejected")
    same([post["description"] for post in result["posts"]], [item["description"] for item in items], "posts")
    for post in result["posts"]:
        same(stage.api.get(f"/posts/{post['id']}").given(), post, "a post of the batch by its id")


@rule(
    RESULT,
    "Shared batch id, server-generated",
    also={POSTS: ["In a bulk call all posts share one server-generated batch_id"]},
)
def all_posts_share_a_batch_id_that_the_service_made(stage: Stage) -> None:
    own = str(uuid4())
    result = bulk(stage, [stage.text_post(batch_id=own), stage.text_post()])
    same({post["batch_id"] for post in result["posts"]}, {result["batch_id"]}, "the batch ids of the posts")
    expect(result["batch_id"] != own, "the batch id is the one of an item")
    listed = stage.api.get("/posts", batch_id=result["batch_id"]).given()["data"]
    same(len(listed), 2, "the number of posts listed by the batch id")


@rule(POSTS, "each item gets idempotency key batch_id:index unless it provides one")
def an_item_without_an_idempotency_key_gets_one_of_its_batch(stage: Stage) -> None:
    item = stage.text_post()
    result = bulk(stage, [item, dict(item)])
    same((result["inserted"], result["duplicates"]), (2, 0), "inserted and duplicates of two equal items")
    taken = {**item, "idempotency_key": f"{result['batch_id']}:0", "batch_id": result["batch_id"]}
    again = stage.api.post("/posts", taken)
    known = again.status == 400 or again.given()["id"] == result["posts"][0]["id"]
    expect(known, "the idempotency key batch_id:0 is not the one of the first item")


@rule(
    RESULT,
    "Items skipped because of their idempotency key",
    also={POSTS: ["items skipped by idempotency key count in duplicates"]},
)
def an_item_whose_idempotency_key_was_used_is_skipped(stage: Stage) -> None:
    used = stage.text_post(idempotency_key=secrets.token_hex(8))
    first = stage.post(used)
    result = bulk(stage, [used, stage.text_post()])
    same(
        (result["total"], result["inserted"], result["duplicates"]), (2, 1, 1), "total, inserted, duplicates"
    )
    expect(first["id"] not in [post["id"] for post in result["posts"]], "the skipped post is among the posts")
    twice = stage.text_post(idempotency_key=secrets.token_hex(8))
    result = bulk(stage, [twice, dict(twice)])
    same((result["inserted"], result["duplicates"]), (1, 1), "inserted and duplicates of one key used twice")


@rule(
    RESULT,
    "Items that failed validation, with reasons",
    also={POSTS: ["Bulk partial success is possible: rejected items are listed in rejected"]},
)
def bad_items_are_rejected_with_reasons_and_good_ones_stored(stage: Stage) -> None:
    good = stage.text_post()
    wrong = (
        stage.text_post(post_type="poem"),
        {"description": "nothing else"},
        stage.text_post(title="x" * 501),
        stage.text_post(scheduled_at="2020-01-01T00:00:00Z"),
    )
    result = bulk(stage, [wrong[0], good, *wrong[1:]])
    same(
        (result["success"], result["total"], result["inserted"]), (True, 5, 1), "success, total and inserted"
    )
    same([post["description"] for post in result["posts"]], [good["description"]], "the posts")
    same(len(result["rejected"]), 4, "the number of rejected items")
    expect(all(result["rejected"]), "a rejected item carries no reason")


@rule(POSTS, "Body {posts: object[]}, 1 to 30 items", also={"Limits": ["Bulk posts · 1 to 30 items"]})
def a_batch_has_1_to_30_items(stage: Stage) -> None:
    same(bulk(stage, [stage.text_post()])["inserted"], 1, "inserted of one item")
    same(bulk(stage, [stage.text_post() for _ in range(30)])["inserted"], 30, "inserted of 30 items")
    stage.api.post("/posts/bulk", {"posts": []}).names("posts")
    stage.api.post("/posts/bulk", {"posts": [stage.text_post() for _ in range(31)]}).names("posts")
    stage.api.post("/posts/bulk", {}).names("posts")
    for wrong in (None, "text", {"post": 1}):
        stage.api.post("/posts/bulk", {"posts": wrong}).names("posts")


@rule(POSTS, "Body {posts: object[]}, 1 to 30 items, each with the create-post fields")
def items_have_the_fields_of_create_and_its_rules(stage: Stage) -> None:
    same(bulk(stage, [stage.text_post(title="A title")])["posts"][0]["title"], "A title", "the title")
    result = bulk(stage, [stage.text_post(stage.connection("youtube")), stage.text_post()])
    same((result["inserted"], len(result["rejected"])), (1, 1), "inserted and rejected")
