"""The fields of a post, and of a delete result."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from tests.conformance.document import rows
from tests.conformance.outcome import expect, same
from tests.conformance.register import rule
from tests.conformance.shapes import POST, check_page, check_shape, moment
from tests.conformance.stage import TEXT_PLATFORMS, Stage, in_future

DELETED = "Post delete result"
SLACK = timedelta(minutes=5)


@rule(
    POST, *rows(POST), also={"Posts": ["POST /posts · returns PostDTO", "GET /posts/{id} · Returns PostDTO"]}
)
def posts_have_the_fields_of_their_table_everywhere(stage: Stage) -> None:
    created = stage.planned(batch_id=str(uuid4()))
    check_shape(POST, created)
    check_shape(POST, stage.api.get(f"/posts/{created['id']}").given())
    check_shape(POST, stage.api.patch(f"/posts/{created['id']}", {"scheduled_at": in_future()}).given())
    check_page(POST, stage.api.get("/posts", batch_id=created["batch_id"]).given())


@rule(POST, "id · Post id")
def the_id_names_the_post(stage: Stage) -> None:
    created = stage.planned()
    same(stage.api.get(f"/posts/{created['id']}").given(), created, "the post by its id")


@rule(
    POST,
    "Title when set",
    "Body text when set",
    "Publish time",
    "Target account",
    "Batch when created in one",
    "empty for text posts",
)
def a_post_holds_what_it_was_created_with(stage: Stage) -> None:
    at, batch_id = in_future(days=3), str(uuid4())
    body = stage.text_post(scheduled_at=at, title="A title", batch_id=batch_id)
    created = stage.post(body)
    for name in ("title", "description", "platform", "post_type", "social_account_id", "batch_id"):
        same(created[name], body[name], name)
    same(moment(created["scheduled_at"]), moment(at), "scheduled_at")
    same(created["media_storage_path"], "", "media_storage_path of a text post")


@rule(POST, "Title when set", "Batch when created in one")
def what_was_not_set_is_null(stage: Stage) -> None:
    created = stage.planned()
    same((created["title"], created["batch_id"]), (None, None), "title and batch_id")


@rule(POST, "Storage path of attached media", also={"Media upload URL result": ["Path to use as media"]})
def a_post_with_a_picture_holds_its_path(stage: Stage) -> None:
    account = stage.connection(*TEXT_PLATFORMS)
    path = stage.picture()
    created = stage.post(stage.text_post(account, post_type="image", media_storage_path=path))
    same(created["media_storage_path"], path, "media_storage_path")


@rule(POST, "Set once published")
def posted_at_is_null_until_the_post_is_published(stage: Stage) -> None:
    same(stage.planned()["posted_at"], None, "posted_at of a planned post")
    began = datetime.now(UTC) - SLACK
    posted_at = moment(stage.published()["posted_at"])
    expect(
        began < posted_at < datetime.now(UTC) + SLACK, f"posted_at {posted_at} is not when it was published"
    )


@rule(POST, "created_at · Record creation time")
def created_at_is_when_the_post_was_created(stage: Stage) -> None:
    created_at = moment(stage.planned()["created_at"])
    expect(abs(created_at - datetime.now(UTC)) < SLACK, f"created_at is {created_at}")


@rule(
    DELETED,
    *rows(DELETED),
    "Post acted on",
    "cancelled or deleted",
    also={"Posts": ["Returns the post delete result"]},
)
def deleting_says_which_post_was_cancelled_or_deleted(stage: Stage) -> None:
    post_id = stage.planned()["id"]
    for hard, action in ((False, "cancelled"), (True, "deleted")):
        result = stage.api.delete(f"/posts/{post_id}", hard=hard).given()
        check_shape(DELETED, result)
        same((result["id"], result["action"]), (post_id, action), f"the result with hard={hard}")


@rule(DELETED, "Batch-operation details when available")
def deleting_a_post_of_a_batch_gives_an_object_or_null_as_details(stage: Stage) -> None:
    post = stage.planned(batch_id=str(uuid4()))
    check_shape(DELETED, stage.api.delete(f"/posts/{post['id']}").given())
