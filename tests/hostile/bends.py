"""Ways in which a service differs from the specification, or fails. Each makes a bend."""

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
    """Which part of the specification a request belongs to."""
    return next((area for area, words in _PLACES.items() if asked.path[:1] and asked.path[0] in words), "")


def straight(_asked: Asked, reply: Reply) -> Reply:
    """As specified."""
    return reply


def both(*bends: Bend) -> Bend:
    """One after the other."""

    def bend(asked: Asked, reply: Reply) -> Reply:
        for one in bends:
            reply = one(asked, reply)
        return reply

    return bend


def only(areas: Collection[str], bend: Bend, *, methods: str = "") -> Bend:
    """Only for some areas, and methods (all of them where none is named)."""

    def bent(asked: Asked, reply: Reply) -> Reply:
        wanted = area_of(asked) in areas and asked.method in (methods.split() or [asked.method])
        return bend(asked, reply) if wanted else reply

    return bent


def at(endpoint: str, bend: Bend) -> Bend:
    """Only for one endpoint, named as in ``Asked.endpoint``."""
    return lambda asked, reply: bend(asked, reply) if asked.endpoint == endpoint else reply


def every(turn: int, bend: Bend, *, first: int = 2) -> Bend:
    """Every so many requests of all."""
    return lambda asked, reply: bend(asked, reply) if asked.number % turn == first % turn else reply


def from_on(number: int, bend: Bend) -> Bend:
    """From the so-manieth request of all."""
    return lambda asked, reply: bend(asked, reply) if asked.number >= number else reply


def instead(reply: Reply) -> Bend:
    """Answers this. Nothing of what was asked for is undone."""
    return lambda _asked, _reply: reply


def good(**changes: Any) -> Bend:
    """Changes what went well."""
    return lambda _asked, reply: reply.but(**changes) if reply.is_good else reply


def bad(**changes: Any) -> Bend:
    """Changes what did not go well."""
    return lambda _asked, reply: reply if reply.is_good else reply.but(**changes)


def status(code: int, methods: str = "GET POST PATCH DELETE") -> Bend:
    """Another code for success."""

    def bend(asked: Asked, reply: Reply) -> Reply:
        return reply.but(status=code) if reply.is_good and asked.method in methods.split() else reply

    return bend


def encoded(encode: Callable[[bytes], bytes], **headers: str) -> Bend:
    """The same JSON in other bytes."""

    def bend(_asked: Asked, reply: Reply) -> Reply:
        written = json.dumps(reply.body).encode()
        return reply.but(raw=encode(written), headers={**reply.headers, **headers})

    return bend


def spaced(body: bytes) -> bytes:
    """JSON with much between its words, and nothing more in them."""
    wide = json.dumps(json.loads(body), indent="\t", separators=(" ,", " \r\n: "))
    return f"\n\n   {wide}\n".encode()


def gzipped() -> Bend:
    return encoded(gzip.compress, **{"Content-Encoding": "gzip"})


def rows(change: Callable[[Row], Row]) -> Bend:
    """Changes every object in what went well, the innermost first."""

    def bend(_asked: Asked, reply: Reply) -> Reply:
        return reply.but(body=_walk(reply.body, change)) if reply.is_good else reply

    return bend


def values(change: Callable[[str, Any], Any]) -> Bend:
    """Changes every value by the name it has."""
    return rows(lambda row: {name: change(name, value) for name, value in row.items()})


def named(names: str, value: Any) -> Bend:
    """Gives all fields of these names one value."""
    wanted = names.split()
    return values(lambda name, old: value if name in wanted else old)


def without(*wanted: Any, names: str = "") -> Bend:
    """Leaves out fields of these names, or with these values."""
    gone = names.split()

    def change(row: Row) -> Row:
        return {name: value for name, value in row.items() if name not in gone and value not in wanted}

    return rows(change)


def envelope(change: Callable[[Row], Any]) -> Bend:
    """Changes the outermost object of lists."""

    def bend(_asked: Asked, reply: Reply) -> Reply:
        is_list = reply.is_good and isinstance(reply.body, dict) and "data" in reply.body
        return reply.but(body=change(reply.body)) if is_list else reply

    return bend


_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def instants(change: Callable[[str], Any]) -> Bend:
    """Writes every time in another way."""

    def other(_name: str, value: Any) -> Any:
        return change(value) if isinstance(value, str) and _INSTANT.fullmatch(value) else value

    return values(other)


def _walk(value: Any, change: Callable[[Row], Row]) -> Any:
    if isinstance(value, list):
        return [_walk(one, change) for one in value]
    if isinstance(value, dict):
        return change({name: _walk(one, change) for name, one in value.items()})
    return value
