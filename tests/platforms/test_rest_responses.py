"""Every refusal that a platform documents: what it means, and what of its words is kept."""

import json
from typing import Any

import httpx
import pytest

from app.contract.enums import ConnectionPlatform as P
from app.platforms.base import ANY_TIME, Cause, PlatformError
from app.platforms.base import FailureKind as K
from app.platforms.http import Answer, Call
from app.platforms.meta.graph import refused as meta_refused
from app.platforms.pinterest.rest import refused as pinterest_refused
from app.platforms.rest import kind_of, no_address, retry_after, unexpected
from app.platforms.tiktok.adapter import Refusal as TikTokRefusal
from app.platforms.tiktok.adapter import failed
from app.platforms.tiktok.adapter import refused as tiktok_refused
from app.platforms.youtube.adapter import refused as youtube_refused
from app.platforms.youtube.adapter import unusable
from tests.platforms.scripted import TOKEN, Script, json_answer, publication
from tests.platforms.world import APP


def refused(platform: P, status: int, body: object, **headers: str) -> PlatformError:
    """The error of a reading call."""
    step = json_answer(status, body, **headers)
    return Script(step).fail(platform, lambda adapter: adapter.profiles(TOKEN))


def graph(code: int, subcode: int | None = None, **more: Any) -> dict[str, Any]:
    error = {"message": "Words.", "type": "OAuthException", "code": code, **more}
    return {"error": error | ({"error_subcode": subcode} if subcode else {})}


META = [
    (400, graph(190, 463), K.AUTH_EXPIRED, "190/463"),
    (400, graph(102), K.AUTH_EXPIRED, "102"),
    (403, graph(10), K.PERMISSION, "10"),
    (403, graph(200), K.PERMISSION, "200"),
    (400, graph(299), K.PERMISSION, "299"),
    (400, graph(25, 2207050), K.PERMISSION, "25/2207050"),
    (400, graph(368), K.PERMISSION, "368"),
    (400, graph(4), K.RATE_LIMITED, "4"),
    (400, graph(17), K.RATE_LIMITED, "17"),
    (400, graph(32), K.RATE_LIMITED, "32"),
    (400, graph(341), K.RATE_LIMITED, "341"),
    (400, graph(613), K.RATE_LIMITED, "613"),
    (400, graph(80001), K.RATE_LIMITED, "80001"),
    (400, graph(100, 1390008), K.RATE_LIMITED, "100/1390008"),
    (400, graph(9, 2207042), K.QUOTA, "9/2207042"),
    (400, graph(506), K.DUPLICATE, "506"),
    (400, graph(100, 1366051), K.DUPLICATE, "100/1366051"),
    (400, graph(9007, 2207027), K.TRANSIENT, "9007/2207027"),
    (400, graph(-1, 2207001), K.TRANSIENT, "-1/2207001"),
    (400, graph(-2, 2207003), K.TRANSIENT, "-2/2207003"),
    (400, graph(-2, 2207020), K.TRANSIENT, "-2/2207020"),
    (400, graph(24, 2207008), K.TRANSIENT, "24/2207008"),
    (500, graph(1), K.TRANSIENT, "1"),
    (400, graph(2, is_transient=True), K.TRANSIENT, "2"),
    (400, graph(100, 1366046), K.INVALID, "100/1366046"),
    (400, graph(352, 2207026), K.INVALID, "352/2207026"),
    (400, graph(36000, 2207004), K.INVALID, "36000/2207004"),
    (400, graph(36003, 2207009), K.INVALID, "36003/2207009"),
    (400, graph(36004, 2207010), K.INVALID, "36004/2207010"),
    (400, graph(9004, 2207052), K.INVALID, "9004/2207052"),
]


@pytest.mark.parametrize("platform", [P.FACEBOOK, P.INSTAGRAM, P.THREADS], ids=str)
@pytest.mark.parametrize(("status", "body", "kind", "code"), META)
def test_refusals_of_meta(platform: P, status: int, body: dict[str, Any], kind: K, code: str) -> None:
    error = refused(platform, status, body)
    assert (error.kind, error.code, error.message) == (kind, code, "Words.")


def test_meta_says_it_better_to_people_and_names_the_wait() -> None:
    usage = '{"123": [{"type": "pages", "estimated_time_to_regain_access": 7}]}'
    body = graph(4, error_user_msg="Too many posts for now.")
    error = refused(P.FACEBOOK, 400, body, x_business_use_case_usage=usage)
    assert (error.message, error.retry_after) == ("Too many posts for now.", 420)


@pytest.mark.parametrize(
    ("minutes", "seconds"), [([3, 9, 5], 540), ([0], None), ([], None), ([100_000], 6_000_000)]
)
def test_the_longest_wait_of_several_counts(minutes: list[int], seconds: float | None) -> None:
    uses = [{"type": "pages", "estimated_time_to_regain_access": wait} for wait in minutes]
    for usage in ({"1": uses}, {str(number): [use] for number, use in enumerate(uses)}):
        error = refused(P.FACEBOOK, 400, graph(4), x_business_use_case_usage=json.dumps(usage))
        assert error.retry_after == seconds


def test_a_standard_header_takes_precedence_over_the_wait_of_meta() -> None:
    usage = '{"123": [{"estimated_time_to_regain_access": 7}]}'
    error = refused(P.FACEBOOK, 400, graph(4), x_business_use_case_usage=usage, retry_after="30")
    assert error.retry_after == 30


@pytest.mark.parametrize(
    ("status", "error", "kind", "code", "message"),
    [
        (400, {}, K.INVALID, "0", "Facebook answered 400."),
        (403, {"message": ""}, K.PERMISSION, "0", "Facebook answered 403."),
        (403, {"message": "Words.", "error_user_msg": ""}, K.PERMISSION, "0", "Words."),
        (400, {"code": 4711, "is_transient": True}, K.TRANSIENT, "4711", "Facebook answered 400."),
    ],
)
def test_a_refusal_of_meta_may_leave_things_out(
    status: int, error: dict[str, Any], kind: K, code: str, message: str
) -> None:
    found = refused(P.FACEBOOK, status, {"error": error})
    assert (found.kind, found.code, found.message, found.cause) == (kind, code, message, None)


@pytest.mark.parametrize(
    "usage", ["", "{", "[]", '{"1": [{"type": "pages"}]}', '{"1": [{"estimated_time_to_regain_access": -5}]}']
)
def test_usage_that_makes_no_sense_names_no_wait(usage: str) -> None:
    assert refused(P.FACEBOOK, 400, graph(4), x_business_use_case_usage=usage).retry_after is None


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, "access_token_invalid", K.AUTH_EXPIRED),
        (401, "scope_not_authorized", K.PERMISSION),
        (400, "scope_permission_missed", K.PERMISSION),
        (429, "rate_limit_exceeded", K.RATE_LIMITED),
        (403, "spam_risk_too_many_posts", K.QUOTA),
        (403, "reached_active_user_cap", K.QUOTA),
        (403, "spam_risk_too_many_pending_share", K.QUOTA),
        (403, "spam_risk_user_banned_from_posting", K.PERMISSION),
        (403, "unaudited_client_can_only_post_to_private_accounts", K.PERMISSION),
        (403, "privacy_level_option_mismatch", K.PERMISSION),
        (403, "url_ownership_unverified", K.PERMISSION),
        (400, "invalid_params", K.INVALID),
        (400, "app_version_check_failed", K.INVALID),
        (200, "invalid_params", K.INVALID),
        (500, "internal_error", K.TRANSIENT),
    ],
)
def test_refusals_of_tiktok(status: int, code: str, kind: K) -> None:
    error = refused(P.TIKTOK, status, {"data": {}, "error": {"code": code, "message": "Words."}})
    assert (error.kind, error.code, error.message) == (kind, code, "Words.")
    assert error.retry_after == (60 if kind is K.RATE_LIMITED else None)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, K.INVALID),
        (401, K.AUTH_EXPIRED),
        (402, K.QUOTA),
        (403, K.PERMISSION),
        (404, K.INVALID),
        (408, None),
        (429, K.RATE_LIMITED),
        (499, K.INVALID),
        (302, None),
        (500, None),
        (503, None),
        (200, None),
    ],
)
def test_only_a_refusal_says_for_certain_that_nothing_was_made(status: int, kind: K | None) -> None:
    for is_creating, unsure in ((True, K.AMBIGUOUS), (False, K.TRANSIENT)):
        call = Call(method="POST", url="https://example.com/", creating=ANY_TIME if is_creating else None)
        answer = Answer(call, status, {}, b"")
        assert kind_of(answer) is (kind or unsure)
        unread = unexpected(answer, "Threads")
        assert (unread.kind, unread.code) == (unsure, "unexpected_answer")
        assert str(unread.message).startswith(f"Threads answered {status} ")
    assert (no_address("X").kind, no_address("X").code) == (K.TRANSIENT, "upload_address")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("17", 17.0),
        ("0", 0.0),
        ("9999999", 9999999.0),
        ("10000000", None),
        ("", None),
        ("-1", None),
        ("1.5", None),
        ("\u0661", None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
    ],
)
def test_the_wait_that_the_standard_header_asks_for(value: str, seconds: float | None) -> None:
    call = Call(method="GET", url="https://example.com/")
    assert retry_after(Answer(call, 429, {"retry-after": value}, b"")) == seconds


SURELY_ABSENT = ("9007/2207027", "-2/2207020", "24/2207008")
"""Codes of containers that are not ready, or dead."""

TIKTOK = {
    "access_token_invalid": (K.AUTH_EXPIRED, None),
    "auth_removed": (K.AUTH_EXPIRED, None),
    "scope_not_authorized": (K.PERMISSION, Cause.SCOPE),
    "scope_permission_missed": (K.PERMISSION, Cause.SCOPE),
    "rate_limit_exceeded": (K.RATE_LIMITED, None),
    "spam_risk_too_many_posts": (K.QUOTA, None),
    "spam_risk_too_many_pending_share": (K.QUOTA, Cause.INBOX_FULL),
    "reached_active_user_cap": (K.QUOTA, Cause.APP_QUOTA),
    "spam_risk_user_banned_from_posting": (K.PERMISSION, Cause.RESTRICTED),
    "spam_risk": (K.PERMISSION, Cause.SPAM),
    "spam_risk_text": (K.PERMISSION, Cause.SPAM),
    "unaudited_client_can_only_post_to_private_accounts": (K.PERMISSION, Cause.APP_UNREVIEWED),
    "privacy_level_option_mismatch": (K.PERMISSION, Cause.PRIVACY),
    "url_ownership_unverified": (K.PERMISSION, Cause.FILE_ADDRESS),
    "invalid_param": (K.INVALID, None),
    "invalid_params": (K.INVALID, None),
    "app_version_check_failed": (K.INVALID, Cause.PROGRAM),
    "file_format_check_failed": (K.INVALID, Cause.FILE),
    "duration_check_failed": (K.INVALID, Cause.FILE_LENGTH),
    "frame_rate_check_failed": (K.INVALID, Cause.FILE_SHAPE),
    "picture_size_check_failed": (K.INVALID, Cause.FILE_SHAPE),
    "video_pull_failed": (K.TRANSIENT, Cause.FILE_ADDRESS),
    "photo_pull_failed": (K.TRANSIENT, Cause.FILE_ADDRESS),
    "publish_cancelled": (K.INVALID, Cause.CALLED_OFF),
    "internal": (K.TRANSIENT, None),
}


@pytest.mark.parametrize("code", TIKTOK)
@pytest.mark.parametrize("status", [200, 400])
def test_what_each_code_of_tiktok_means(code: str, status: int) -> None:
    error = refused(P.TIKTOK, status, {"data": {}, "error": {"code": code, "message": "Words."}})
    given_up = failed(code)
    assert (error.kind, error.cause) == (given_up.kind, given_up.cause) == TIKTOK[code]


def test_a_reason_of_tiktok_that_is_not_known_is_one_of_the_file() -> None:
    for reason in (None, "", "something new"):
        error = failed(reason)
        assert (error.kind, error.code, error.cause) == (K.INVALID, reason or "failed", Cause.FILE)


def creating(status: int, body: object) -> Answer:
    """What a publishing call was answered."""
    call = Call(method="POST", url="https://example.com/", creating=ANY_TIME)
    return Answer(call, status, {}, json.dumps(body).encode())


@pytest.mark.parametrize("status", [500, 502, 503, 504, 408])
@pytest.mark.parametrize("code", [*TIKTOK, "internal_error", ""])
def test_whatever_tiktok_says_of_a_fault_of_its_own_the_post_may_exist(code: str, status: int) -> None:
    answer = creating(status, {"error": {"code": code, "message": "Words."}})
    assert tiktok_refused(answer, answer.read(TikTokRefusal)).kind is K.AMBIGUOUS


@pytest.mark.parametrize(("code", "kind"), [("spam_risk", K.PERMISSION), ("something_new", K.AMBIGUOUS)])
def test_a_known_refusal_of_tiktok_with_a_200_is_certain_when_publishing_too(code: str, kind: K) -> None:
    answer = creating(200, {"error": {"code": code, "message": "Words."}})
    assert tiktok_refused(answer, answer.read(TikTokRefusal)).kind is kind


@pytest.mark.parametrize(("headers", "wait"), [({}, 60.0), ({"retry-after": "7"}, 7.0)])
def test_a_rate_limit_of_tiktok_lasts_a_minute_unless_it_says_otherwise(
    headers: dict[str, str], wait: float
) -> None:
    body = {"error": {"code": "rate_limit_exceeded", "message": "Words."}}
    assert refused(P.TIKTOK, 429, body, **headers).retry_after == wait


@pytest.mark.parametrize("status", [500, 502, 503, 504, 408])
@pytest.mark.parametrize("reason", ["rateLimitExceeded", "quotaExceeded", "invalidTitle", "backendError", ""])
def test_whatever_youtube_says_of_a_fault_of_its_own_the_video_may_exist(reason: str, status: int) -> None:
    answer = creating(status, {"error": {"message": "Words.", "errors": [{"reason": reason}]}})
    assert youtube_refused(answer).kind is K.AMBIGUOUS


@pytest.mark.parametrize("status", [500, 503, 504])
@pytest.mark.parametrize("body", [body for _, body, _, code in META if code not in SURELY_ABSENT], ids=str)
def test_whatever_meta_says_of_a_fault_of_its_own_the_post_may_exist(
    body: dict[str, Any], status: int
) -> None:
    assert meta_refused(creating(status, body), "Facebook").kind is K.AMBIGUOUS


@pytest.mark.parametrize("status", [400, 403])
def test_passing_trouble_of_meta_may_have_published_whatever_the_status(status: int) -> None:
    assert meta_refused(creating(status, graph(2)), "Facebook").kind is K.AMBIGUOUS
    assert meta_refused(creating(status, graph(4_711, is_transient=True)), "Facebook").kind is K.AMBIGUOUS
    assert meta_refused(creating(status, graph(100)), "Facebook").kind is not K.AMBIGUOUS


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize("code", SURELY_ABSENT)
def test_some_trouble_of_instagram_says_that_nothing_is_out(code: str, status: int) -> None:
    number, subcode = map(int, code.split("/"))
    assert meta_refused(creating(status, graph(number, subcode)), "Instagram").kind is K.TRANSIENT


@pytest.mark.parametrize("status", [500, 503, 504])
@pytest.mark.parametrize("words", ["unable to reach the url", "board", "spam", "link"])
def test_whatever_pinterest_says_of_a_fault_of_its_own_the_pin_may_exist(words: str, status: int) -> None:
    assert pinterest_refused(creating(status, {"code": 1, "message": words})).kind is K.AMBIGUOUS


@pytest.mark.parametrize("status", [500, 503, 504])
@pytest.mark.parametrize(
    "code", ["MEDIA_ASSET_WAITING_UPLOAD", "EXPIRED_UPLOAD_URL", "INVALID_IMAGE_ID", "X"]
)
def test_whatever_linkedin_says_of_a_fault_of_its_own_the_post_may_exist(code: str, status: int) -> None:
    step = json_answer(status, {"code": code, "message": "a duplicate of urn:li:share:1", "status": status})
    post = publication("urn:li:person:a")
    error = Script(step).fail(P.LINKEDIN, lambda adapter: adapter.publish(post))
    assert error.kind is K.AMBIGUOUS


def test_tiktok_may_refuse_a_token_with_a_200() -> None:
    body = {"error": "invalid_grant", "error_description": "Expired.", "log_id": "1"}
    script = Script(json_answer(200, body))
    error = script.fail(P.TIKTOK, lambda adapter: adapter.refresh(APP, "old"))
    assert (error.kind, error.message) == (K.AUTH_EXPIRED, "Expired.")


@pytest.mark.parametrize(
    ("status", "reason", "kind"),
    [
        (401, "authError", K.AUTH_EXPIRED),
        (401, "youtubeSignupRequired", K.PERMISSION),
        (403, "insufficientPermissions", K.PERMISSION),
        (403, "forbidden", K.PERMISSION),
        (403, "accessNotConfigured", K.PERMISSION),
        (403, "channelSuspended", K.PERMISSION),
        (403, "quotaExceeded", K.QUOTA),
        (400, "uploadLimitExceeded", K.QUOTA),
        (403, "rateLimitExceeded", K.RATE_LIMITED),
        (403, "userRateLimitExceeded", K.RATE_LIMITED),
        (429, "", K.RATE_LIMITED),
        (400, "invalidTitle", K.INVALID),
        (400, "mediaBodyRequired", K.INVALID),
        (503, "backendError", K.TRANSIENT),
    ],
)
def test_refusals_of_youtube(status: int, reason: str, kind: K) -> None:
    errors = [{"reason": reason, "domain": "youtube"}] if reason else []
    body = {"error": {"code": status, "message": "Words.", "errors": errors}}
    error = refused(P.YOUTUBE, status, body)
    assert (error.kind, error.code, error.message) == (kind, reason or f"http_{status}", "Words.")


CAUSES_OF_YOUTUBE = {
    "quotaExceeded": (K.QUOTA, Cause.APP_QUOTA),
    "dailyLimitExceeded": (K.QUOTA, Cause.APP_QUOTA),
    "uploadLimitExceeded": (K.QUOTA, None),
    "insufficientPermissions": (K.PERMISSION, Cause.SCOPE),
    "accessNotConfigured": (K.PERMISSION, Cause.APP),
    "youtubeSignupRequired": (K.PERMISSION, Cause.NO_CHANNEL),
    "channelClosed": (K.PERMISSION, Cause.RESTRICTED),
    "channelSuspended": (K.PERMISSION, Cause.RESTRICTED),
    "invalidTitle": (K.INVALID, Cause.TITLE),
    "invalidDescription": (K.INVALID, Cause.TEXT),
    "invalidTags": (K.INVALID, Cause.TEXT),
    "invalidVideoMetadata": (K.INVALID, Cause.TEXT),
    "invalidCategoryId": (K.INVALID, Cause.PROGRAM),
    "mediaBodyRequired": (K.INVALID, Cause.PROGRAM),
}


@pytest.mark.parametrize("reason", CAUSES_OF_YOUTUBE)
@pytest.mark.parametrize("status", [400, 401, 403])
def test_what_each_reason_of_youtube_means_whatever_its_status(reason: str, status: int) -> None:
    body = {"error": {"message": "<a href='/'>Words</a> &amp; more.", "errors": [{}, {"reason": reason}]}}
    error = refused(P.YOUTUBE, status, body)
    assert (error.kind, error.cause) == CAUSES_OF_YOUTUBE[reason]
    assert error.message == "Words & more."


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("duplicate", Cause.FILE_COPY),
        ("length", Cause.FILE_LENGTH),
        ("tooSmall", Cause.FILE_SIZE),
        ("uploaderAccountClosed", Cause.RESTRICTED),
        ("uploaderAccountSuspended", Cause.RESTRICTED),
        *((reason, Cause.POLICY) for reason in ("claim", "copyright", "inappropriate")),
        *((reason, Cause.POLICY) for reason in ("legal", "termsOfUse", "trademark")),
        ("codec", Cause.FILE),
    ],
)
def test_why_youtube_does_not_show_a_video(reason: str, cause: Cause) -> None:
    error = unusable(reason)
    assert (error.kind, error.code, error.cause) == (K.INVALID, reason, cause)


@pytest.mark.parametrize(
    ("code", "subcode", "kind", "cause"),
    [
        (190, 2207051, K.AUTH_EXPIRED, None),
        (100, 2207051, K.PERMISSION, Cause.SPAM),
        (100, 2207050, K.PERMISSION, Cause.RESTRICTED),
        (100, 1404078, K.PERMISSION, Cause.RESTRICTED),
        (100, 4854002, K.PERMISSION, Cause.RESTRICTED),
        (10, None, K.PERMISSION, None),
        (25, None, K.PERMISSION, Cause.RESTRICTED),
        (368, None, K.PERMISSION, Cause.RESTRICTED),
        (100, 1346003, K.INVALID, Cause.POLICY),
        (100, 1404102, K.INVALID, Cause.POLICY),
        (100, 1609008, K.INVALID, Cause.LINK),
        (100, 2061006, K.INVALID, Cause.LINK),
        (100, 1349125, K.INVALID, Cause.TEXT),
        (100, 2207040, K.INVALID, Cause.TEXT),
        (100, 2207010, K.INVALID, Cause.TEXT_LENGTH),
        (36004, None, K.INVALID, Cause.TEXT_LENGTH),
        (100, 1366046, K.INVALID, Cause.FILE),
        (100, 2207026, K.INVALID, Cause.FILE),
        (352, None, K.INVALID, Cause.FILE),
        (100, 2207005, K.INVALID, Cause.FILE),
        (36001, None, K.INVALID, Cause.FILE),
        (100, 2207004, K.INVALID, Cause.FILE_SIZE),
        (36000, None, K.INVALID, Cause.FILE_SIZE),
        (100, 2207009, K.INVALID, Cause.FILE_SHAPE),
        (36003, None, K.INVALID, Cause.FILE_SHAPE),
        (100, 2207057, K.INVALID, Cause.FILE_LENGTH),
        (100, 2207052, K.INVALID, Cause.FILE_ADDRESS),
        (9004, None, K.INVALID, Cause.FILE_ADDRESS),
        (100, 2207003, K.TRANSIENT, Cause.FILE_ADDRESS),
        (9007, None, K.TRANSIENT, None),
        (100, 2207082, K.TRANSIENT, None),
        (100, 2207032, K.TRANSIENT, None),
        (100, 2207053, K.TRANSIENT, None),
        (100, 1363047, K.TRANSIENT, None),
        (100, 1609010, K.TRANSIENT, None),
        (100, 2207001, K.TRANSIENT, None),
        (100, 2207008, K.TRANSIENT, None),
        (100, 2207020, K.TRANSIENT, None),
        (100, 2207027, K.TRANSIENT, None),
        (100, 1390008, K.RATE_LIMITED, None),
        (100, 2207042, K.QUOTA, None),
        (100, 1366051, K.DUPLICATE, None),
        (506, None, K.DUPLICATE, None),
        (102, None, K.AUTH_EXPIRED, None),
        *((code, None, K.RATE_LIMITED, None) for code in (4, 17, 32, 341, 613)),
        *((code, None, K.TRANSIENT, None) for code in (-2, -1, 1, 2)),
        (1366051, None, K.DUPLICATE, None),
        (200, None, K.PERMISSION, None),
        (299, None, K.PERMISSION, None),
        (300, None, K.INVALID, None),
        (199, None, K.INVALID, None),
        (80_000, None, K.RATE_LIMITED, None),
        (80_099, None, K.RATE_LIMITED, None),
        (80_100, None, K.INVALID, None),
        (79_999, None, K.INVALID, None),
        (4_711, 4_711, K.INVALID, None),
    ],
)
def test_what_the_codes_of_meta_mean(code: int, subcode: int | None, kind: K, cause: Cause | None) -> None:
    error = refused(P.INSTAGRAM, 400, graph(code, subcode))
    assert (error.kind, error.cause) == (kind, cause)


LINKEDIN = {
    "NONEXISTENT_VERSION": Cause.OUTDATED,
    "VERSION_MISSING": Cause.PROGRAM,
    "INVALID_URN_ID": Cause.PROGRAM,
    "INVALID_URN_TYPE": Cause.PROGRAM,
    "MISSING_FIELD": Cause.PROGRAM,
    "ILLEGAL_ARGUMENT": Cause.PROGRAM,
    "MEDIA_ASSET_PROCESSING_FAILED": Cause.FILE,
    "INVALID_IMAGE_ID": Cause.FILE_GONE,
    "INVALID_VIDEO_ID": Cause.FILE_GONE,
    "FIELD_LENGTH_TOO_LONG": Cause.TEXT_LENGTH,
    "INVALID_VALUE_BLANK_FIELD": Cause.TEXT,
}


def linkedin(status: int, body: object) -> PlatformError:
    """How a post of LinkedIn is refused."""
    post = publication("urn:li:person:a")
    return Script(json_answer(status, body)).fail(P.LINKEDIN, lambda adapter: adapter.publish(post))


@pytest.mark.parametrize("code", LINKEDIN)
def test_what_each_code_of_linkedin_means(code: str) -> None:
    error = linkedin(400, {"code": code, "message": "Words."})
    assert (error.kind, error.code, error.cause) == (K.INVALID, code, LINKEDIN[code])


@pytest.mark.parametrize(
    ("status", "message", "kind", "cause"),
    [
        (429, "Resource level throttle APPLICATION DAY limit", K.RATE_LIMITED, Cause.APP_QUOTA),
        (429, "Resource level throttle MEMBER DAY limit", K.RATE_LIMITED, None),
        (403, "APPLICATION DAY", K.PERMISSION, None),
        (422, "Unpermitted field", K.INVALID, Cause.PROGRAM),
        (400, "Parameter 'x' is invalid", K.INVALID, Cause.PROGRAM),
        (403, "Parameter 'x' is invalid", K.PERMISSION, None),
        (400, "Words.", K.INVALID, None),
        (426, "Words.", K.PERMISSION, None),
        (409, "Words.", K.TRANSIENT, None),
        (422, "Content is a duplicate of urn:li:share:1", K.DUPLICATE, None),
        (403, "Content is a duplicate of urn:li:share:1", K.PERMISSION, None),
    ],
)
def test_what_the_words_of_linkedin_mean(status: int, message: str, kind: K, cause: Cause | None) -> None:
    error = linkedin(status, {"message": message, "serviceErrorCode": 7})
    assert (error.kind, error.code, error.cause) == (kind, "7", cause)
    assert (error.existing is not None) == (kind is K.DUPLICATE)


@pytest.mark.parametrize(
    ("status", "body", "kind", "cause"),
    [
        (403, {"detail": "You said it in Duplicate Content."}, K.DUPLICATE, None),
        (400, {"detail": "Your text is too long."}, K.INVALID, Cause.TEXT_LENGTH),
        (400, {"detail": "Invalid URL in the text"}, K.INVALID, Cause.LINK),
        (400, {"detail": "Only one cashtag"}, K.INVALID, Cause.TEXT),
        (400, {"detail": "Your media ID is invalid."}, K.INVALID, Cause.FILE_GONE),
        (400, {"detail": "Your media IDs are invalid."}, K.INVALID, Cause.FILE_GONE),
        (400, {"detail": "The video is longer than 2 minutes"}, K.INVALID, Cause.FILE_LENGTH),
        (400, {"detail": "The video duration is wrong"}, K.INVALID, Cause.FILE_LENGTH),
        (400, {"detail": "x is not defined in the schema"}, K.INVALID, Cause.PROGRAM),
        (401, {"detail": "Your text is too long."}, K.AUTH_EXPIRED, None),
        (402, {"detail": "No credits"}, K.QUOTA, Cause.CREDITS),
        (429, {"type": "https://api.twitter.com/2/problems/usage-capped"}, K.QUOTA, Cause.APP_QUOTA),
        (403, {"reason": "client-not-enrolled"}, K.PERMISSION, Cause.APP),
        (403, {"title": "Client Forbidden"}, K.PERMISSION, Cause.APP),
        (403, {"title": "Unsupported Authentication"}, K.PERMISSION, Cause.APP),
        (401, {"title": "Unsupported Authentication"}, K.AUTH_EXPIRED, None),
        (403, {"title": "Forbidden"}, K.PERMISSION, None),
        (429, {"title": "Too Many Requests"}, K.RATE_LIMITED, None),
    ],
)
def test_what_the_words_of_x_mean(status: int, body: object, kind: K, cause: Cause | None) -> None:
    error = refused(P.X, status, body)
    assert (error.kind, error.cause) == (kind, cause)


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "'board_id' does not match", K.INVALID),
        (401, "Authentication failed.", K.AUTH_EXPIRED),
        (403, "You are not permitted.", K.PERMISSION),
        (404, "Board not found.", K.INVALID),
        (429, "You have exceeded your rate limit.", K.RATE_LIMITED),
        (429, "This request was blocked as spam.", K.QUOTA),
        (500, "Something went wrong.", K.TRANSIENT),
        (503, "Busy.", K.TRANSIENT),
    ],
)
def test_refusals_of_pinterest(status: int, message: str, kind: K) -> None:
    error = refused(P.PINTEREST, status, {"code": 7, "message": message})
    assert (error.kind, error.code, error.message) == (kind, "7", message)


@pytest.mark.parametrize(
    ("status", "message", "kind", "cause"),
    [
        (400, "Unable to reach the URL.", K.TRANSIENT, Cause.FILE_ADDRESS),
        (404, "Unable to reach the URL.", K.INVALID, None),
        (403, "The board is secret.", K.PERMISSION, None),
        (429, "Blocked as spam.", K.QUOTA, Cause.SPAM),
        (400, "Blocked as spam.", K.INVALID, None),
        (404, "Board not found.", K.INVALID, Cause.BOARD),
        (400, "A cover is required for a video pin.", K.INVALID, Cause.FILE),
        (400, "We could not read this image.", K.INVALID, Cause.FILE),
        (400, "The video is not ready.", K.INVALID, Cause.FILE),
        (400, "The link is not valid.", K.INVALID, Cause.LINK),
        (400, "The title is too long.", K.INVALID, Cause.TITLE),
        (400, "The description is too long.", K.INVALID, Cause.TEXT),
        (400, "No.", K.INVALID, None),
    ],
)
def test_what_the_words_of_pinterest_mean(status: int, message: str, kind: K, cause: Cause | None) -> None:
    error = refused(P.PINTEREST, status, {"code": 7, "message": message})
    assert (error.kind, error.cause) == (kind, cause)


@pytest.mark.parametrize("reset", ["", "soon", "-1", "1.5", "12345678", "\u0661"])
def test_a_wait_of_pinterest_that_makes_no_sense_is_none(reset: str) -> None:
    headers = {"x-ratelimit-reset": reset}
    answer = Answer(Call(method="GET", url="https://example.com/"), 429, headers, b"{}")
    assert pinterest_refused(answer).retry_after is None


def test_the_wait_that_pinterest_asks_for() -> None:
    body = {"code": 8, "message": "You have exceeded your rate limit."}
    assert refused(P.PINTEREST, 429, body, x_ratelimit_reset="12").retry_after == 12


@pytest.mark.parametrize("platform", list(P), ids=str)
@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, K.AUTH_EXPIRED), (403, K.PERMISSION), (429, K.RATE_LIMITED), (502, K.TRANSIENT)],
)
def test_a_refusal_that_cannot_be_read_goes_by_its_status(platform: P, status: int, kind: K) -> None:
    step = httpx.Response(status, text="<html>")
    error = Script(step).fail(platform, lambda adapter: adapter.profiles(TOKEN))
    assert (error.kind, error.code) == (kind, f"http_{status}")
    assert str(status) in error.message
