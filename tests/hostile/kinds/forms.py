"""Other success codes, unknown fields and values, nulls, missing fields, and another boards wrapper."""

from typing import Any

from tests.hostile.bends import at, both, envelope, good, named, only, rows, status, values, without
from tests.hostile.variation import EVERYTHING, Variation, hopeless
from tests.hostile.wire import Bend
from tests.hostile.world import Row

_BOARDS = "GET connections/{id}/boards"


def _unknown(row: Row) -> Row:
    if all(isinstance(value, int) for value in row.values()):
        return row  # a map of counts
    return row | {"colour": "blue", "links": {"self": None, "more": [1, {"a": "b"}]}, "_x": [None]}


def _one_in(turn: int, name: str, value: Any) -> Bend:
    """Change a field in about every nth object that has it, always in the same objects."""

    def other(row: Row) -> Row:
        is_meant = name in row and ord(str(row.get("id", "0"))[-1]) % turn == 0
        return row | {name: value} if is_meant else row

    return envelope(lambda old: old | {"data": [other(row) for row in old["data"]]})


def _data(old: Row) -> Any:
    """Return a list without a wrapper."""
    return old["data"]


def _with_a_bad_first(old: Row) -> Row:
    first = {name: value for name, value in old["data"][0].items() if name != "created_at"}
    return old | {"data": [first, *old["data"][1:]]}


def _boards(change: Any) -> Bend:
    return at(_BOARDS, envelope(change))


_OPTIONAL = (
    "title description batch_id display_name username avatar_url is_verified follower_count token_expires_at "
    "posted_at privacy pin_count last_delivery_at last_disabled_at status_code error_message delivered_at "
    "scheduled_post_id media_url media_type plan current_period_end details"
)
_all_null = named(_OPTIONAL, None)
_CODES = [
    Variation("as-specified", boards=7),
    Variation("every-success-is-200", status(200)),
    Variation("every-success-is-201", status(201)),
    Variation("every-success-is-202", status(202)),
    Variation("every-success-is-203", status(203)),
    Variation("every-success-is-206", status(206)),
    Variation("every-success-is-299", status(299)),
    Variation("a-deletion-is-204-without-body", status(204, "DELETE")),
]
_FIELDS = [
    Variation("unknown-fields-everywhere", rows(_unknown)),
    Variation(
        "lists-with-totals", envelope(lambda old: old | {"total": 9_999, "has_more": True, "object": "list"})
    ),
    Variation("nothing-optional-is-known", _all_null),
    Variation("what-is-null-is-left-out", without(None)),
    Variation("nothing-optional-and-all-left-out", both(_all_null, without(None))),
    Variation(
        "texts-are-empty-in-place-of-null",
        values(
            lambda name, old: (
                ""
                if old is None
                and name
                in (
                    "title",
                    "description",
                    "username",
                    "display_name",
                    "avatar_url",
                    "media_url",
                    "batch_id",
                    "error_message",
                    "plan",
                )
                else old
            )
        ),
    ),
    Variation(
        "text-posts-have-null-for-a-file",
        values(lambda name, old: None if name == "media_storage_path" and old == "" else old),
    ),
    Variation(
        "a-required-field-is-missing", without(names="created_at"), fails=EVERYTHING - {"usage"}, writes=False
    ),
]
_ENUMS = [
    Variation("an-unknown-status", _one_in(4, "status", "on_hold")),
    Variation("an-unknown-platform", _one_in(4, "platform", "peertube")),
    Variation("posts-on-threads", at("GET posts", _one_in(4, "platform", "threads"))),
    Variation("an-unknown-type", _one_in(3, "post_type", "carousel")),
    Variation("an-unknown-media-type", _one_in(3, "media_type", "hologram")),
    Variation("an-unknown-surface", _one_in(2, "created_via", "carrier-pigeon")),
    Variation(
        "unknown-events",
        both(_one_in(2, "event_type", "post.liked"), named("events", ["post.liked", "post.published"])),
    ),
    Variation("an-unknown-subscription", at("GET usage", named("status", "trialing"))),
    Variation("an-unknown-deletion", named("action", "archived")),
    Variation("unknown-privacy-of-boards", named("privacy", "FRIENDS_OF_FRIENDS")),
    Variation(
        "unknown-actions-in-the-usage",
        at(
            "GET usage",
            named(
                "actions", {"rest.posts.create": 3, "graphql.query": 12, "": 4, "rest.": 1, "rest.a.b.c.d": 2}
            ),
        ),
    ),
    Variation(
        "values-are-in-capitals",
        values(
            lambda name, old: (
                old.upper() if name in ("status", "created_via", "media_type", "privacy") and old else old
            )
        ),
    ),
]
_WRAPPERS: dict[str, Any] = {
    "in-items": lambda old: {"items": old["data"], "bookmark": old["bookmark"]},
    "with-next-bookmark": lambda old: {"items": old["data"], "next_bookmark": old["bookmark"]},
    "with-next-cursor": lambda old: {"data": old["data"], "next_cursor": old["bookmark"]},
    "in-boards": lambda old: {"boards": old["data"], "bookmark": old["bookmark"]},
    "with-an-empty-bookmark": lambda old: old | {"bookmark": old["bookmark"] or ""},
}
_BOARD_WRAPPERS = [
    Variation(f"boards-{name}", _boards(change), boards=7) for name, change in _WRAPPERS.items()
]
_BOARD_WRAPPERS += [
    Variation("boards-without-a-wrapper", _boards(_data), boards=3),
]
_BOARD_WRAPPERS += [
    Variation(f"boards-{name}", _boards(change))
    for name, change in {
        "one-level-deeper": lambda old: {"data": {"items": old["data"], "bookmark": old["bookmark"]}},
        "in-results": lambda old: {"results": old["data"], "bookmark": old["bookmark"]},
        "with-names-only": lambda old: (
            old | {"data": [{"id": one["id"], "name": one["name"]} for one in old["data"]]}
        ),
    }.items()
]
_OTHERS = EVERYTHING - {"webhooks"}  # whose list may come without a wrapper
_LISTS = [
    Variation("webhooks-without-a-wrapper", at("GET webhooks", envelope(_data))),
    Variation("webhooks-keep-their-secret", at("POST webhooks", without(names="secret"))),
    Variation("tests-of-webhooks-say-nothing", at("POST webhooks/{id}/test", good(raw=b"", status=202))),
    Variation("deliveries-without-a-wrapper", at("GET webhooks/{id}/deliveries", envelope(_data))),
    Variation(
        "one-post-is-malformed",
        at("GET posts", envelope(_with_a_bad_first)),
        fails=frozenset({"posts"}),
        writes=False,
    ),
    Variation(
        "the-usage-has-no-storage",
        at("GET usage", named("storage", None)),
        fails=frozenset({"usage"}),
    ),
    Variation(
        "actions-in-the-usage-are-nested",
        at("GET usage", named("actions", {"posts": {"create": 3}})),
        fails=frozenset({"usage"}),
    ),
    Variation("webhooks-in-items", at("GET webhooks", envelope(lambda old: {"items": old["data"]}))),
    Variation("a-list-in-place-of-an-object", only(_OTHERS, good(body=[])), fails=_OTHERS, writes=False),
    hopeless("null-in-place-of-an-object", good(body=None)),
]
VARIATIONS = [*_CODES, *_FIELDS, *_ENUMS, *_BOARD_WRAPPERS, *_LISTS]
