"""Unusual data behind a service that follows the specification."""

from collections.abc import Callable

from tests.hostile.bends import at, both, named, only, values
from tests.hostile.variation import Variation
from tests.hostile.wire import Asked, Bend, Reply, error
from tests.hostile.world import World, identity, usual


def _with(change: Callable[[World], object]) -> Callable[[], World]:
    def make() -> World:
        world = usual()
        change(world)
        return world

    return make


def _empty() -> World:
    world = World()
    world.usage = usual().usage
    return world


def _many(world: World) -> None:
    world.page = 100_000
    for number in range(1_200):
        world.add_post("x", "scheduled", 1 + number / 3, description="Words and more words. " * 40)


def _repeated(world: World) -> None:
    world.posts += [dict(post) for post in world.posts[:3]]
    world.connections += [dict(one) for one in world.connections[:2]]
    world.history += [dict(one) for one in world.history[:2]]


def _late(world: World) -> None:
    for number in range(5):
        world.add_post("x", "scheduled", -1 - number)


def _no_accounts(world: World) -> None:
    world.connections.clear()


def _strangers(world: World) -> None:
    for post in world.posts[::2]:
        post["social_account_id"] = identity("nobody")


def _all_at_once(world: World) -> None:
    for post in world.posts:
        post["scheduled_at"] = world.ago(hours=-5)


def _all_ended(world: World) -> None:
    for one in world.connections:
        one["is_available"] = False


def _without_filter(asked: Asked, reply: Reply) -> Reply:
    """Ignore filters."""
    if asked.endpoint != "GET posts" or "status" not in asked.query:
        return reply
    return reply.but(body={"data": asked.world.posts, "next_cursor": None})


def _forgetful(asked: Asked, reply: Reply) -> Reply:
    """Return 404 for every post by ID, although lists contain them."""
    return error(404, "not_found", "There is no such post.") if asked.endpoint == "GET posts/{id}" else reply


def _ascending(asked: Asked, reply: Reply) -> Reply:
    """Return all posts in one page, oldest first."""
    if asked.endpoint != "GET posts" or not reply.is_good:
        return reply
    told = sorted(asked.world.posts, key=lambda post: str(post["created_at"]))
    return reply.but(body={"data": told, "next_cursor": None})


def _behind(asked: Asked, reply: Reply) -> Reply:
    """Return a list that includes new posts with a delay."""
    if asked.endpoint != "GET posts" or not reply.is_good or asked.turn % 3 == 0:
        return reply
    new = {post["id"] for post in asked.world.posts if str(post["created_at"]) > asked.world.ago()}
    return reply.but(body=reply.body | {"data": [one for one in reply.body["data"] if one["id"] not in new]})


def _for_good(asked: Asked, reply: Reply) -> Reply:
    """Delete cancelled posts immediately."""
    if asked.endpoint != "DELETE posts/{id}" or not reply.is_good:
        return reply
    asked.world.posts[:] = [post for post in asked.world.posts if post["id"] != reply.body["id"]]
    return reply.but(body=reply.body | {"action": "deleted"})


_LATER: Bend = both(
    at("POST posts", named("status", "queued")), at("POST posts/bulk", named("status", "queued"))
)

VARIATIONS = [
    Variation("nothing-at-all", world=_empty, writes=False),
    Variation("no-accounts-but-posts", world=_with(_no_accounts), writes=False),
    Variation("accounts-without-posts", world=_with(lambda world: world.posts.clear())),
    Variation("posts-of-strangers", world=_with(_strangers)),
    Variation("everything-at-the-same-time", world=_with(_all_at_once)),
    Variation("every-access-has-ended", world=_with(_all_ended), writes=False),
    Variation("things-are-told-twice", world=_with(_repeated)),
    Variation("posts-that-should-be-out-are-not", world=_with(_late)),
    Variation("a-page-of-a-thousand-posts", world=_with(_many)),
    Variation("filters-are-not-kept", _without_filter),
    Variation("posts-are-listed-and-not-found", _forgetful),
    Variation("posts-come-oldest-first", _ascending),
    Variation("lists-are-behind", _behind),
    Variation("what-is-cancelled-is-deleted", _for_good),
    Variation("new-posts-are-queued-at-first", _LATER),
    Variation(
        "a-move-is-answered-with-the-old-time",
        at("PATCH posts/{id}", named("scheduled_at", "2030-01-01T00:00:00.000Z")),
    ),
    Variation(
        "answers-are-of-another-post",
        only(
            {"posts"},
            values(lambda name, old: identity("another") if name == "id" else old),
            methods="PATCH DELETE",
        ),
    ),
    Variation("titles-are-dropped", only({"posts"}, named("title", None))),
    Variation(
        "webhooks-tell-no-deliveries",
        world=_with(lambda world: world.deliveries.update({one["id"]: [] for one in world.webhooks})),
    ),
    Variation(
        "a-hundred-webhooks",
        world=_with(
            lambda world: world.webhooks.extend(
                world.webhooks[0] | {"id": identity(f"more-{number}")} for number in range(100)
            )
        ),
    ),
    Variation("a-plan-without-room", at("GET usage", named("cap_bytes", 0)), takes_files=False),
    Variation("a-period-of-another-kind", at("GET usage", named("period", "fortnight"))),
    Variation(
        "uploads-are-refused",
        at("POST media/upload-url", lambda _asked, _reply: error(403, "forbidden", "The storage is full.")),
        takes_files=False,
    ),
]
