"""What the service does, in general."""

from tests.conformance.outcome import expect, same
from tests.conformance.register import rule
from tests.conformance.shapes import check_page, moment
from tests.conformance.stage import Stage, in_future

TITLE = "Social Publishing REST Service Specification"
DOES = "What the service does"
RESOURCES = "Resources and their fields"


@rule(TITLE, "All paths are relative to {base_url}/api/v1", also={"Versioning": ["The version is part of"]})
def all_paths_are_below_api_v1(stage: Stage) -> None:
    stage.api.get("/usage").given()
    outside = stage.api.send("GET", "/usage", prefix="")
    expect(outside.status >= 400, f"GET /usage outside of /api/v1 answers {outside.status}")
    other = stage.api.send("GET", "/usage", prefix="/api/v2")
    expect(other.status >= 400, f"GET /usage below /api/v2 answers {other.status}")


@rule(
    TITLE,
    "This document covers the whole service",
    also={
        DOES: [
            "It exposes read endpoints for analytics metrics",
            "Every list endpoint uses cursor pagination",
        ]
    },
)
def every_list_of_the_service_can_be_read(stage: Stage) -> None:
    for path in ("/posts", "/connections", "/analytics", "/content-history"):
        page = stage.api.get(path).given()
        expect({"data", "next_cursor"} <= set(page), f"GET {path} answers without the envelope")
    expect(isinstance(stage.api.get("/webhooks").given(), list | dict), "GET /webhooks answers no list")
    stage.api.get("/usage").given()


@rule(DOES, "The service schedules posts, or publishes them immediately", "It stores media (image, video)")
def a_post_is_published_immediately_on_the_platform(stage: Stage) -> None:
    account = stage.fresh_connection()
    post = stage.published(account)
    texts = [one["text"] for one in stage.practice.published(account["account_identifier"])]
    same(texts, [post["description"]], "what the platform has")


@rule(DOES, "The service schedules posts, or publishes them immediately")
def a_scheduled_post_is_published_at_its_time(stage: Stage) -> None:
    account = stage.fresh_connection()
    at = in_future(seconds=6)
    created = stage.post(stage.text_post(account, scheduled_at=at))
    post = stage.ended(created["id"], "posted")
    expect(moment(post["posted_at"]) >= moment(at), "the post went out before its time")


@rule(DOES, "Platforms: linkedin, tiktok", "Connected accounts may also be on threads")
def posting_platforms_are_seven_and_threads_is_none_of_them(stage: Stage) -> None:
    for platform in ("linkedin", "tiktok", "pinterest", "instagram", "youtube", "x", "facebook"):
        stage.api.get("/posts", platform=platform).given()
    stage.api.get("/posts", platform="threads").refused("validation_error")
    stage.api.get("/connections", platform="threads").given()
    account = stage.connection()
    stage.api.post("/posts", stage.text_post(account, platform="threads")).refused("validation_error")


@rule(
    DOES,
    "It manages connected social accounts through browser-based OAuth flows",
    "The API returns an authorization URL",
    "the user completes the flow in a browser",
)
def an_account_is_connected_by_a_flow_in_a_browser(stage: Stage) -> None:
    account = stage.fresh_connection()
    expect(account["is_available"], "the account is not available after the flow")


@rule(DOES, "Platform tokens are never returned by the API")
def platform_tokens_are_never_returned(stage: Stage) -> None:
    account = stage.fresh_connection()
    tokens = stage.practice.tokens()
    expect(tokens, "the practice platforms issued no token at all")
    answers = [
        stage.api.get(path).text
        for path in ("/connections", f"/connections/{account['id']}", "/posts", "/content-history", "/usage")
    ]
    expect(not any(token in text for token in tokens for text in answers), "an answer holds a token")


@rule(DOES, "All request and response bodies are JSON", also={"Endpoints": ["Unless stated, request bodies"]})
def all_bodies_are_json(stage: Stage) -> None:
    created = stage.planned()
    stage.api.get(f"/posts/{created['id']}").given()
    stage.api.get("/posts/none").refused("not_found")
    stage.api.delete(f"/posts/{created['id']}").given()


@rule(
    RESOURCES,
    "null means the key is always present",
    "Timestamps are ISO 8601 strings",
    "Ids marked uuid are UUID strings",
    also={"Endpoints": ["{id} are uuids"]},
)
def nulls_are_present_and_times_and_ids_are_well_formed(stage: Stage) -> None:
    post = stage.planned()
    same((post["title"], post["posted_at"]), (None, None), "title and posted_at of a planned text post")
    check_page("Post (PostDTO)", stage.api.get("/posts").given())
    check_page("Connection (ConnectionDTO)", stage.api.get("/connections").given())
    stage.api.get("/posts/not-a-uuid").refused("not_found")
