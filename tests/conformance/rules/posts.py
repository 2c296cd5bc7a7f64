"""The endpoints of posts: creating, listing, moving, deleting."""

import secrets
from uuid import uuid4

from tests.conformance.document import rows
from tests.conformance.outcome import expect, same
from tests.conformance.register import rule
from tests.conformance.shapes import check_page, moment
from tests.conformance.stage import TEXT_PLATFORMS, Stage, in_future

POSTS = "Posts"
BODY = tuple(
    rows(
        POSTS,
        "social_account_id",
        "platform",
        "post_type",
        "description",
        "title",
        "media_storage_path",
        "scheduled_at",
        "idempotency_key",
        "batch_id",
        "pinterest_board_id",
        "pinterest_board_name",
        "pinterest_link",
    )
)
REQUIRED = ("social_account_id", "platform", "post_type", "description")
OPTIONAL = (
    *("title", "media_storage_path", "scheduled_at", "idempotency_key", "batch_id"),
    *("pinterest_board_id", "pinterest_board_name", "pinterest_link"),
)
WRONG: tuple[object, ...] = (7, ["text"], {})


@rule(POSTS, "POST /posts · Body below", *BODY)
def required_fields_must_be_there_and_optional_ones_may_be_left_out(stage: Stage) -> None:
    good = stage.text_post()
    stage.post(good)
    for name in REQUIRED:
        without = {key: value for key, value in good.items() if key != name}
        stage.api.post("/posts", without).names(name)


@rule(POSTS, *BODY)
def fields_of_another_type_are_refused(stage: Stage) -> None:
    good = stage.text_post()
    for name in (*REQUIRED, *OPTIONAL):
        for wrong in WRONG:
            stage.api.post("/posts", {**good, name: wrong}).names(name)
    for name in ("social_account_id", "platform", "post_type"):
        stage.api.post("/posts", {**good, name: None}).names(name)


@rule(POSTS, "Connected account to post from", *rows(POSTS, "social_account_id"))
def the_account_must_be_a_uuid_of_a_connected_account(stage: Stage) -> None:
    stage.api.post("/posts", stage.text_post(social_account_id="first")).names("social_account_id")
    unknown = stage.api.post("/posts", stage.text_post(social_account_id=str(uuid4())))
    expect(unknown.status in {400, 404}, f"an unknown account is answered with {unknown.status}")


@rule(POSTS, "platform · linkedin, tiktok", "must match the account")
def the_platform_must_be_one_of_seven_and_match_the_account(stage: Stage) -> None:
    account = stage.connection()
    other = next(name for name in TEXT_PLATFORMS if name != account["platform"])
    stage.api.post("/posts", stage.text_post(account, platform=other)).names("platform")
    stage.api.post("/posts", stage.text_post(account, platform="myspace")).names("platform")


@rule(POSTS, "post_type · text, image, video", "youtube accepts video only")
def the_type_must_be_one_that_the_platform_takes(stage: Stage) -> None:
    stage.api.post("/posts", stage.text_post(post_type="poem")).names("post_type")
    account = stage.connection("youtube")
    stage.api.post("/posts", stage.text_post(account)).refused("validation_error")
    image = stage.text_post(account, post_type="image", media_storage_path=stage.picture())
    stage.api.post("/posts", image).refused("validation_error")
    stage.post(stage.text_post(account, post_type="video", media_storage_path=stage.video(), title="Grey"))


@rule(POSTS, "Max 10000 characters", also={"Limits": ["Post description · Max 10000 characters"]})
def a_description_has_at_most_10000_characters(stage: Stage) -> None:
    account = stage.connection("facebook")  # the one platform that takes texts as long as that
    stage.post(stage.text_post(account, description="x" * 10_000))
    stage.api.post("/posts", stage.text_post(account, description="x" * 10_001)).names("description")


@rule(POSTS, "Key required, value may be null")
def a_description_may_be_null_but_not_left_out(stage: Stage) -> None:
    picture = stage.text_post(post_type="image", media_storage_path=stage.picture(), description=None)
    same(stage.post(picture)["description"], None, "a description of null")
    del picture["description"]
    stage.api.post("/posts", picture).names("description")
    # A post of the type text has nothing else to publish: there the post type refuses null.
    stage.api.post("/posts", stage.text_post(description=None)).names("description")


@rule(POSTS, "Max 500 characters, where", also={"Limits": ["Post title · Max 500 characters"]})
def a_title_has_at_most_500_characters(stage: Stage) -> None:
    same(stage.planned(title="x" * 500)["title"], "x" * 500, "a title of 500 characters")
    stage.api.post("/posts", stage.text_post(title="x" * 501)).names("title")


@rule(POSTS, "Required for image and video")
def images_and_videos_need_a_file(stage: Stage) -> None:
    for post_type in ("image", "video"):
        body = stage.text_post(post_type=post_type)
        stage.api.post("/posts", body).names("media_storage_path")


@rule(POSTS, "the storage_path from the media endpoints")
def the_file_must_be_one_that_was_stored(stage: Stage) -> None:
    path = stage.picture()
    stage.post(stage.text_post(post_type="image", media_storage_path=path))
    missing = stage.text_post(post_type="image", media_storage_path=f"{path}.nothing")
    stage.api.post("/posts", missing).refused("validation_error")


@rule(POSTS, "Future ISO 8601 with offset")
def a_publish_time_is_in_the_future_and_has_an_offset(stage: Stage) -> None:
    for good in ("2031-05-06T07:08:09Z", "2031-05-06T07:08:09+02:00", "2031-05-06T07:08:09.123-05:30"):
        same(moment(stage.planned(scheduled_at=good)["scheduled_at"]), moment(good), "scheduled_at")
    for wrong in ("2031-05-06T07:08:09", "2031-05-06", "tomorrow", "", "2031-02-30T00:00:00Z"):
        stage.api.post("/posts", stage.text_post(scheduled_at=wrong)).names("scheduled_at")
    for past in ("2020-01-01T00:00:00Z", in_future(seconds=-5)):
        stage.api.post("/posts", stage.text_post(scheduled_at=past)).names("scheduled_at")


@rule(
    POSTS,
    "omit to publish immediately",
    also={"Analytics, content history, usage": ["the confirmation surface after immediate publishing"]},
)
def without_a_publish_time_the_post_is_published_at_once(stage: Stage) -> None:
    post = stage.published()
    history = stage.api.get("/content-history", limit=100).given()["data"]
    expect(
        any(one["scheduled_post_id"] == post["id"] for one in history)
        or any(one["description"] == post["description"] for one in history),
        "the content history does not show what was published at once",
    )


@rule(POSTS, "1 to 200 characters", also={"Limits": ["idempotency_key · 1 to 200 characters"]})
def an_idempotency_key_has_1_to_200_characters(stage: Stage) -> None:
    stage.planned(idempotency_key=secrets.token_hex(100))
    stage.planned(idempotency_key=chr(0x4E00 + secrets.randbelow(20_000)))
    stage.api.post("/posts", stage.text_post(idempotency_key="")).names("idempotency_key")
    stage.api.post("/posts", stage.text_post(idempotency_key="k" * 201)).names("idempotency_key")


@rule(POSTS, "dedupes retries")
def a_retry_with_the_same_idempotency_key_creates_no_second_post(stage: Stage) -> None:
    batch_id = str(uuid4())
    body = stage.text_post(idempotency_key=secrets.token_hex(8), batch_id=batch_id)
    first = stage.post(body)
    second = stage.api.post("/posts", body).given()
    same(second["id"], first["id"], "the id of the repeated post")
    same(len(stage.api.get("/posts", batch_id=batch_id).given()["data"]), 1, "the number of posts")


@rule(POSTS, "Request-level grouping id", "GET /posts · Query: status")
def posts_are_listed_by_their_batch(stage: Stage) -> None:
    batch_id = str(uuid4())
    ids = [stage.planned(batch_id=batch_id)["id"] for _ in range(2)]
    stage.planned(batch_id=str(uuid4()))
    listed = check_page("Post (PostDTO)", stage.api.get("/posts", batch_id=batch_id).given())
    same({one["id"] for one in listed}, set(ids), "the posts of the batch")


@rule(POSTS, "GET /posts · Query: status")
def posts_are_listed_by_status(stage: Stage) -> None:
    batch_id = str(uuid4())
    planned, cancelled = (stage.planned(batch_id=batch_id)["id"] for _ in range(2))
    stage.api.delete(f"/posts/{cancelled}").given()
    for status, ids in (("scheduled", [planned]), ("cancelled", [cancelled]), ("posted", [])):
        listed = stage.api.get("/posts", batch_id=batch_id, status=status).given()["data"]
        same([one["id"] for one in listed], ids, f"the posts that are {status}")
    for status in ("queued", "processing", "failed"):
        stage.api.get("/posts", status=status).given()
    stage.api.get("/posts", status="lost").names("status")


@rule(POSTS, "GET /posts · Query: status")
def posts_are_listed_by_platform(stage: Stage) -> None:
    account, batch_id = stage.connection(), str(uuid4())
    planned = stage.planned(account=account, batch_id=batch_id)
    other = next(name for name in TEXT_PLATFORMS if name != account["platform"])
    for platform, ids in ((account["platform"], [planned["id"]]), (other, [])):
        listed = stage.api.get("/posts", batch_id=batch_id, platform=platform).given()["data"]
        same([one["id"] for one in listed], ids, f"the posts on {platform}")
    stage.api.get("/posts", platform="myspace").names("platform")


@rule(
    POSTS,
    "Post owned by another account gives 404",
    also={"Authentication": ["Resources of other accounts are reported as 404"]},
)
def a_post_of_another_account_is_not_found(stage: Stage) -> None:
    other, path = stage.client("other"), f"/posts/{stage.planned()['id']}"
    other.get(path).refused("not_found")
    other.patch(path, {"scheduled_at": in_future()}).refused("not_found")
    other.delete(path).refused("not_found")
    other.delete(path, hard=True).refused("not_found")
    other.get(f"{path}/analytics").refused("not_found")
    stage.api.get(path).given()


@rule(POSTS, "Body {scheduled_at} (required", "Returns updated PostDTO")
def moving_a_post_needs_a_time_in_the_future_with_offset(stage: Stage) -> None:
    post, at = stage.planned(), in_future(days=5)
    path = f"/posts/{post['id']}"
    moved = stage.api.patch(path, {"scheduled_at": at}).given()
    same(moment(moved["scheduled_at"]), moment(at), "the new scheduled_at")
    same({**moved, "scheduled_at": post["scheduled_at"]}, post, "everything else of a moved post")
    for wrong in (None, 7, "tomorrow", "2031-05-06T07:08:09", in_future(seconds=-5)):
        stage.api.patch(path, {"scheduled_at": wrong}).names("scheduled_at")
    stage.api.patch(path, {}).names("scheduled_at")
    same(stage.api.get(path).given(), moved, "the post after refused moves")


@rule(POSTS, "Query hard (boolean, default false)")
def deleting_is_soft_by_default(stage: Stage) -> None:
    path = f"/posts/{stage.planned()['id']}"
    stage.api.delete(path, hard="perhaps").names("hard")
    same(stage.api.get(path).given()["status"], "scheduled", "the status after a refused delete")
    same(stage.api.delete(path).given()["action"], "cancelled", "the action of a plain delete")
    same(stage.api.delete(path, hard=False).given()["action"], "cancelled", "the action of hard=false")
    same(stage.api.delete(path, hard=True).given()["action"], "deleted", "the action of hard=true")
    stage.api.get(path).refused("not_found")
    stage.api.delete(path).refused("not_found")
