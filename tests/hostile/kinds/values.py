"""Times, texts, IDs and numbers in other formats."""

from datetime import datetime, timedelta, timezone
from typing import Any

from tests.hostile.bends import at, both, instants, named, only, values
from tests.hostile.variation import EVERYTHING, Variation, hopeless
from tests.hostile.wire import Bend


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _in_zone(minutes: int, form: str = "") -> Bend:
    zone = timezone(timedelta(minutes=minutes))

    def change(text: str) -> str:
        moment = _moment(text).astimezone(zone)
        return moment.strftime(form) if form else moment.isoformat(timespec="milliseconds")

    return instants(change)


def _days(form: str) -> Bend:
    return values(lambda name, old: form.format(old) if name == "metric_date" else old)


_TIMES = [
    Variation("times-east", _in_zone(330)),
    Variation("times-west-without-colon", _in_zone(-570, "%Y-%m-%dT%H:%M:%S.%f%z")),
    Variation("times-without-fraction", instants(lambda text: text[:19] + "Z"), writes=True),
    Variation("times-with-microseconds", instants(lambda text: text[:-1] + "000Z")),
    Variation("times-with-nanoseconds", instants(lambda text: text[:-1] + "000000Z")),
    Variation("times-with-space-and-small-z", instants(lambda text: text.replace("T", " ").lower())),
    Variation("times-with-decimal-comma", instants(lambda text: text.replace(".", ","))),
    Variation("times-in-plain-hours", instants(lambda text: text[:-1] + "+00")),
    hopeless("times-without-zone", instants(lambda text: text[:-1])),
    hopeless("times-as-numbers", instants(lambda text: _moment(text).timestamp())),
    hopeless("times-are-no-times", instants(lambda _text: "soon")),
    Variation("days-are-instants", _days("{}T00:00:00.000Z")),
    Variation("days-are-instants-elsewhere", _days("{}T23:59:59+14:00")),
    Variation(
        "times-at-the-end-of-time",
        at("GET posts", named("scheduled_at", "9999-12-31T23:59:59.999Z")),
        writes=False,
    ),
    Variation(
        "times-beyond-the-end-of-time",
        at("GET posts", named("scheduled_at", "9999-12-31T23:59:59.999-12:00")),
        fails=frozenset({"posts"}),
        writes=False,
    ),
    Variation(
        "times-at-the-beginning",
        both(
            named(
                "posted_at token_expires_at current_period_end last_delivery_at created_at updated_at "
                "delivered_at",
                "0001-01-01T00:00:00.000Z",
            ),
            at("GET posts", named("scheduled_at", "1970-01-01T00:00:00.000Z")),
        ),
        writes=False,
    ),
    Variation(
        "attempts-to-connect-are-over-at-once",
        at("POST connections/initiate", named("expires_at", "2020-01-01T00:00:00.000Z")),
    ),
    Variation(
        "accounts-expire-in-the-year-9999",
        named("token_expires_at current_period_end", "9999-12-31T23:59:59.999Z"),
    ),
]


def _words(change: Any) -> Bend:
    """Change users' texts."""
    names = {
        "title",
        "description",
        "display_name",
        "username",
        "name",
        "error_message",
        "plan",
        "content_id",
        "account_identifier",
        "message",
        "event_id",
        "batch_id",
        "used_human",
        "cap_human",
    }
    return values(lambda name, old: change(old) if name in names and isinstance(old, str) else old)


_TEXTS = [
    Variation(
        "texts-from-right-to-left",
        _words(
            lambda old: f"\u202e\u05e9\u05dc\u05d5\u05dd {old} \u0645\u0631\u062d\u0628\u0627\u202c\u2067"
        ),
    ),
    Variation(
        "texts-with-control-characters", _words(lambda old: f"\x00\x01\x1b[31m{old}\x07\x7f\x85\u2028")
    ),
    Variation("texts-with-half-characters", _words(lambda old: f"{old} \ud83d")),
    Variation(
        "texts-of-markup",
        _words(lambda old: f"<b>{old}</b><img src='file:///etc/passwd'><script>alert(1)</script>&amp;&nbsp;"),
    ),
    Variation("texts-of-many-marks", _words(lambda old: "Z" + "\u0335\u0341\u0489" * 200 + old)),
    Variation("texts-of-emoji", _words(lambda old: "👩‍👩‍👧‍👦🏴󠁧󠁢󠁳󠁣󠁴󠁿" * 40 + old)),
    Variation("texts-of-nothing-but-space", _words(lambda _old: "\n\n \t\u00a0\u200b\n")),
    Variation("texts-in-one-endless-word", _words(lambda old: "a" * 2_000 + old)),
    Variation("texts-of-many-lines", _words(lambda old: "line\n" * 3_000 + old)),
    Variation(
        "words-that-mean-something-elsewhere", _words(lambda _old: "%s %n {0} ${HOME} &File ~/../. \\n")
    ),
]

_LINKS = [
    Variation(
        "links-are-no-links",
        both(
            named("avatar_url media_url", "javascript:alert(1)"),
            named("connect_url reauth_url upload_url view_url", "not a link at all"),
        ),
        takes_files=False,
    ),
    Variation(
        "links-go-to-this-computer",
        both(
            named("avatar_url media_url", "file:///etc/passwd"),
            named("connect_url reauth_url", "file:///etc/passwd"),
            named("upload_url view_url", "http://127.0.0.1:9/internal"),
        ),
        takes_files=False,
    ),
    Variation("addresses-of-webhooks-are-odd", only({"webhooks"}, named("url", "ftp://[::1"))),
]

_IDS = [
    Variation(
        "ids-in-capitals",
        values(
            lambda name, old: (
                old.upper() if name in ("id", "social_account_id", "scheduled_post_id") and old else old
            )
        ),
    ),
    Variation(
        "ids-in-braces",
        values(
            lambda name, old: f"{{{old}}}" if name in ("id", "social_account_id") and len(old) == 36 else old
        ),
    ),
    Variation(
        "ids-are-no-uuids",
        values(lambda name, old: f"obj_{old[:8]}" if name in ("id", "social_account_id") else old),
        fails=EVERYTHING - {"usage"},
        writes=False,
    ),
    Variation("ids-of-posts-in-the-history-are-numbers-in-text", named("scheduled_post_id", "12345")),
    Variation("paths-climb", named("media_storage_path storage_path", "../../../../etc/passwd")),
    Variation(
        "paths-with-odd-signs",
        values(lambda name, old: f"{old}?a=b#c %2e\\ü" if name == "media_storage_path" and old else old),
    ),
]

_COUNTS = (
    "views likes comments shares subscribers follower_count pin_count failure_count attempt latency_ms "
    "used_bytes cap_bytes status_code"
)
_NUMBERS = [
    Variation("numbers-below-nothing", named(_COUNTS, -7), takes_files=False),
    Variation("numbers-are-nothing", named(_COUNTS, 0), takes_files=False),
    Variation("numbers-beyond-all-bounds", named(_COUNTS, 10**15), takes_files=False),
    Variation("numbers-beyond-64-bits", named(_COUNTS, 10**25), takes_files=False),
    Variation(
        "numbers-as-text",
        values(lambda name, old: str(old) if name in _COUNTS.split() and isinstance(old, int) else old),
    ),
    Variation(
        "numbers-with-a-point",
        values(lambda name, old: float(old) if name in _COUNTS.split() and isinstance(old, int) else old),
    ),
    Variation(
        "numbers-with-a-fraction",
        values(lambda name, old: old + 0.5 if name in _COUNTS.split() and isinstance(old, int) else old),
    ),
    Variation(
        "numbers-that-platforms-do-not-report",
        only({"analytics"}, named("views likes comments shares subscribers", None)),
        fails=frozenset({"analytics"}),
    ),
    Variation("more-is-used-than-there-is", named("used_bytes", 10**12), takes_files=False),
    Variation(
        "counts-of-actions-are-huge",
        at(
            "GET usage",
            values(
                lambda name, old: (
                    {"rest.posts.create": 10**30, "rest.posts.list": -5} if name == "actions" else old
                )
            ),
        ),
    ),
]

VARIATIONS = [*_TIMES, *_TEXTS, *_LINKS, *_IDS, *_NUMBERS]
