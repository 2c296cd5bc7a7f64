"""Network transport, and other responses in place of our companion."""

from tests.hostile.bends import HTML, bad, both, encoded, every, good, gzipped, instead, only, spaced
from tests.hostile.variation import Variation, hopeless
from tests.hostile.wire import Reply, error

_PAGE = {"Content-Type": "text/html"}
_REDIRECT = {"Location": "https://127.0.0.1:9/elsewhere"}

_BYTES = [
    Variation("gzip-that-nobody-asked-for", gzipped()),
    Variation("in-tiny-pieces", good(manner="chunked")),
    Variation("as-in-1996", both(good(manner="old"), bad(manner="old"))),
    Variation("as-plain-text", good(headers={"Content-Type": "text/plain"})),
    Variation("as-a-web-page", good(headers=_PAGE)),
    Variation("without-a-type", good(headers={"Content-Type": ""})),
    Variation("with-a-mark-in-front", encoded(lambda body: b"\xef\xbb\xbf" + body)),
    Variation("with-much-space", encoded(spaced)),
    Variation(
        "with-cookies", good(headers={"Set-Cookie": "session=1; Path=/; Secure", "X-Request-Id": "\xff\xfe"})
    ),
    Variation("a-little-slow", good(wait=0.02)),
]
_BROKEN = [
    Variation("now-and-then-half-an-answer", every(4, good(manner="cut"))),
    Variation("now-and-then-half-a-document", every(6, good(raw=b'{"data": [{"id": "7'))),
    Variation("now-and-then-no-answer", every(4, good(manner="dropped"))),
    Variation("now-and-then-an-empty-answer", every(6, good(raw=b""))),
    hopeless("always-half-an-answer", good(manner="cut")),
    hopeless("always-half-a-document", good(raw=b'{"data": [{"id": "7')),
    hopeless("always-a-broken-line", instead(Reply(manner="dropped"))),
    hopeless("always-empty", good(raw=b"")),
    hopeless("bytes-of-no-alphabet", good(raw=b'{"data": ["\xff\xfe\xc3"]}')),
    hopeless("gzip-in-name-only", good(headers={"Content-Encoding": "gzip"})),
    hopeless("numbers-that-are-none", good(raw=b'{"data": NaN, "next_cursor": Infinity}')),
    hopeless("very-deep", good(raw=b'{"data":' + b"[" * 50_000 + b"]" * 50_000 + b"}")),
]
_ELSEWHERE = [
    hopeless("moved-for-good", instead(Reply(301, raw=b"", headers=_REDIRECT))),
    hopeless("moved-for-now", instead(Reply(307, raw=b"", headers=_REDIRECT))),
    hopeless("a-page-to-sign-in", instead(Reply(200, raw=HTML, headers=_PAGE))),
    hopeless("not-modified", instead(Reply(304, raw=b""))),
    hopeless("the-address-knows-nothing", instead(Reply(404, raw=HTML, headers=_PAGE))),
    Variation(
        "files-are-not-there", only({"media"}, instead(error(404, "not_found", "Gone."))), takes_files=False
    ),
]
_COMPANIONS = [
    Variation("companion-is-a-page", companion=Reply(200, raw=HTML, headers=_PAGE)),
    Variation("companion-is-forbidden", companion=error(403, "forbidden", "No.")),
    Variation(
        "companion-fails",
        companion=error(500, "internal_error", "Broken."),
        fails=frozenset({"posts", "connections"}),
        writes=False,
    ),
    Variation(
        "companion-is-another", companion=Reply(200, {"version": 2, "offers": None, "practice": "maybe"})
    ),
    Variation(
        "companion-promises-too-much",
        companion=Reply(
            200,
            {
                "version": "99",
                "offers": ["events", "posts", "attempts", "media", "quotas", "deliveries", "keys", "tea"],
                "practice": False,
            },
        ),
    ),
    Variation("companion-is-elsewhere", companion=Reply(302, raw=b"", headers=_REDIRECT)),
    Variation("companion-needs-another-method", companion=error(405, "method_not_allowed", "No.")),
    Variation("companion-is-empty", companion=Reply(204, raw=b"")),
]
VARIATIONS = [*_BYTES, *_BROKEN, *_ELSEWHERE, *_COMPANIONS]
