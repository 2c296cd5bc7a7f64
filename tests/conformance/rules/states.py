"""The states of posts, and their transitions."""

from tests.conformance.outcome import expect, same
from tests.conformance.register import rule
from tests.conformance.shapes import moment
from tests.conformance.stage import Stage, in_future

STATES = "States and transitions"
VALUES = ("scheduled", "queued", "processing", "posted", "failed", "cancelled")


@rule(STATES, "Post status values")
def the_six_states_can_be_asked_for_and_no_other(stage: Stage) -> None:
    for status in VALUES:
        listed = stage.api.get("/posts", status=status).given()["data"]
        expect(all(one["status"] == status for one in listed), f"the list of {status} holds others")
    stage.api.get("/posts", status="published").refused("validation_error")


@rule(STATES, "(none) · Create post", alone=True)
def a_post_with_a_time_in_the_future_is_scheduled_with_its_event(stage: Stage) -> None:
    inbox = stage.inbox()
    stage.subscribe(inbox, "post.scheduled")
    created = stage.planned()
    same(created["status"], "scheduled", "the status of a planned post")
    told = inbox.wait(lambda one: about(one.body, created["id"]), 1, stage.target.patience_s)
    expect(told, "no event post.scheduled came")


@rule(STATES, "pending post · Reschedule")
def moving_a_scheduled_post_keeps_its_status(stage: Stage) -> None:
    post, at = stage.planned(), in_future(days=9)
    moved = stage.api.patch(f"/posts/{post['id']}", {"scheduled_at": at}).given()
    same((moved["status"], moment(moved["scheduled_at"])), ("scheduled", moment(at)), "the moved post")


@rule(STATES, "pending post · Reschedule")
def moving_a_cancelled_post_resumes_it(stage: Stage) -> None:
    path, at = f"/posts/{stage.planned()['id']}", in_future(days=9)
    stage.api.delete(path).given()
    resumed = stage.api.patch(path, {"scheduled_at": at}).given()
    same((resumed["status"], moment(resumed["scheduled_at"])), ("scheduled", moment(at)), "the resumed post")


@rule(STATES, "pending post · Reschedule")
def a_resumed_post_is_published_at_its_new_time(stage: Stage) -> None:
    path = f"/posts/{stage.planned()['id']}"
    stage.api.delete(path).given()
    at = in_future(seconds=6)
    stage.api.patch(path, {"scheduled_at": at}).given()
    post = stage.ended(path.rpartition("/")[2], "posted")
    expect(moment(post["posted_at"]) >= moment(at), "the resumed post went out before its time")


@rule(STATES, "any post · Delete post without hard")
def a_soft_delete_cancels_and_keeps_row_and_media(stage: Stage) -> None:
    media = stage.picture()
    post = stage.post(stage.text_post(post_type="image", media_storage_path=media))
    stage.api.delete(f"/posts/{post['id']}").given()
    kept = stage.api.get(f"/posts/{post['id']}").given()
    same(kept, {**post, "status": "cancelled"}, "the cancelled post")
    view = stage.api.get(f"/media/{media}").given()
    same(stage.fetch(view["view_url"]).status_code, 200, "the status of the file of a cancelled post")


@rule(STATES, "any post · Delete post without hard")
def a_cancelled_post_is_not_published(stage: Stage) -> None:
    account = stage.fresh_connection()
    cancelled = stage.post(stage.text_post(account, scheduled_at=in_future(seconds=8)))
    stage.api.delete(f"/posts/{cancelled['id']}").given()
    later = stage.post(stage.text_post(account, scheduled_at=in_future(seconds=9)))
    stage.ended(later["id"], "posted")
    same(
        stage.api.get(f"/posts/{cancelled['id']}").given()["status"], "cancelled", "the status after its time"
    )
    same(len(stage.practice.published(account["account_identifier"])), 1, "the number of publications")


@rule(STATES, "any post · Delete post with hard=true")
def a_hard_delete_removes_the_post_and_its_media(stage: Stage) -> None:
    media = stage.picture()
    post = stage.post(stage.text_post(post_type="image", media_storage_path=media))
    view = stage.api.get(f"/media/{media}").given()["view_url"]
    stage.api.delete(f"/posts/{post['id']}", hard=True).given()
    stage.api.get(f"/posts/{post['id']}").refused("not_found")
    stage.wait_for(
        "the file of a deleted post to go", lambda: stage.fetch(view).status_code, lambda now: now >= 400
    )


@rule(STATES, "any post · Delete post with hard=true")
def a_published_post_can_be_deleted_too(stage: Stage) -> None:
    path = f"/posts/{stage.published()['id']}"
    same(stage.api.delete(path).given()["action"], "cancelled", "the action of a soft delete")
    same(stage.api.get(path).given()["status"], "cancelled", "the status after it")
    same(stage.api.delete(path, hard=True).given()["action"], "deleted", "the action of a hard delete")


@rule(
    STATES,
    "published post · (publishing)",
    also={"Events": ["post.published · A post is published"]},
    alone=True,
)
def publishing_ends_as_posted_with_time_and_event(stage: Stage) -> None:
    inbox = stage.inbox()
    stage.subscribe(inbox, "post.published")
    post = stage.published()
    expect(post["posted_at"] is not None, "posted_at is null on a posted post")
    told = inbox.wait(lambda one: about(one.body, post["id"]), 1, stage.target.patience_s)
    expect(told, "no event post.published came")


@rule(
    STATES,
    "post · (publishing) · Publishing fails",
    also={"Events": ["post.failed · Publishing a post fails"]},
    alone=True,
)
def a_refused_post_ends_as_failed_with_its_event(stage: Stage) -> None:
    inbox = stage.inbox()
    stage.subscribe(inbox, "post.failed")
    post = stage.failed()
    same(post["posted_at"], None, "posted_at of a failed post")
    told = inbox.wait(lambda one: about(one.body, post["id"]), 1, stage.target.patience_s)
    expect(told, "no event post.failed came")


@rule(STATES, "Connection states: a connection is available")
def a_connection_is_available_until_its_token_is_dead(stage: Stage) -> None:
    same(stage.fresh_connection("pinterest")["is_available"], True, "is_available of a new connection")
    same(stage.expired_connection("pinterest")["is_available"], False, "is_available after the token died")


@rule(STATES, "Webhook subscription states: active true or false")
def a_subscription_is_active_or_not(stage: Stage) -> None:
    created = stage.subscribe(stage.inbox())
    same(created["active"], True, "active of a new subscription")
    changed = stage.api.patch(f"/webhooks/{created['id']}", {"active": False}).given()
    same(changed["active"], False, "active after PATCH with false")


def about(body: dict[str, object], post_id: str) -> bool:
    """Whether an event is about this post, anywhere in its body."""
    return post_id in str(body.get("data"))
