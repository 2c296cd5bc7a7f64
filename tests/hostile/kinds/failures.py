"""Errors of every kind and shape, occasional or permanent."""

from email.utils import formatdate
from typing import Any

from tests.hostile.bends import AREAS, HTML, at, bad, both, every, from_on, instead, only
from tests.hostile.variation import NOTHING, Variation, hopeless
from tests.hostile.wire import Reply, error

_PAGE = {"Content-Type": "text/html; charset=utf-8"}
_SOON = {"Retry-After": "0"}
_BROKEN = error(500, "internal_error", "Broken.")
_CHANGES = "POST PATCH DELETE"
_OPTIONAL = frozenset({"analytics", "history", "usage", "webhooks", "media"})


def _html(status: int, **headers: str) -> Reply:
    return Reply(status, raw=HTML, headers=_PAGE | headers)


def _limited(details: Any = None, **headers: str) -> Reply:
    return error(429, "rate_limited", "Too many requests.", details).but(headers=headers)


def _now_and_then(name: str, reply: Reply, turn: int = 4) -> Variation:
    """Return a variation that a retry fixes."""
    return Variation(name, every(turn, instead(reply)))


def _always(name: str, reply: Reply) -> Variation:
    return hopeless(name, instead(reply))


def _of(areas: frozenset[str], name: str, reply: Reply, fails: frozenset[str] = NOTHING) -> Variation:
    """Return a variation in which some areas always fail. For files, that only shows on upload."""
    takes_files = not areas & {"media"}
    return Variation(name, only(areas, instead(reply)), fails=fails or areas, takes_files=takes_files)


def _read_only(name: str, reply: Reply) -> Variation:
    """Return a variation in which everything can be read, and nothing changed."""
    return Variation(name, only(AREAS, instead(reply), methods=_CHANGES), writes=False)


_LIMITS = [
    _now_and_then("slower-with-details", _limited({"retry_after_seconds": 0.01})),
    _now_and_then("slower-in-seconds", _limited(**_SOON)),
    _now_and_then("slower-until-a-date", _limited(**{"Retry-After": formatdate(0, usegmt=True)})),
    _now_and_then("slower-without-a-word", _limited(), turn=5),
    _now_and_then("slower-with-a-bare-body", Reply(429, raw=b"", headers=_SOON)),
    _now_and_then("slower-in-odd-words", _limited({"retry_after_seconds": "soon"}, **{"Retry-After": "-1"})),
    _always("slower-for-an-hour", _limited({"retry_after_seconds": 3_600})),
    _always("slower-for-ever-and-ever", _limited({"retry_after_seconds": 1e300})),
]
_SERVERS = [
    _now_and_then("now-and-then-500", _BROKEN),
    _now_and_then("now-and-then-500-as-a-page", _html(500)),
    _now_and_then("now-and-then-502-as-a-page", _html(502)),
    _now_and_then("now-and-then-503", _html(503, **_SOON)),
    _now_and_then("now-and-then-504-without-a-word", Reply(504, raw=b"")),
    _now_and_then("now-and-then-408", Reply(408, raw=b"")),
    Variation(
        "now-and-then-something-else",
        both(
            every(4, instead(_html(502))),
            every(7, instead(_limited(**_SOON)), first=5),
            every(9, instead(Reply(200, raw=b'{"data": [{"id'))),
        ),
    ),
    _always("always-500", _BROKEN),
    _always("always-a-page-with-520", _html(520)),
    _read_only("nothing-can-be-changed", _BROKEN),
]
_PARTS = [
    _of(frozenset({area}), f"no-{area}", _BROKEN) for area in ("analytics", "history", "usage", "webhooks")
]
_PARTS += [
    Variation("no-posts", only({"posts"}, instead(_BROKEN)), fails=frozenset({"posts"}), writes=False),
    Variation(
        "no-connections",
        only({"connections"}, instead(_BROKEN)),
        fails=frozenset({"connections", "posts"}),
        writes=False,
    ),
    _of(
        _OPTIONAL,
        "what-is-optional-is-not-there",
        Reply(404, raw=b"Not Found", headers={"Content-Type": "text/plain"}),
        fails=_OPTIONAL - {"media"},
    ),
    _of(
        _OPTIONAL,
        "what-is-optional-is-not-built",
        error(501, "not_implemented", "Not yet."),
        fails=_OPTIONAL - {"media"},
    ),
    _read_only("other-methods-are-not-allowed", error(405, "method_not_allowed", "Use GET.")),
    Variation("connecting-is-not-there", at("POST connections/initiate", instead(Reply(404, raw=HTML)))),
    Variation("boards-are-not-there", at("GET connections/{id}/boards", instead(Reply(404, raw=b"")))),
    Variation("boards-fail", at("GET connections/{id}/boards", instead(_BROKEN))),
    Variation("deliveries-are-not-told", at("GET webhooks/{id}/deliveries", instead(Reply(404, raw=b"")))),
]
_KEYS = [
    _always("the-key-is-refused", error(401, "unauthorized", "The key is not known.")),
    hopeless("the-key-is-refused-midway", from_on(9, instead(error(401, "unauthorized", "It has expired.")))),
    _always("the-key-is-refused-without-a-word", Reply(401, raw=b"")),
    _always("the-key-may-nothing", error(403, "forbidden", "The key lacks the scope.")),
    _read_only("the-key-may-only-read", error(403, "forbidden", "Read only.")),
    _of(frozenset({"webhooks"}), "the-key-may-not-see-webhooks", error(403, "forbidden", "No.")),
    _always("payment-is-required", error(402, "payment_required", "Your trial is over.")),
    _read_only("changes-have-to-be-paid", error(402, "payment_required", "Your trial is over.")),
    Variation(
        "no-more-posts-this-month",
        at("POST posts", instead(error(403, "forbidden", "The quota of posts is used up."))),
        writes=False,
    ),
]
_KEYS += [
    Variation(
        f"boards-need-a-new-consent{name}",
        at("GET connections/{id}/boards", instead(Reply(401, body))),
    )
    for name, body in {
        "": {
            "error": {"code": "unauthorized", "message": "Connect again."},
            "request_id": "r",
            "reauth_url": "https://platform.example/again",
        },
        "-in-details": {
            "error": {
                "code": "unauthorized",
                "message": "Connect again.",
                "details": {"reauth_url": "https://platform.example/again"},
            },
            "request_id": "r",
        },
    }.items()
]


def _refusing(status: int = 400, **changes: Any) -> Any:
    """Reject all writes, with errors of another shape."""
    refused = only(AREAS, instead(error(status, "validation_error", "No.")), methods=_CHANGES)
    return both(refused, bad(**changes))


_SHAPES: dict[str, Any] = {
    "a-map-of-fields": {
        "error": {"code": "validation_error", "message": "No.", "details": {"scheduled_at": "is a holiday"}},
        "request_id": "r",
    },
    "a-list-of-fields": {
        "error": {
            "code": "validation_error",
            "message": "No.",
            "details": [{"field": "description", "message": "is boring"}, "odd", 7, None, {"message": 5}],
        },
        "request_id": "r",
    },
    "only-text": {"error": "The text is boring."},
    "no-envelope": {"message": "The text is boring.", "code": 17},
    "no-request-id": {"error": {"code": "validation_error", "message": "The text is boring."}},
    "problem-json": {"type": "about:blank", "title": "Bad", "status": 400, "detail": "The text is boring."},
    "a-list": ["The text is boring."],
    "odd-types": {"error": {"code": 400, "message": None, "details": "x"}, "request_id": 7},
    "an-unknown-code": {"error": {"code": "teapot", "message": "Short and stout."}, "request_id": "r"},
    "a-megabyte": {
        "error": {"code": "validation_error", "message": "x" * 1_000_000},
        "request_id": "y" * 100_000,
    },
    "control-signs": {
        "error": {"code": "validation_error", "message": "\x00\u202e<b>No</b>\n\n\x1b[0m"},
        "request_id": "r\n",
    },
    "none-at-all": None,
}
_WORDS = [
    Variation(f"refused-in-{name}", _refusing(body=body), writes=False) for name, body in _SHAPES.items()
]
_WORDS += [
    Variation(
        "refused-with-422",
        _refusing(
            422,
            body={
                "detail": [{"loc": ["body", "scheduled_at"], "msg": "is a holiday", "type": "value_error"}]
            },
        ),
        writes=False,
    ),
    Variation("refused-with-409", _refusing(409), writes=False),
    Variation("refused-with-423", _refusing(423, body=None), writes=False),
]
VARIATIONS = [*_LIMITS, *_SERVERS, *_PARTS, *_KEYS, *_WORDS]
