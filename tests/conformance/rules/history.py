"""The log of published content."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from tests.conformance.document import rows
from tests.conformance.outcome import expect, same
from tests.conformance.register import rule
from tests.conformance.shapes import check_page, moment
from tests.conformance.stage import TEXT_PLATFORMS, Fields, Stage

RECORD = "Content history record"
SECTION = "Analytics, content history, usage"
SLACK = timedelta(minutes=5)
PLATFORMS = ("linkedin", "tiktok", "pinterest", "instagram", "facebook", "threads", "youtube", "x")


def record_of(stage: Stage, post: Fields) -> Fields:
    """Return the record of a post that was just published. Raises BrokenError."""
    listed = check_page(RECORD, stage.api.get("/content-history", limit=100).given())
    found = [one for one in listed if one["scheduled_post_id"] == post["id"]]
    same(len(found), 1, "the number of records of a published post")
    return found[0]


@rule(
    RECORD,
    *rows(RECORD),
    "Record id",
    "Originating post when scheduled",
    "title · Title.",
    "Body text",
    "Batch the content came from",
    "Creating surface: rest, mcp, x402, web",
    "Platform-side publish status",
    "Platform the content went to",
    "created_at · Record creation time",
    also={SECTION: ["Envelope of content history records, newest first"]},
)
def a_published_post_has_a_record(stage: Stage) -> None:
    post = stage.published(title="A title", batch_id=str(uuid4()))
    record = record_of(stage, post)
    for name in ("platform", "title", "description", "batch_id"):
        same(record[name], post[name], name)
    same((record["media_type"], record["created_via"]), ("text", "rest"), "media_type and created_via")
    status = record["status"]
    expect(status is None or status, "status is empty")
    expect(
        abs(moment(record["created_at"]) - datetime.now(UTC)) < SLACK, f"created_at is {record['created_at']}"
    )


@rule(RECORD, "Platform-side content identifier")
def a_record_holds_the_platforms_own_identifier(stage: Stage) -> None:
    account = stage.fresh_connection()
    record = record_of(stage, stage.published(account))
    published = stage.practice.published(account["account_identifier"])
    same([one["content_id"] for one in published], [record["content_id"]], "content_id")


@rule(RECORD, "Public media URL when available", "media_type · text, image, video")
def a_record_of_a_picture_says_so(stage: Stage) -> None:
    body = stage.text_post(post_type="image", media_storage_path=stage.picture(), scheduled_at=None)
    post = stage.ended(stage.post(body)["id"], "posted")
    record = record_of(stage, post)
    same(record["media_type"], "image", "media_type")
    url = record["media_url"]
    expect(url is None or url.startswith(("http://", "https://")), f"media_url is {url!r}")


@rule(SECTION, "Envelope of content history records, newest first")
def records_are_listed_newest_first(stage: Stage) -> None:
    ids = [stage.published()["id"] for _ in range(2)]
    listed = stage.api.get("/content-history", limit=100).given()["data"]
    found = [one["scheduled_post_id"] for one in listed if one["scheduled_post_id"] in ids]
    same(found, ids[::-1], "the order of records")
    times = [moment(one["created_at"]) for one in listed]
    same(times, sorted(times, reverse=True), "the order of created_at")


@rule(SECTION, "GET /content-history · Query: platform (eight connection platforms), limit, cursor")
def records_are_filtered_by_platform(stage: Stage) -> None:
    post = stage.published()
    for platform in PLATFORMS:
        listed = check_page(RECORD, stage.api.get("/content-history", platform=platform, limit=100).given())
        expect(all(one["platform"] == platform for one in listed), f"the list of {platform} holds others")
        has_it = post["id"] in [one["scheduled_post_id"] for one in listed]
        same(has_it, platform == post["platform"], f"whether the post is listed under {platform}")
    stage.api.get("/content-history", platform="myspace").names("platform")
    page = stage.api.get("/content-history", limit=1).given()
    same(len(page["data"]), 1, "the length of a page with limit 1")


@rule(SECTION, "the confirmation surface after immediate publishing")
def what_was_never_published_is_not_in_the_history(stage: Stage) -> None:
    unpublished = [stage.planned()["id"], stage.failed()["id"]]
    listed = stage.api.get("/content-history", limit=100).given()["data"]
    found = [one["scheduled_post_id"] for one in listed if one["scheduled_post_id"] in unpublished]
    same(found, [], "records of posts that were not published")


@rule(RECORD, "Platform the content went to")
def content_goes_to_the_platform_of_its_account(stage: Stage) -> None:
    for platform in TEXT_PLATFORMS[:2]:
        account = stage.fresh_connection(platform)
        same(record_of(stage, stage.published(account))["platform"], platform, "platform")
