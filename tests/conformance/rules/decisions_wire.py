"""This project's decisions about the wire format, where the specification is silent."""

import re
from uuid import uuid4

from tests.conformance.outcome import expect, same
from tests.conformance.register import decision
from tests.conformance.rules.errors import exhaust
from tests.conformance.shapes import CONNECTION, POST, field_names
from tests.conformance.stage import Stage, in_future

TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z")


@decision("W1")
def creating_and_initiating_answer_201_and_everything_else_200(stage: Stage) -> None:
    created = stage.api.post("/posts", stage.text_post())
    same(created.status, 201, "the status of creating a post")
    path = f"/posts/{created.given()['id']}"
    same(stage.api.post("/connections/initiate", {"platform": "x"}).status, 201, "the status of initiating")
    hook = stage.api.post("/webhooks", {"url": stage.inbox().url, "events": ["post.failed"]})
    same(hook.status, 201, "the status of subscribing")
    same(stage.api.post("/posts/bulk", {"posts": [stage.text_post()]}).status, 200, "the status of bulk")
    same(stage.api.patch(path, {"scheduled_at": in_future()}).status, 200, "the status of moving")
    for method, of in (("GET", path), ("DELETE", path), ("DELETE", f"/webhooks/{hook.given()['id']}")):
        same(stage.api.call(method, of).status, 200, f"the status of {method}")


@decision("W2")
def objects_have_exactly_the_fields_of_their_tables(stage: Stage) -> None:
    hook = stage.subscribe(stage.inbox())
    path = f"/webhooks/{hook['id']}"
    record = stage.api.post(f"{path}/test").given()
    objects = {
        POST: stage.planned(),
        CONNECTION: stage.connection_now(stage.connection()["id"]),
        "Webhook subscription": hook,
        "Webhook test result": record,
        "Webhook delivery record": stage.api.get(f"{path}/deliveries").given()["data"][0],
        "Usage": stage.api.get("/usage").given(),
        "Pagination envelope": stage.api.get("/posts").given(),
        "Connection initiation result": stage.api.post("/connections/initiate", {"platform": "x"}).given(),
    }
    for section, value in objects.items():
        same(set(value), set(field_names(section)), f"the fields of {section}")


@decision("W4")
def unknown_fields_of_a_request_are_ignored(stage: Stage) -> None:
    stage.planned(colour="green")
    stage.api.get("/posts", colour="green").given()


@decision("W5")
def times_are_utc_with_milliseconds(stage: Stage) -> None:
    post = stage.planned(scheduled_at="2031-05-06T07:08:09+02:00")
    same(post["scheduled_at"], "2031-05-06T05:08:09.000Z", "scheduled_at")
    account = stage.connection_now(stage.connection()["id"])
    for text in (post["created_at"], account["created_at"]):
        expect(TIME.fullmatch(text), f"{text} is not UTC with milliseconds")


@decision("W6")
def every_answer_names_its_request(stage: Stage) -> None:
    good, bad = stage.api.get("/usage"), stage.api.get(f"/posts/{uuid4()}")
    expect(good.headers.get("X-Request-Id"), "a success has no X-Request-Id")
    same(bad.headers.get("X-Request-Id"), bad.body["request_id"], "X-Request-Id of an error")


@decision("W7")
def boards_come_in_data_with_a_bookmark(stage: Stage) -> None:
    account = stage.connection("pinterest")
    path = f"/connections/{account['id']}/boards"
    same(set(stage.api.get(path).given()), {"data", "bookmark"}, "the fields of the wrapper")
    same(stage.api.get(path, page_size=100).given()["bookmark"], None, "the bookmark of the last page")


@decision("W8")
def a_rejected_item_tells_its_place_and_the_fields(stage: Stage) -> None:
    items = [stage.text_post(), stage.text_post(post_type="poem")]
    result = stage.api.post("/posts/bulk", {"posts": items}).given()
    stage.remove_later(result["posts"][0]["id"])
    (rejected,) = result["rejected"]
    same(set(rejected), {"index", "code", "message", "details"}, "the fields of a rejected item")
    same((rejected["index"], rejected["code"]), (1, "validation_error"), "index and code")
    (issue,) = rejected["details"]["errors"]
    same((set(rejected["details"]), set(issue)), ({"errors"}, {"field", "message", "type"}), "details")
    same(issue["field"], "posts.1.post_type", "the field that is named")


@decision("W9")
def details_of_a_validation_error_are_an_object_with_the_issues(stage: Stage) -> None:
    answer = stage.api.post("/posts", stage.text_post(title="x" * 501, post_type="poem"))
    details = answer.refused("validation_error")["error"]["details"]
    same(set(details), {"errors"}, "the fields of the details")
    issues = details["errors"]
    same({one["field"] for one in issues}, {"title", "post_type"}, "the fields that are named")
    for one in issues:
        same(set(one), {"field", "message", "type"}, "the fields of an issue")


@decision("W10")
def a_limited_call_says_how_long_to_wait(stage: Stage) -> None:
    limited = exhaust(stage, "strict")
    wait = limited.refused("rate_limited")["error"]["details"]["retry_after_seconds"]
    expect(int(limited.headers["Retry-After"]) >= wait > 0, "Retry-After does not fit retry_after_seconds")


@decision("W12")
def a_bad_cursor_is_a_validation_error(stage: Stage) -> None:
    for _ in range(2):
        stage.planned()
    cursor = stage.api.get("/posts", limit=1).given()["next_cursor"]
    for wrong in ("nonsense", cursor[:-2], cursor + "x", cursor.swapcase()):
        stage.api.get("/posts", cursor=wrong).names("cursor")
    stage.api.get("/connections", cursor=cursor).names("cursor")


@decision("W13")
def numbers_out_of_range_are_never_clamped(stage: Stage) -> None:
    for path, query in (
        ("/posts", {"limit": 101}),
        ("/analytics", {"days": 91}),
        (f"/connections/{stage.connection('pinterest')['id']}/boards", {"page_size": 101}),
    ):
        stage.api.get(path, **query).refused("validation_error")


@decision("W14")
def unknown_paths_and_methods_are_not_found(stage: Stage) -> None:
    stage.api.get("/posts").given()
    for method, path in (
        ("GET", "/nothing"),
        ("PUT", "/posts"),
        ("DELETE", "/usage"),
        ("POST", "/analytics"),
    ):
        stage.api.call(method, path).refused("not_found")


@decision("W15")
def the_reauth_url_of_boards_stands_beside_the_request_id(stage: Stage) -> None:
    account = stage.expired_connection("pinterest")
    refused = stage.api.get(f"/connections/{account['id']}/boards").refused("unauthorized")
    same(set(refused), {"error", "request_id", "reauth_url"}, "the fields of the answer")
