"""Ways in which a service deviates from the specification, or fails. Each function returns a bend."""

import gzip
import json
import re
from collections.abc import Callable, Collection
from typing import Any

from tests.hostile.wire import Asked, Bend, Reply
from tests.hostile.world import Row

HTML = b"<!doctype html><html><body><h1>It works</h1><p>None of your business</p></body></html>"
_PLACES = {
    "posts": {"posts"},
    "connections": {"connections"},
    "media": {"media"},
    "webhooks": {"webhooks"},
    "analytics": {"analytics"},
    "history": {"content-history"},
    "usage": {"usage"},
}
AREAS = frozenset(_PLACES)


def area_of(asked: Asked) -> str:
    """Return the area of the specification that a request belongs to."""
    return next((area for area, words in _PLACES.items() if asked.path[:1] and asked.path[0] in words), "")


def straight(_asked: Asked, reply: Reply) -> Reply:
    """Return the specified response."""
    return reply


def both(*bends: Bend) -> Bend:
    """Apply bends one after the other."""

    def bend(asked: Asked, reply: Reply) -> Reply:
        for one in bends:
            reply = one(asked, reply)
        return reply

    return bend


def only(areas: Collection[str], bend: Bend, *, methods: str = "") -> Bend:
    """Apply a bend only to some areas and methods (by default, all methods)."""

    def bent(asked: Asked, reply: Reply) -> Reply:
        wanted = area_of(asked) in areas and asked.method in (methods.split() or [asked.method])
        return bend(asked, reply) if wanted else reply

    return bent


def at(endpoint: str, bend: Bend) -> Bend:
    """Apply a bend only to one endpoint, named as in ``Asked.endpoint``."""
    return lambda asked, reply: bend(asked, reply) if asked.endpoint == endpoint else reply


def every(turn: int, bend: Bend, *, first: int = 2) -> Bend:
    """Apply a bend to every nth request."""
    return lambda asked, reply: bend(asked, reply) if asked.number % turn == first % turn else reply


def from_on(number: int, bend: Bend) -> Bend:
    """Apply a bend from the nth request on."""
    return lambda asked, reply: bend(asked, reply) if asked.number >= number else reply


def instead(reply: Reply) -> Bend:
    """Return another response. The request is still executed."""
    return lambda _asked, _reply: reply


def good(**changes: Any) -> Bend:
    """Change successful responses."""
    return lambda _asked, reply: reply.but(**changes) if reply.is_good else reply


def bad(**changes: Any) -> Bend:
    """Change error responses."""
    return lambda _asked, reply: reply if reply.is_good else reply.but(**changes)


def status(code: int, methods: str = "GET POST PATCH DELETE") -> Bend:
    """Use another success status."""

    def bend(asked: Asked, reply: Reply) -> Reply:
        return reply.but(status=code) if reply.is_good and asked.method in methods.split() else reply

    return bend


def encoded(encode: Callable[[bytes], bytes], **headers: str) -> Bend:
    """Encode the same JSON differently."""

    def bend(_asked: Asked, reply: Reply) -> Reply:
        written = json.dumps(reply.body).encode()
        return reply.but(raw=encode(written), headers={**reply.headers, **headers})

    return bend


def spaced(body: bytes) -> bytes:
    """Add whitespace between JSON tokens."""
    wide = json.dumps(json.loads(body), indent="\t", separators=(" ,", " \r\n: "))
    return f"\n\n   {wide}\n".encode()


def gzipped() -> Bend:
    return encoded(gzip.compress, **{"Content-Encoding": "gzip"})


def rows(change: Callable[[Row], Row]) -> Bend:
    """Change every object in successful responses, innermost first."""

    def bend(_asked: Asked, reply: Reply) -> Reply:
        return reply.but(body=_walk(reply.body, change)) if reply.is_good else reply

    return bend


def values(change: Callable[[str, Any], Any]) -> Bend:
    """Change every value by its name."""
    return rows(lambda row: {name: change(name, value) for name, value in row.items()})


def named(names: str, value: Any) -> Bend:
    """Set all fields with these names to one value."""
    wanted = names.split()
    return values(lambda name, old: value if name in wanted else old)


def without(*wanted: Any, names: str = "") -> Bend:
    """Omit fields with these names or values."""
    gone = names.split()

    def change(row: Row) -> Row:
        return {name: value for name, value in row.items() if name not in gone and value not in wanted}

    return rows(change)


def envelope(change: Callable[[Row], Any]) -> Bend:
    """Change the outermost object of lists."""

    def bend(_asked: Asked, reply: Reply) -> Reply:
        is_list = reply.is_good and isinstance(reply.body, dict) and "data" in reply.body
        return reply.but(body=change(reply.body)) if is_list else reply

    return bend


_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def instants(change: Callable[[str], Any]) -> Bend:
    """Format every time differently."""

    def other(_name: str, value: Any) -> Any:
        return change(value) if isinstance(value, str) and _INSTANT.fullmatch(value) else value

    return values(other)


def _walk(value: Any, change: Callable[[Row], Row]) -> Any:
    if isinstance(value, list):
        return [_walk(one, change) for one in value]
    if isinstance(value, dict):
        return change({name: _walk(one, change) for name, one in value.items()})
    return value
