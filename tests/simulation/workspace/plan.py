"""What people do in the two apps. Drawn from the seed, or played again from a list."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

APPS: Final = 2
_EVERY_S: Final = 1.0
"""From one edit to the next, on average."""
_POSTS_PER_EDIT: Final = 0.12
_DRAFTS: Final = 4


class Verb(StrEnum):
    """What somebody does."""

    PLAN = "plan"
    MOVE = "move"
    CANCEL = "cancel"
    RESUME = "resume"
    REPLACE = "replace"
    UNDO = "undo"
    REDO = "redo"
    TYPE = "type"
    DISCARD = "discard"
    COMPOSE = "compose"
    SCHEDULE = "schedule"
    OFFLINE = "offline"
    ONLINE = "online"
    RESTART = "restart"
    CHOOSE = "choose"


_OFTEN: Final = {
    Verb.PLAN: 12,
    Verb.MOVE: 34,
    Verb.CANCEL: 9,
    Verb.RESUME: 6,
    Verb.REPLACE: 2,
    Verb.UNDO: 9,
    Verb.REDO: 4,
    Verb.TYPE: 7,
    Verb.DISCARD: 1,
    Verb.COMPOSE: 3,
    Verb.SCHEDULE: 2,
    Verb.OFFLINE: 3,
    Verb.ONLINE: 4,
    Verb.RESTART: 1,
    Verb.CHOOSE: 4,
}


@dataclass(frozen=True, slots=True)
class Edit:
    """What somebody does in an app at a moment, in seconds.

    Attributes:
        posts: Which posts it is about, by their numbers; new ones of ``PLAN``.
        hours: From the beginning to the time of the (first) post, for ``PLAN``, ``MOVE`` and ``RESUME``.
        draft: Which draft it is about.
    """

    number: int
    at_s: float
    app: int
    verb: Verb
    posts: tuple[int, ...] = ()
    hours: int = 0
    draft: int = 0


def draw(seed: int, count: int) -> Sequence[Edit]:
    """The edits of a seed."""
    chance = random.Random(f"{seed} edits")  # noqa: S311  chance, no secret
    at, planned, edits = 0.0, 0, []
    pace = chance.choice((0.3, 1.0, 1.0, 3.0))
    for number in range(count):
        at = round(at + chance.expovariate(1 / (_EVERY_S * pace)), 3)
        verb = Verb.PLAN if planned < 2 else chance.choices(list(_OFTEN), list(_OFTEN.values()))[0]
        edit = Edit(number, at, chance.randrange(APPS), verb, hours=chance.randrange(48, 20_000))
        if verb in (Verb.PLAN, Verb.REPLACE, Verb.SCHEDULE):
            several = chance.choice((1, 1, 2, 4)) if verb is Verb.PLAN else 1
            old = (chance.randrange(planned),) if verb is Verb.REPLACE else ()
            edit = replace(edit, posts=(*old, *range(planned, planned + several)))
            planned += several
        elif verb in (Verb.MOVE, Verb.CANCEL, Verb.RESUME):
            several = min(planned, chance.choice((1, 1, 1, 3)))
            recent = range(max(0, planned - 12), planned)
            edit = replace(edit, posts=tuple(chance.sample(recent, min(several, len(recent)))))
        edits.append(replace(edit, draft=chance.randrange(_DRAFTS)))
        if chance.random() < 0.02:
            at += chance.uniform(60, 900)
    return edits


def simpler(edit: Edit) -> Iterator[Edit]:
    """The same about one post."""
    if edit.verb in (Verb.MOVE, Verb.CANCEL, Verb.RESUME) and len(edit.posts) > 1:
        for number in edit.posts:
            yield replace(edit, posts=(number,))
