"""Errors of every kind, now and then or always, in many shapes."""

from email.utils import formatdate
from typing import Any

from tests.hostile.bends import AREAS, HTML, at, bad, both, every, from_on, instead, only
from tests.hostile.variation import EVERYTHING, Variation
from tests.hostile.wire import Reply, error

_PAGE = {"Content-Type": "text/html; charset=utf-8"}


def _html(status: int, **headers: str) -> Reply:
    return Reply(status, raw=HTML, headers=_PAGE | headers)


def _limited(details: Any = None, **headers: str) -> Reply:
    return error(429, "rate_limited", "Too many requests.", details).but(headers=headers)


_SOON = {"Retry-After": "0"}
_LIMITS = [
    Variation("slower-with-details", every(4, instead(_limited({"retry_after_seconds": 0.01})))),
    Variation("slower-in-seconds", every(4, instead(_limited(**_SOON)))),
    Variation(
        "slower-until-a-date", every(4, instead(_limited(**{"Retry-After": formatdate(0, usegmt=True)})))
    ),
    Variation("slower-without-a-word", every(5, instead(_limited()))),
    Variation("slower-with-a-bare-body", every(4, instead(Reply(429, raw=b"", headers=_SOON)))),
    Variation(
        "slower-in-odd-words",
        every(4, instead(_limited({"retry_after_seconds": "soon"}, **{"Retry-After": "-1"}))),
    ),
    Variation(
        "slower-for-an-hour",
        instead(_limited({"retry_after_seconds": 3_600})),
        fails=EVERYTHING,
        writes=False,
    ),
    Variation(
        "slower-for-ever-and-ever",
        instead(_limited({"retry_after_seconds": 1e300})),
        fails=EVERYTHING,
        writes=False,
    ),
]
_SERVERS = [
    Variation("now-and-then-500", every(4, instead(error(500, "internal_error", "Broken.")))),
    Variation("now-and-then-500-as-a-page", every(4, instead(_html(500)))),
    Variation("now-and-then-502-as-a-page", every(4, instead(_html(502)))),
    Variation("now-and-then-503", every(4, instead(_html(503, **_SOON)))),
    Variation("now-and-then-504-without-a-word", every(4, instead(Reply(504, raw=b"")))),
    Variation("now-and-then-408", every(4, instead(Reply(408, raw=b"")))),
    Variation(
        "now-and-then-something-else",
        both(
            every(4, instead(_html(502))),
            every(7, instead(_limited(**_SOON)), first=5),
            every(9, instead(Reply(200, raw=b'{"data": [{"id'))),
        ),
    ),
    Variation("always-500", instead(error(500, "internal_error", "Broken.")), fails=EVERYTHING, writes=False),
    Variation("always-a-page-with-520", instead(_html(520)), fails=EVERYTHING, writes=False),
    Variation(
        "nothing-can-be-changed",
        only(AREAS, instead(error(500, "internal_error", "Broken.")), methods="POST PATCH DELETE"),
        writes=False,
    ),
]
_PARTS = [
    Variation(
        f"no-{area}",
        only({area}, instead(error(500, "internal_error", "Broken."))),
        fails=frozenset({area, "posts"} if area == "connections" else {area}),
        writes=area not in ("posts", "connections"),
    )
    for area in sorted(AREAS - {"media"})
]
_PARTS += [
    Variation(
        "what-is-optional-is-not-there",
        only(
            {"analytics", "history", "usage", "webhooks", "media"},
            instead(Reply(404, raw=b"Not Found", headers={"Content-Type": "text/plain"})),
        ),
        fails=frozenset({"analytics", "history", "usage", "webhooks"}),
    ),
    Variation(
        "what-is-optional-is-not-built",
        only(
            {"analytics", "history", "usage", "webhooks", "media"},
            instead(error(501, "not_implemented", "Not yet.")),
        ),
        fails=frozenset({"analytics", "history", "usage", "webhooks"}),
    ),
    Variation(
        "other-methods-are-not-allowed",
        only(AREAS, instead(error(405, "method_not_allowed", "Use GET.")), methods="POST PATCH DELETE"),
        writes=False,
    ),
]
_KEYS = [
    Variation(
        "the-key-is-refused",
        instead(error(401, "unauthorized", "The key is not known.")),
        fails=EVERYTHING,
        writes=False,
    ),
    Variation(
        "the-key-is-refused-midway",
        from_on(9, instead(error(401, "unauthorized", "It has expired."))),
        fails=EVERYTHING,
        writes=False,
    ),
    Variation(
        "the-key-is-refused-without-a-word", instead(Reply(401, raw=b"")), fails=EVERYTHING, writes=False
    ),
    Variation(
        "the-key-may-nothing",
        instead(error(403, "forbidden", "The key lacks the scope.")),
        fails=EVERYTHING,
        writes=False,
    ),
    Variation(
        "the-key-may-only-read",
        only(AREAS, instead(error(403, "forbidden", "Read only.")), methods="POST PATCH DELETE"),
        writes=False,
    ),
    Variation(
        "the-key-may-not-see-webhooks",
        only({"webhooks"}, instead(error(403, "forbidden", "No."))),
        fails=frozenset({"webhooks"}),
    ),
    Variation(
        "payment-is-required",
        instead(error(402, "payment_required", "Your trial is over.")),
        fails=EVERYTHING,
        writes=False,
    ),
    Variation(
        "boards-need-a-new-consent",
        at(
            "GET connections/{id}/boards",
            instead(
                Reply(
                    401,
                    {
                        "error": {"code": "unauthorized", "message": "Connect again."},
                        "request_id": "r",
                        "reauth_url": "https://platform.example/again",
                    },
                )
            ),
        ),
    ),
]


def _refusing(**changes: Any) -> Any:
    """All writes are refused, in words of another shape."""
    refused = only(AREAS, instead(error(400, "validation_error", "No.")), methods="POST PATCH DELETE")
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
VARIATIONS = [*_LIMITS, *_SERVERS, *_PARTS, *_KEYS, *_WORDS]
