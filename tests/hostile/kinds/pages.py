"""Lists with unusual pagination."""

import json
from urllib.parse import quote, unquote

from tests.hostile.answers import answer
from tests.hostile.bends import envelope
from tests.hostile.variation import Variation
from tests.hostile.wire import Asked, Bend, Reply
from tests.hostile.world import World, usual


def _paged(size: int) -> World:
    world = usual()
    world.page = size
    return world


def _again(asked: Asked, cursor: str | None) -> Reply:
    query = {name: value for name, value in asked.query.items() if name != "cursor"}
    return answer(
        Asked(
            asked.method,
            asked.path,
            query | ({"cursor": cursor} if cursor else {}),
            asked.body,
            asked.number,
            asked.turn,
            asked.world,
        )
    )


def _is_paged(asked: Asked) -> bool:
    """Whether this requests a page of a list."""
    if asked.method != "GET" or asked.endpoint == "GET webhooks":
        return False
    first = _again(asked, None)
    return first.is_good and "next_cursor" in first.body


def _wrapped(before: str, after: str = "", *, escape: bool = False) -> Bend:
    """Change the format of cursors, which the app has to send back unchanged."""

    def bend(asked: Asked, reply: Reply) -> Reply:
        if not _is_paged(asked):
            return reply
        given = asked.query.get("cursor")
        if given is not None:
            given = given.removeprefix(before).removesuffix(after)
            given = unquote(given) if escape else given
            reply = _again(asked, given)
        following = reply.body["next_cursor"]
        if following is not None:
            following = before + (quote(following) if escape else following) + after
        return reply.but(body=reply.body | {"next_cursor": following})

    return bend


def _between(asked: Asked, reply: Reply) -> Reply:
    """Insert an empty page before each page."""
    if not _is_paged(asked):
        return reply
    given = asked.query.get("cursor", "empty:")
    if given.startswith("empty:"):
        return reply.but(status=200, body={"data": [], "next_cursor": f"full:{given.removeprefix('empty:')}"})
    reply = _again(asked, given.removeprefix("full:") or None)
    following = reply.body["next_cursor"]
    return reply.but(body=reply.body | {"next_cursor": f"empty:{following}" if following else None})


def _overlapping(asked: Asked, reply: Reply) -> Reply:
    """Start each page with the last item of the previous one."""
    if not _is_paged(asked) or "cursor" not in asked.query or not reply.is_good:
        return reply
    first = _again(asked, None)
    return reply.but(body=reply.body | {"data": [*first.body["data"][-3:], *reply.body["data"]]})


def _loop(*cursors: str) -> Bend:
    """Return the first page with the same cursors forever."""

    def bend(asked: Asked, reply: Reply) -> Reply:
        if not _is_paged(asked):
            return reply
        given = asked.query.get("cursor")
        following = cursors[(cursors.index(given) + 1) % len(cursors)] if given in cursors else cursors[0]
        return _again(asked, None).but(body=_again(asked, None).body | {"next_cursor": following})

    return bend


def _endless(asked: Asked, reply: Reply) -> Reply:
    """Return empty pages, each with a new cursor."""
    if not _is_paged(asked):
        return reply
    return reply.but(status=200, body={"data": [], "next_cursor": f"more-{asked.number}"})


def _readable(asked: Asked, reply: Reply) -> Reply:
    """Use a JSON cursor with every character that has a meaning in URLs."""
    return _wrapped(json.dumps({"after": "a&b=c+d %2F#?é"}) + "/")(asked, reply)


_UNENDING = frozenset({"posts", "connections", "history", "analytics", "webhooks", "media"})

VARIATIONS = [
    Variation("pages-of-one", world=lambda: _paged(1)),
    Variation("pages-of-everything", world=lambda: _paged(100_000)),
    Variation("cursors-of-4000-signs", _wrapped("c" * 4_000)),
    Variation("cursors-with-signs-of-addresses", _readable),
    Variation("cursors-that-are-escaped", _wrapped("", "%3D%3D", escape=True)),
    Variation("empty-pages-between", _between),
    Variation("pages-overlap", _overlapping),
    Variation(
        "the-last-page-has-an-empty-cursor",
        envelope(lambda old: old | {"next_cursor": old.get("next_cursor") or ""}),
    ),
    Variation(
        "the-last-page-has-no-cursor",
        envelope(lambda old: {name: value for name, value in old.items() if name != "next_cursor" or value}),
    ),
    Variation(
        "cursors-are-numbers",
        envelope(lambda old: old | {"next_cursor": 17 if old.get("next_cursor") else None}),
        fails=_UNENDING - {"webhooks"},
        writes=False,
    ),
    Variation("the-same-cursor-for-ever", _loop("again"), fails=_UNENDING, writes=False),
    Variation("two-cursors-in-turn", _loop("one", "two"), fails=_UNENDING, writes=False),
    Variation("three-cursors-in-turn", _loop("one", "two", "three"), fails=_UNENDING, writes=False),
    Variation("empty-pages-without-end", _endless, fails=_UNENDING, writes=False),
]
