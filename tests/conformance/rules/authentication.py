"""Keys, scopes, and objects of other accounts."""

import re
from urllib.parse import urlsplit
from uuid import uuid4

import httpx

from tests.conformance.outcome import expect, same
from tests.conformance.register import rule
from tests.conformance.stage import Stage
from tests.conformance.wire import Client

SECTION = "Authentication"
DOES = "What the service does"
ERRORS = "Errors"
KEY = re.compile(r"stp_rest_[0-9a-fA-F]{64}")


def calls() -> list[tuple[str, str]]:
    """Return every endpoint of the specification."""
    one, two = uuid4(), uuid4()
    return [
        ("POST", "/posts"),
        ("GET", "/posts"),
        ("POST", "/posts/bulk"),
        ("GET", f"/posts/{one}"),
        ("PATCH", f"/posts/{one}"),
        ("DELETE", f"/posts/{one}"),
        ("GET", f"/posts/{one}/analytics"),
        ("GET", "/connections"),
        ("POST", "/connections/initiate"),
        ("GET", f"/connections/{one}"),
        ("POST", f"/connections/{one}/reauth"),
        ("GET", f"/connections/{one}/boards"),
        ("POST", "/media/upload-url"),
        ("POST", "/media/attach-from-url"),
        ("GET", f"/media/{one}/grey.png"),
        ("DELETE", f"/media/{one}/grey.png"),
        ("POST", "/webhooks"),
        ("GET", "/webhooks"),
        ("GET", f"/webhooks/{one}"),
        ("PATCH", f"/webhooks/{one}"),
        ("DELETE", f"/webhooks/{one}"),
        ("POST", f"/webhooks/{one}/test"),
        ("GET", f"/webhooks/{one}/deliveries"),
        ("POST", f"/webhooks/{one}/deliveries/{two}/replay"),
        ("GET", "/analytics"),
        ("GET", "/content-history"),
        ("GET", "/usage"),
    ]


def all_refused(client: Client, code: str) -> None:
    """Require this error from every endpoint. Raises BrokenError."""
    for method, path in calls():
        client.call(method, path).refused(code)


@rule(
    SECTION,
    "Every request carries the header Authorization: Bearer",
    also={
        "Endpoints": ["All endpoints require the bearer key"],
        DOES: ["All access uses a bearer API key"],
    },
)
def every_endpoint_needs_a_key(stage: Stage) -> None:
    all_refused(stage.client("none"), "unauthorized")


@rule(
    SECTION,
    "A 401 unauthorized means the key is missing, malformed, expired",
    "Keys are validated against a SHA-256 hash",
    also={ERRORS: ["Missing, malformed or expired key, or no active subscription"]},
)
def malformed_and_unknown_keys_are_unauthorized(stage: Stage) -> None:
    key = stage.target.keys["main"]
    digit = "0" if key[-1] != "0" else "1"
    wrong = (key[:-1] + digit, key[:-1], key + "0", key.replace("stp_rest_", ""), "stp_rest_" + "g" * 64)
    headers = [f"Bearer {one}" for one in wrong] + [key, f"Basic {key}", f"Token {key}", "Bearer"]
    for header in headers:
        answer = stage.client("none").send("GET", "/usage", headers={"Authorization": header})
        answer.refused("unauthorized")
    stage.client("none").send("GET", "/usage", query={"api_key": key}).refused("unauthorized")


@rule(
    SECTION,
    "A 401 unauthorized means the key is missing, malformed, expired",
    "expiry optional, set at creation",
)
def an_expired_key_is_unauthorized_everywhere(stage: Stage) -> None:
    all_refused(stage.client("expired"), "unauthorized")


@rule(SECTION, "Retrying does not help")
def a_refused_key_stays_refused(stage: Stage) -> None:
    for _ in range(3):
        stage.client("expired").get("/usage").refused("unauthorized")


@rule(SECTION, "revocation is instant via the integrations page")
def a_revoked_key_is_unauthorized_everywhere(stage: Stage) -> None:
    all_refused(stage.client("revoked"), "unauthorized")


@rule(
    SECTION,
    "A 401 unauthorized means the key is missing, malformed, expired",
    "Keys are validated against a SHA-256 hash",
    also={DOES: ["Keys are bound to an account (the principal) and require an active subscription"]},
)
def a_key_without_an_active_subscription_is_unauthorized_everywhere(stage: Stage) -> None:
    all_refused(stage.client("lapsed"), "unauthorized")


@rule(
    SECTION,
    "Key properties: scope api:full",
    "A 403 forbidden means the key lacks the scope",
    also={ERRORS: ["Key lacks scope, quota exhausted"]},
)
def a_key_without_the_scope_is_forbidden_everywhere(stage: Stage) -> None:
    all_refused(stage.client("no-scope"), "forbidden")


@rule(SECTION, "Key format: prefix stp_rest_")
def keys_have_their_format(stage: Stage) -> None:
    for name, key in stage.target.keys.items():
        expect(KEY.fullmatch(key), f"the key called {name} does not have the format")


@rule(DOES, "Keys are bound to an account (the principal)")
def two_keys_of_one_account_see_the_same_and_another_account_nothing(stage: Stage) -> None:
    post = stage.planned()
    same(stage.client("second").get(f"/posts/{post['id']}").given(), post, "the post by another key")
    expect(
        post["id"] not in stage.client("other").get("/posts", limit=100).text, "another account sees the post"
    )


@rule(SECTION, "API keys are created by the user in the web application integrations page")
def there_is_an_integrations_page(stage: Stage) -> None:
    url = f"{stage.target.base_url}/integrations"
    trust = stage.target.trusted["main"]
    page = httpx.get(url, verify=trust, trust_env=False, follow_redirects=True, timeout=30)
    same(page.status_code, 200, f"the status of {url}")
    same(page.headers["content-type"].partition(";")[0], "text/html", "its type")


@rule(SECTION, "Only HTTPS is accepted", "plain HTTP is rejected")
def plain_http_is_rejected(stage: Stage) -> None:
    expect(urlsplit(stage.target.base_url).scheme == "https", "the base URL is not HTTPS")
    url = stage.target.base_url.replace("https:", "http:", 1) + "/api/v1/usage"
    headers = {"Authorization": f"Bearer {stage.target.keys['main']}"}
    try:
        answer = httpx.get(url, headers=headers, trust_env=False, timeout=30)
    except httpx.TransportError:
        return
    expect(not answer.is_success, f"plain HTTP is answered with {answer.status_code}")
    expect("cap_bytes" not in answer.text, "plain HTTP gives the usage")


@rule(SECTION, "Resources of other accounts are reported as 404, never 403")
def resources_of_others_are_told_like_unknown_ones(stage: Stage) -> None:
    other, post = stage.client("other"), stage.planned()
    theirs = other.get(f"/posts/{post['id']}").refused("not_found")["error"]
    unknown = other.get(f"/posts/{uuid4()}").refused("not_found")["error"]
    same(theirs, unknown, "the error for a post of another account")


@rule(SECTION, "A 403 forbidden means the key lacks the scope, quota is exhausted, or file access is denied")
def a_file_of_another_account_cannot_be_posted(stage: Stage) -> None:
    path = stage.picture("other")
    body = stage.text_post(post_type="image", media_storage_path=path)
    refused = stage.api.post("/posts", body)
    expect(refused.status in {400, 403}, f"a file of another account is answered with {refused.status}")
