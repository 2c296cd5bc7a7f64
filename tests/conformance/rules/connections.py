"""Connected accounts: fields, list, the connecting flow, and reauthorization."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

from tests.conformance.document import rows
from tests.conformance.outcome import expect, same
from tests.conformance.register import rule
from tests.conformance.shapes import CONNECTION, check_page, check_shape, moment
from tests.conformance.stage import Stage, person

CONNECTIONS = "Connections"
INITIATION = "Connection initiation result"
REAUTHORIZATION = "Reauthorization result"
STATES = "States and transitions"
POSTING = ("linkedin", "tiktok", "pinterest", "instagram", "youtube", "x", "facebook")
SLACK = timedelta(minutes=5)


@rule(
    CONNECTION,
    *rows(CONNECTION),
    also={CONNECTIONS: ["Envelope of ConnectionDTO", "GET /connections/{id} · Returns ConnectionDTO"]},
)
def connections_have_the_fields_of_their_table(stage: Stage) -> None:
    account = stage.connection()
    check_shape(CONNECTION, stage.api.get(f"/connections/{account['id']}").given())
    listed = check_page(
        CONNECTION, stage.api.get("/connections", limit=100, include_unavailable=True).given()
    )
    expect(account["id"] in [one["id"] for one in listed], "the connected account is not listed")


@rule(CONNECTION, "Account id", "used as social_account_id when posting")
def the_id_of_an_account_is_what_a_post_names(stage: Stage) -> None:
    account = stage.connection()
    same(stage.planned(account=account)["social_account_id"], account["id"], "social_account_id")


@rule(
    CONNECTION,
    "Platform-side identifier",
    "Profile display name",
    "Profile handle",
    "Profile image URL",
    "Verification badge when known",
    "Followers at last sync",
    "Platform token expiry when the platform reports one",
)
def a_profile_says_who_it_is(stage: Stage) -> None:
    for platform in ("linkedin", "x"):
        account = stage.fresh_connection(platform)
        expect(account["account_identifier"], f"account_identifier is empty on {platform}")
        expect(account["display_name"], f"display_name is missing on {platform}")
        url = account["avatar_url"]
        expect(url is None or urlsplit(url).scheme in {"http", "https"}, f"avatar_url is {url!r}")
    expect(account["username"], "username is missing on x")
    same(type(account["follower_count"]), int, "the type of follower_count on x")
    expires_at = account["token_expires_at"]
    expect(expires_at and moment(expires_at) > datetime.now(UTC), f"token_expires_at on x is {expires_at}")


@rule(CONNECTION, "False when the platform token expired", "reauthorization is needed")
def an_account_with_a_dead_token_is_not_available(stage: Stage) -> None:
    account = stage.expired_connection("linkedin")
    stage.api.post(f"/connections/{account['id']}/reauth").given()


@rule(CONNECTION, "created_at · When connected")
def created_at_is_when_the_account_was_connected(stage: Stage) -> None:
    created_at = moment(stage.fresh_connection()["created_at"])
    expect(abs(created_at - datetime.now(UTC)) < SLACK, f"created_at is {created_at}")


@rule(
    CONNECTIONS,
    "GET /connections · Query: platform",
    "By default only available accounts",
    "true adds expired",
)
def unavailable_accounts_are_listed_only_when_asked_for(stage: Stage) -> None:
    account = stage.expired_connection("pinterest")

    def listed(**query: object) -> list[str]:
        page = stage.api.get("/connections", platform="pinterest", limit=100, **query).given()
        return [one["id"] for one in page["data"]]

    expect(account["id"] not in listed(), "an expired account is listed by default")
    expect(account["id"] not in listed(include_unavailable=False), "an expired account is listed with false")
    expect(account["id"] in listed(include_unavailable=True), "an expired account is not listed with true")
    stage.api.get("/connections", include_unavailable="perhaps").names("include_unavailable")


@rule(CONNECTIONS, "GET /connections · Query: platform")
def accounts_are_listed_by_platform(stage: Stage) -> None:
    account = stage.connection()
    for platform in (*POSTING, "threads"):
        listed = check_page(CONNECTION, stage.api.get("/connections", platform=platform, limit=100).given())
        same({one["platform"] for one in listed} <= {platform}, True, f"whether all are on {platform}")
        same(account["id"] in [one["id"] for one in listed], platform == account["platform"], "the filter")
    stage.api.get("/connections", platform="myspace").names("platform")


@rule(
    CONNECTIONS, "Envelope of ConnectionDTO", also={"Pagination envelope": ["Resource objects, newest first"]}
)
def accounts_are_listed_newest_first(stage: Stage) -> None:
    ids = [stage.fresh_connection("x")["id"] for _ in range(2)]
    page = stage.api.get("/connections", platform="x", limit=100).given()["data"]
    places = [[one["id"] for one in page].index(one) for one in ids]
    expect(places[0] > places[1], "an older account is listed before a newer one")
    times = [moment(one["created_at"]) for one in page]
    same(times, sorted(times, reverse=True), "the order of created_at")


@rule(
    CONNECTIONS,
    "GET /connections/{id} · account of another principal gives 404",
    also={"Authentication": ["Resources of other accounts are reported as 404"]},
)
def an_account_of_another_principal_is_not_found(stage: Stage) -> None:
    other, account = stage.client("other"), stage.connection()
    path = f"/connections/{account['id']}"
    other.get(path).refused("not_found")
    other.post(f"{path}/reauth").refused("not_found")
    other.get(f"{path}/boards").refused("not_found")
    other.post("/posts", stage.text_post(account)).refused("not_found")
    expect(account["id"] not in other.get("/connections", limit=100).text, "the account is listed for others")


@rule(INITIATION, *rows(INITIATION), also={CONNECTIONS: ["Returns the initiation result"]})
def starting_a_flow_gives_the_fields_of_its_table(stage: Stage) -> None:
    check_shape(INITIATION, stage.api.post("/connections/initiate", {"platform": "linkedin"}).given())


@rule(INITIATION, "Authorization URL to open in a browser", "OAuth state token bound to this attempt")
def the_url_is_for_browsers_and_carries_the_state_of_this_attempt(stage: Stage) -> None:
    first, second = (stage.api.post("/connections/initiate", {"platform": "x"}).given() for _ in range(2))
    expect(first["state"] != second["state"], "two attempts share a state")
    parts = urlsplit(first["connect_url"])
    expect(parts.scheme in {"http", "https"}, f"connect_url is {first['connect_url']!r}")
    expect(first["state"] in dict(parse_qsl(parts.query)).values(), "connect_url does not carry the state")


@rule(
    INITIATION,
    "15 minutes after creation",
    also={STATES: ["its state expires after 15 minutes"], "Limits": ["Connection OAuth state"]},
)
def an_attempt_ends_15_minutes_after_its_creation(stage: Stage) -> None:
    began = datetime.now(UTC)
    started = stage.api.post("/connections/initiate", {"platform": "linkedin"}).given()
    left = moment(started["expires_at"]) - timedelta(minutes=15)
    expect(abs(left - began) < SLACK, f"expires_at is {started['expires_at']}, begun at {began}")


@rule(
    INITIATION,
    "Id of the pending connection row",
    also={
        CONNECTIONS: ["After the user authorizes, the account appears in the list"],
        STATES: ["A pending connection row exists from initiation until"],
    },
)
def after_the_consent_the_pending_row_is_an_account_in_the_list(stage: Stage) -> None:
    started = stage.api.post("/connections/initiate", {"platform": "linkedin"}).given()
    connection_id = started["connection_id"]

    def listed() -> bool:
        page = stage.api.get("/connections", platform="linkedin", limit=100).given()["data"]
        return connection_id in [one["id"] for one in page if one["is_available"]]

    expect(not listed(), "a pending connection is listed as available")
    stage.practice.consent(started["connect_url"], person())
    expect(listed(), "the account is not in the list after the consent")


@rule(STATES, "A pending connection row exists from initiation until")
def a_denied_flow_connects_nothing(stage: Stage) -> None:
    started = stage.api.post("/connections/initiate", {"platform": "linkedin"}).given()
    stage.practice.consent(started["connect_url"], person(), "deny")
    page = stage.api.get("/connections", limit=100, include_unavailable=False).given()["data"]
    expect(started["connection_id"] not in [one["id"] for one in page], "a denied account is listed")


@rule(CONNECTIONS, "Body {platform (required; the seven posting platforms), redirect_url (optional url")
def a_flow_needs_one_of_the_seven_posting_platforms(stage: Stage) -> None:
    for platform in POSTING:
        check_shape(INITIATION, stage.api.post("/connections/initiate", {"platform": platform}).given())
    for wrong in ({}, {"platform": None}, {"platform": "threads"}, {"platform": "myspace"}, {"platform": 7}):
        stage.api.post("/connections/initiate", wrong).names("platform")


@rule(CONNECTIONS, "Body {platform (required; the seven posting platforms), redirect_url (optional url")
def a_redirect_url_must_be_a_url_and_is_where_the_browser_ends(stage: Stage) -> None:
    body = {"platform": "linkedin", "redirect_url": "https://app.example/done?from=here"}
    started = stage.api.post("/connections/initiate", body).given()
    end = stage.practice.consent(started["connect_url"], person())
    expect(end.url.startswith("https://app.example/done"), f"the browser ends at {end.url}")
    for wrong in ("no address", "", 7, "javascript:alert(1)", "/only/a/path"):
        stage.api.post("/connections/initiate", {**body, "redirect_url": wrong}).names("redirect_url")


@rule(CONNECTIONS, "Body {platform (required; the seven posting platforms), redirect_url (optional url")
def without_a_redirect_url_the_browser_ends_at_the_service(stage: Stage) -> None:
    started = stage.api.post("/connections/initiate", {"platform": "linkedin"}).given()
    end = stage.practice.consent(started["connect_url"], person())
    expect(not end.url.startswith(stage.practice.url), f"the browser is still at the platform: {end.url}")
    expect(end.text, "the service shows no page at the end")


@rule(
    REAUTHORIZATION,
    *rows(REAUTHORIZATION, "reauth_url"),
    "account · ConnectionDTO",
    "Authorization URL to open in a browser",
    "The account being reauthorized",
    also={
        CONNECTIONS: [
            "POST /connections/{id}/reauth · No body",
            "For an account with is_available false",
            "Returns the reauthorization result",
        ],
        STATES: ["Reauthorization applies to unavailable accounts"],
    },
)
def an_unavailable_account_is_authorized_again_in_a_browser(stage: Stage) -> None:
    name = person()
    started = stage.api.post("/connections/initiate", {"platform": "linkedin"}).given()
    stage.practice.consent(started["connect_url"], name)
    account = stage.connection_now(started["connection_id"])
    stage.end_tokens(account)
    result = stage.api.post(f"/connections/{account['id']}/reauth").given()
    check_shape(REAUTHORIZATION, result)
    same((result["account"]["id"], result["account"]["is_available"]), (account["id"], False), "account")
    stage.practice.consent(result["reauth_url"], name)
    again = stage.connection_now(account["id"])
    same(again["is_available"], True, "is_available after the account was authorized again")
    same(again["account_identifier"], account["account_identifier"], "account_identifier")
