"""A companion that works or floods, large but valid responses, and malformed links and bytes."""

import gzip
import io
import itertools
import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from tests.hostile.bends import at, envelope, every, good, instead, named, only, rows
from tests.hostile.companion import CALM, Stream, calm, event, quiet
from tests.hostile.variation import EVERYTHING, Variation
from tests.hostile.wire import Asked, Bend, Reply
from tests.hostile.world import Row, identity

MEGABYTE = 1024 * 1024
_FILE = {"storage_path": "me/coat.png"}
_CHANGED = {
    "connection.changed": {"id": identity("x"), "connection": None},
    "media.changed": _FILE,
    "delivery.recorded": {"id": identity("x"), "subscription_id": None},
    "reset": {},
    "something.new": {"a": 1},
}


def _bomb(size: int, begin: bytes = b"") -> bytes:
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9) as packer:
        packer.write(begin)
        for _ in range(size // MEGABYTE):
            packer.write(b"x" * MEGABYTE)
    return packed.getvalue()


_ONCE = _bomb(256 * MEGABYTE, b"data: ")


def _begun(*pieces: bytes) -> Stream:
    """Send these after the start of each connection, then nothing more."""
    return Stream(lambda _turn: itertools.chain([event()], pieces, quiet()))


def _flood(kind: str) -> Stream:
    told = event(kind, _CHANGED[kind])
    return Stream(lambda _turn: itertools.chain([event()], itertools.repeat(told * 100)))


def _packed(content: bytes, encoding: str = "gzip") -> Stream:
    return Stream(lambda _turn: iter([content]), {"Content-Encoding": encoding})


def _ends(turn: int) -> Iterator[bytes]:
    """End the stream after each event."""
    return iter([event("media.changed", _FILE, str(turn))])


_STREAMS = {
    "is-calm": CALM,
    "ends-after-each-event": Stream(_ends),
    "ends-at-its-beginning": Stream(lambda _turn: iter(())),
    "has-ids-that-no-header-holds": _begun(
        *(event("media.changed", _FILE, told) for told in ("plätz", "a\x01"))
    ),
    "has-an-id-of-megabytes": _begun(event("media.changed", _FILE, "x" * 9 * MEGABYTE)),
    "has-a-large-event": _begun(event("media.changed", {"storage_path": "x" * 2 * MEGABYTE})),
    "has-an-event-of-many-values": _begun(
        event("media.changed", {"storage_path": "a.png", "more": [{}] * 250_000})
    ),
    "has-many-lines": _begun(b"data: 1\n" * MEGABYTE),
    "is-all-comments": Stream(lambda _turn: itertools.repeat(b": hello\n\n" * 1_000)),
    "has-windows-line-ends": _begun(*(event("media.changed", _FILE, "2", "\r\n") for _ in range(1_000))),
    "is-packed": _packed(gzip.compress(event())),
    "is-packed-once-and-large": _packed(_ONCE),
    "is-packed-twice": _packed(gzip.compress(_ONCE), "gzip, gzip"),
    "is-of-another-alphabet": Stream(calm, {"Content-Type": "text/event-stream; charset=idna"}),
    "is-no-stream": Stream(calm, {"Content-Type": "text/html"}),
} | {f"floods-{kind.replace('.', '-')}": _flood(kind) for kind in _CHANGED}


def _working(name: str, bend: Bend | None = None, **more: Any) -> Variation:
    """Return a variation with a working companion and this bend."""
    made = Variation(f"companion-{name}", stream=CALM, **more)
    return made if bend is None else Variation(made.name, bend, stream=CALM, **more)


def _repeated(endpoint: str, count: int) -> Bend:
    """Repeat the first item of a list, each with its own ID."""

    def many(old: Row) -> Row:
        first = old["data"][0]
        return old | {"data": [*old["data"], *(first | {"id": str(uuid4())} for _ in range(count))]}

    return at(endpoint, envelope(many))


def _endless(endpoint: str) -> Bend:
    """Return new items and another cursor forever."""

    def more(old: Row) -> Row:
        fresh = [one | {"id": str(uuid4())} for one in old["data"]] * 9
        return old | {"data": [*old["data"], *fresh], "next_cursor": str(uuid4())}

    return at(endpoint, _with_first(envelope(more)))


def _with_first(bend: Bend) -> Bend:
    """Bend the first page, whatever the cursor."""

    def bent(asked: Asked, reply: Reply) -> Reply:
        first = asked.world.connections if asked.path[0] == "connections" else asked.world.posts
        return bend(asked, Reply(200, {"data": first, "next_cursor": None}) if not reply.is_good else reply)

    return bent


def _instead_of_all(reply: Reply) -> Bend:
    return only(EVERYTHING, instead(reply))


_LARGE = [
    _working("texts-of-megabytes", at("GET posts", named("description title", "x" * 400_000))),
    _working("reasons-of-megabytes", named("platform_message advice", "y " * 2 * MEGABYTE)),
    _working("names-of-megabytes", named("display_name username", "z" * 400_000)),
    _working("paths-of-megabytes", at("GET companion/media", named("storage_path", "p" * 100_000))),
    _working("numbers-without-end", named("size_bytes width height limit remaining window_seconds", 10**30)),
    _working("bodies-of-many-lines", named("request_body", json.dumps([0] * 400_000))),
    _working(
        "many-actions",
        at(
            "GET usage",
            rows(
                lambda row: (
                    row | {f"rest.a.{n}": n for n in range(60_000)} if "rest.posts.create" in row else row
                )
            ),
        ),
    ),
    _working("many-webhooks", _repeated("GET webhooks", 5_000)),
    _working("many-boards", _repeated("GET connections/{id}/boards", 8_000)),
]
_ODD = [
    _working("accounts-without-end", _endless("GET connections")),
    _working(
        "values-without-end", _instead_of_all(Reply(200, raw=b'{"data":[' + b"{}," * 5 * MEGABYTE + b"{}]}"))
    ),
    _working(
        "zeros-without-end", _instead_of_all(Reply(200, raw=b'{"data":[' + b"0," * 7 * MEGABYTE + b"0]}"))
    ),
    _working("pages-of-the-web", _instead_of_all(Reply(200, raw=b"<p>," * 3 * MEGABYTE))),
    _working("links-with-brackets", named("connect_url reauth_url upload_url view_url", "https://[")),
    _working("links-of-no-name", named("connect_url reauth_url upload_url view_url", "https://xn--a/")),
    _working(
        "links-of-megabytes", named("connect_url reauth_url view_url", f"https://x/{'a' * 3 * MEGABYTE}")
    ),
    _working(
        "waits-in-no-zone",
        every(
            3,
            instead(
                Reply(429, raw=b"", headers={"Retry-After": "Wed, 21 Oct 2015 07:28:00 +99999999999999999"})
            ),
        ),
    ),
    _working(
        "waits-of-nothing", only(EVERYTHING, instead(Reply(429, raw=b"", headers={"Retry-After": "0"})))
    ),
    _working(
        "packed-twice",
        _instead_of_all(Reply(200, raw=gzip.compress(_ONCE), headers={"Content-Encoding": "gzip, gzip"})),
    ),
    _working(
        "packed-once-and-large", _instead_of_all(Reply(200, raw=_ONCE, headers={"Content-Encoding": "gzip"}))
    ),
    _working("cookies-without-end", good(headers={"Set-Cookie": f"c={'x' * 3_000}; Path=/"})),
    _working("reasons-of-old-servers", good(reason="Tr\xe8s bien")),
]
_STREAMING = [Variation(f"stream-{name}", stream=stream) for name, stream in _STREAMS.items()]
VARIATIONS = [*_STREAMING, *_LARGE, *_ODD]
FINE = [one for one in _STREAMING if one.name in ("stream-is-calm", "stream-has-ids-that-no-header-holds")]
"""Variations with which everything can be shown and done."""
