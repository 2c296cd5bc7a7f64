"""The error envelope, and when each code is returned."""

import json
from uuid import uuid4

from tests.conformance.document import rows
from tests.conformance.outcome import NotTriedError, expect, same
from tests.conformance.register import rule
from tests.conformance.shapes import check_shape
from tests.conformance.stage import Stage
from tests.conformance.wire import Answer

ENVELOPE = "Error envelope"
ERRORS = "Errors"


def refusals(stage: Stage) -> list[Answer]:
    """Return responses with 400, 401 and 404. Raises BrokenError if they have other statuses."""
    answers = {
        "unauthorized": stage.client("none").get("/usage"),
        "validation_error": stage.api.post("/posts", {}),
        "not_found": stage.api.get(f"/posts/{uuid4()}"),
    }
    for code, answer in answers.items():
        answer.refused(code)
    return [stage.api.get("/posts", limit="0"), *answers.values()]


@rule(
    ENVELOPE,
    *rows(ENVELOPE),
    "One of the codes in Errors",
    "Human-readable text",
    also={ERRORS: ["Every error uses the error envelope"]},
)
def every_error_has_the_envelope(stage: Stage) -> None:
    for answer in refusals(stage):
        check_shape(ENVELOPE, {**answer.body, **flat(answer)})


@rule(ENVELOPE, "Identifier of the request, for reporting")
def every_request_has_an_identifier_of_its_own(stage: Stage) -> None:
    ids = [answer.body["request_id"] for answer in refusals(stage)]
    same(len(set(ids)), len(ids), "the number of different request ids")


@rule(ENVELOPE, "Present only on validation errors and rate limits")
def details_are_present_on_validation_errors_alone(stage: Stage) -> None:
    for answer in refusals(stage):
        error = answer.body["error"]
        has_details = error.get("details") is not None
        same(has_details, error["code"] == "validation_error", f"whether a {error['code']} has details")


@rule(ERRORS, "Body or query fails schema validation", "details carries field-level issues")
def a_body_or_query_that_fails_names_the_field(stage: Stage) -> None:
    stage.api.post("/posts", stage.text_post(post_type="poem")).names("post_type")
    stage.api.get("/posts", status="lost").names("status")
    stage.api.post("/posts", stage.text_post(social_account_id=7)).names("social_account_id")


@rule(ERRORS, "Body or query fails schema validation, or JSON is malformed")
def malformed_json_is_a_validation_error(stage: Stage) -> None:
    good = json.dumps(stage.text_post()).encode()
    for content in (b"{", good[:-1], b"", b"\xff\xfe", b"[]", b"null", b'"text"'):
        stage.api.call("POST", "/posts", content=content).refused("validation_error")


@rule(ERRORS, "Also: platform-specific media rejection, missing Pinterest board")
def what_a_platform_does_not_take_is_a_validation_error(stage: Stage) -> None:
    body = stage.text_post(stage.connection("youtube"))
    stage.api.post("/posts", body).refused("validation_error")
    body = stage.text_post(stage.connection("pinterest"), post_type="image")
    stage.api.post("/posts", {**body, "media_storage_path": stage.picture()}).refused("validation_error")
    boards = stage.api.get(f"/connections/{stage.connection()['id']}/boards")
    boards.refused("validation_error")


@rule(ERRORS, "Missing, malformed or expired key, or no active subscription")
def a_bad_key_is_unauthorized(stage: Stage) -> None:
    stage.client("none").get("/usage").refused("unauthorized")
    stage.client("expired").get("/usage").refused("unauthorized")
    stage.client("lapsed").get("/usage").refused("unauthorized")


@rule(ERRORS, "Key lacks scope, quota exhausted")
def what_a_key_may_not_do_is_forbidden(stage: Stage) -> None:
    stage.client("no-scope").get("/usage").refused("forbidden")
    stage.api.get(f"/media/{uuid4()}/grey.png").refused("forbidden")


@rule(ERRORS, "404 not_found · Resource does not exist or is not owned by the account")
def what_does_not_exist_is_not_found(stage: Stage) -> None:
    stage.api.get("/posts").given()
    unknown = uuid4()
    for method, path in (
        ("GET", f"/posts/{unknown}"),
        ("DELETE", f"/posts/{unknown}"),
        ("GET", f"/posts/{unknown}/analytics"),
        ("GET", f"/connections/{unknown}"),
        ("POST", f"/connections/{unknown}/reauth"),
        ("GET", f"/connections/{unknown}/boards"),
        ("GET", f"/webhooks/{unknown}"),
        ("DELETE", f"/webhooks/{unknown}"),
        ("POST", f"/webhooks/{unknown}/test"),
        ("GET", f"/webhooks/{unknown}/deliveries"),
        ("POST", f"/webhooks/{unknown}/deliveries/{uuid4()}/replay"),
    ):
        stage.api.call(method, path).refused("not_found")


@rule(ERRORS, "404 not_found · also analytics of a post without published content")
def the_analytics_of_a_post_without_content_are_not_found(stage: Stage) -> None:
    stage.api.get(f"/posts/{stage.planned()['id']}/analytics").refused("not_found")


MOST_CALLS = 400


def exhaust(stage: Stage, key: str) -> Answer:
    """Call one action until it's rate limited. Raises NotTriedError if it never is."""
    client = stage.client(key)
    for _ in range(MOST_CALLS):
        answer = client.send("POST", "/posts/bulk", content=b"{}")
        if answer.status == 429:
            return answer
    raise NotTriedError(f"{MOST_CALLS} calls met no rate limit")


@rule(
    ERRORS,
    "429 rate_limited · Per-key rate limit exceeded",
    "details.retry_after_seconds (number)",
    also={
        "Limits": ["Enforced per API key and per action", "exceeding gives 429"],
        ENVELOPE: ["Present only on validation errors and rate limits"],
    },
)
def exceeding_the_rate_of_one_action_limits_that_key_and_action_alone(stage: Stage) -> None:
    limited = exhaust(stage, "strict").refused("rate_limited")
    details = limited["error"].get("details")
    if details is not None and "retry_after_seconds" in details:
        wait = details["retry_after_seconds"]
        expect(isinstance(wait, int | float) and wait > 0, f"retry_after_seconds is {wait!r}")
    stage.client("strict").send("GET", "/posts").given()
    again = stage.client("strict-second").send("POST", "/posts/bulk", content=b"{}")
    again.refused("validation_error")


@rule(ENVELOPE, "error.message · Human-readable text.")
def messages_say_nothing_of_the_insides(stage: Stage) -> None:
    for answer in refusals(stage):
        message = answer.body["error"]["message"]
        expect(len(message.split()) > 1, f"the message {message!r} is no text for a person")
        expect("Traceback" not in answer.text, "an answer holds a trace")


def flat(answer: Answer) -> dict[str, object]:
    """Return the fields of the envelope with the names in the table."""
    return {f"error.{name}": value for name, value in answer.body["error"].items()}
