"""Metrics of a post, and of the whole account."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from tests.conformance.document import rows
from tests.conformance.outcome import expect, same
from tests.conformance.register import rule
from tests.conformance.rules.pagination import pages
from tests.conformance.shapes import check_page, check_shape, day, moment
from tests.conformance.stage import Fields, Stage

POST_RESULT = "Post analytics result"
ROW = "Account-wide metric row"
SECTION = "Analytics, content history, usage"
COUNTS = ("views", "likes", "comments", "shares", "subscribers")
SLACK = timedelta(minutes=5)


def sampled(stage: Stage) -> tuple[Fields, Fields]:
    """Return a published post and its analytics after the service has sampled them."""
    return stage.shared.once(f"sampled {stage.key}", lambda: _sample(stage))


def _sample(stage: Stage) -> tuple[Fields, Fields]:
    account = stage.connection("x", "facebook", "linkedin")
    posts = [stage.api.post("/posts", stage.text_post(account, scheduled_at=None)).given() for _ in range(3)]
    for one in posts:
        stage.shared.at_the_end(stage.api.delete, f"/posts/{one['id']}", hard=True)
    post, *_ = [stage.ended(one["id"], "posted") for one in posts]
    stage.collect()
    path = f"/posts/{post['id']}/analytics"
    look = stage.wait_for(
        "samples of a post", lambda: stage.api.get(path).given(), lambda now: now["metrics"]
    )
    return post, look


@rule(
    POST_RESULT,
    *rows(POST_RESULT),
    "The post",
    "Platform-side content identifier",
    also={"Posts": ["Returns the post analytics result"]},
)
def a_published_post_has_analytics(stage: Stage) -> None:
    account = stage.fresh_connection()
    post = stage.published(account)
    result = stage.api.get(f"/posts/{post['id']}/analytics").given()
    check_shape(POST_RESULT, result)
    same(result["post_id"], post["id"], "post_id")
    published = stage.practice.published(account["account_identifier"])
    same([one["content_id"] for one in published], [result["content_id"]], "content_id")


@rule(POST_RESULT, "Rows with metric_date, views, likes, comments, shares, subscribers")
def the_rows_of_a_post_have_a_day_and_five_numbers(stage: Stage) -> None:
    _, result = sampled(stage)
    for row in result["metrics"]:
        day(row["metric_date"])
        for name in COUNTS:
            number = row[name]
            expect(isinstance(number, int | float) and number >= 0, f"{name} is {number!r}")


@rule("Posts", "404 when the post does not exist or has no published content yet")
def without_published_content_there_are_no_analytics(stage: Stage) -> None:
    stage.api.get(f"/posts/{uuid4()}/analytics").refused("not_found")
    stage.api.get(f"/posts/{stage.planned()['id']}/analytics").refused("not_found")
    stage.api.get(f"/posts/{stage.failed()['id']}/analytics").refused("not_found")


@rule(
    ROW,
    *rows(ROW),
    "Row id",
    "Platform of the metric",
    "Platform-side content id",
    "Day sampled",
    "Counts at sample time",
    "Followers or subscribers at sample time",
    "created_at · Record creation time",
    also={SECTION: ["Envelope of metric rows, paginated on metric date"]},
)
def metric_rows_have_the_fields_of_their_table(stage: Stage) -> None:
    post, result = sampled(stage)
    listed = check_page(ROW, stage.api.get("/analytics", content_id=result["content_id"]).given())
    expect(listed, "GET /analytics gives no row for a sampled post")
    for row in listed:
        same(
            (row["platform"], row["content_id"]),
            (post["platform"], result["content_id"]),
            "platform and content",
        )
        expect(
            abs(datetime.now(UTC).date() - day(row["metric_date"])) <= timedelta(days=1),
            "metric_date is wrong",
        )
        expect(
            abs(moment(row["created_at"]) - datetime.now(UTC)) < SLACK, f"created_at is {row['created_at']}"
        )


@rule(SECTION, "GET /analytics · Query: platform (seven posting platforms), content_id, days")
def metric_rows_are_filtered_by_platform_and_content(stage: Stage) -> None:
    post, result = sampled(stage)
    listed = stage.api.get("/analytics", platform=post["platform"], limit=100).given()["data"]
    expect(listed and all(one["platform"] == post["platform"] for one in listed), "the filter by platform")
    same(
        stage.api.get("/analytics", content_id=f"no-{uuid4()}").given()["data"], [], "rows of unknown content"
    )
    elsewhere = stage.api.get("/analytics", content_id=result["content_id"], platform="tiktok").given()
    same(elsewhere["data"], [], "rows of this content elsewhere")
    for wrong in ("threads", "myspace"):
        stage.api.get("/analytics", platform=wrong).names("platform")


@rule(
    SECTION,
    "GET /analytics · Query: platform (seven posting platforms), content_id, days",
    also={"Limits": ["Analytics days · 1 to 90, default 30"]},
)
def days_go_from_1_to_90(stage: Stage) -> None:
    for days in (1, 30, 90):
        stage.api.get("/analytics", days=days).given()
    for wrong in ("0", "91", "-1", "x", "1.5"):
        stage.api.get("/analytics", days=wrong).names("days")
    _, result = sampled(stage)
    thirty = stage.api.get("/analytics", content_id=result["content_id"], days=30).given()["data"]
    default = stage.api.get("/analytics", content_id=result["content_id"]).given()["data"]
    same(default, thirty, "the rows without days, beside those of 30 days")
    for days in (1, 90):
        listed = stage.api.get("/analytics", content_id=result["content_id"], days=days).given()["data"]
        expect(listed, f"what was sampled today is missing with days={days}")


@rule(
    SECTION,
    "Envelope of metric rows, paginated on metric date",
    also={"Pagination envelope": ["The cursor is based on the resource creation date"]},
)
def metric_rows_are_paged_by_day_newest_first(stage: Stage) -> None:
    sampled(stage)
    first = stage.api.get("/analytics", limit=1, days=90).given()
    expect(first["next_cursor"], "next_cursor is null although several posts were sampled")
    rows_of_all = [row for page in pages(stage, "/analytics", limit=2, days=90) for row in page]
    same(len({row["id"] for row in rows_of_all}), len(rows_of_all), "the number of different rows")
    days = [day(row["metric_date"]) for row in rows_of_all]
    same(days, sorted(days, reverse=True), "the order of days")


@rule(ROW, "Metrics are collected after publication")
def metrics_are_of_what_was_published(stage: Stage) -> None:
    post, result = sampled(stage)
    first = min(day(row["metric_date"]) for row in result["metrics"])
    expect(first >= moment(post["posted_at"]).date(), "a sample is older than the publication")
