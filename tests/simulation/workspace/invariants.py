"""What must hold, whatever goes wrong. Each rule names the sentence that promises it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.contract.enums import PostStatus
from app.workspace.workspace import Workspace
from tests.simulation.room import Breach
from tests.simulation.workspace.book import AppBook, Meant, State, number_of
from tests.simulation.workspace.people import is_lost_here, posts_in


class Rule(StrEnum):
    """The invariants; the value is the figure that counts breaches."""

    DOUBLED = "doubled"
    """Specification, CreatePost: `idempotency_key`. Decision P8: the same key and content: one post."""
    LOST = "lost"
    """``app/workspace/workspace.py``: commands are kept, then sent; what comes of it arrives as changes."""
    UNWANTED = "unwanted"
    """``app/workspace/outbox/intention.py``: a user's wish stays until the service confirms it.
    A newer wish of somebody else stays when it was seen; else one of both stays. Exempt is what an app can't
    know: ``docs/correctness.md``, "Two apps on one account"."""
    DIVERGED = "diverged"
    """``app/workspace/sync/sync.py``: keeps up with the service: both apps show what the service has."""
    UNSENT = "unsent"
    """``app/workspace/outbox/outbox.py``: sends what is wanted until it is confirmed."""
    TYPED = "typed"
    """``app/workspace/drafts/drafts.py``: texts are in memory immediately and on disk soon."""
    UNDONE = "undone"
    """``app/workspace/undo.py``: taking back gives each post what was there before the step."""
    SALVAGED = "salvaged"
    """``app/workspace/drafts/salvage.py``: posts that the service lost or changed become drafts."""
    MISTAKEN = "mistaken"
    """``app/workspace/posts/mirror.py``: in conflict are posts that *somebody else* changed."""


FIGURES: Final = tuple(rule.value for rule in Rule)


@dataclass(frozen=True)
class Stored:
    """A post as the service has it."""

    state: State
    status: PostStatus
    service_id: str


def at_end(
    stored: Mapping[int, Sequence[Stored]], books: Mapping[int, AppBook], apps: Mapping[int, Workspace]
) -> Iterator[Breach]:
    """What must hold when all is well again and everything is quiet."""
    numbers = sorted({*stored, *(number for book in books.values() for number in book.meant)})
    for number in numbers:
        rows = stored.get(number, ())
        if len(rows) > 1:
            yield Breach(Rule.DOUBLED, number, f"{len(rows)} posts: {rows}")
        elif rows:
            yield from _wanted(number, rows[0], books)
        else:
            yield from _missing(number, books)
    for slot, workspace in apps.items():
        yield from _converged(slot, workspace, stored)
        yield from _salvaged(slot, workspace, stored)


def _wanted(number: int, there: Stored, books: Mapping[int, AppBook]) -> Iterator[Breach]:
    """The post must be as it was last wanted in one of the apps, and not overridden by one who saw that."""
    first, second = books.values()
    possible = [*_possible(number, there, first, second), *_possible(number, there, second, first)]
    if not any(state.same(there.state) for state in possible):
        said = "; ".join(f"{slot}: {_told(book.meant[number])}" for slot, book in books.items())
        yield Breach(Rule.UNWANTED, number, f"{there.state}; {said}")


def _possible(number: int, there: Stored, own: AppBook, other: AppBook) -> Iterator[State]:
    """What one app may have left of a post: its person's last wish, or what it brought back unknowingly."""
    yield from own.mistaken(number, there.service_id, other)
    overriding = []
    for meant in other.candidates(number):
        brought_back = list(own.brought_back(number, there.service_id, meant))
        yield from brought_back
        if not brought_back:
            overriding.append(meant)
    for meant in own.candidates(number):
        if not any(_overrides(later, meant) for later in overriding):
            yield meant.state


def _overrides(later: Meant, earlier: Meant) -> bool:
    return not later.excused and earlier.seen is not None and earlier.seen < later.when


def _missing(number: int, books: Mapping[int, AppBook]) -> Iterator[Breach]:
    lasts = [meant for book in books.values() for meant in book.candidates(number)]
    if lasts and not any(meant.state.cancelled or meant.excused for meant in lasts):
        said = "; ".join(f"{slot}: {_told(book.meant[number])}" for slot, book in books.items())
        yield Breach(Rule.LOST, number, f"the service does not have it; {said}")


def _told(several: Sequence[Meant]) -> str:
    return ", ".join(
        f"{one.state} meant {one.when:.1f}{' excused' if one.excused else ''}"
        f"{f' confirmed {one.confirmed_at:.1f}' if one.confirmed_at else ''}"
        f"{f' seen {one.seen:.1f}' if one.seen else ''}"
        for one in several[-4:]
    )


def _converged(slot: int, workspace: Workspace, stored: Mapping[int, Sequence[Stored]]) -> Iterator[Breach]:
    shown = posts_in(workspace)
    for number in sorted({*shown, *stored}):
        post, rows = shown.get(number), stored.get(number, ())
        if post is None:
            yield Breach(Rule.DIVERGED, number, f"app {slot} does not show it; {rows}")
        elif not rows and not is_lost_here(post):
            yield Breach(Rule.DIVERGED, number, f"app {slot} shows {post.status.value}, the service has none")
        elif rows and (State.of(post), post.status) != (rows[0].state, rows[0].status):
            yield Breach(
                Rule.DIVERGED, number, f"app {slot} shows {State.of(post)} {post.sync.value}, there {rows[0]}"
            )
    if workspace.sync.waiting:
        yield Breach(Rule.UNSENT, slot, f"{workspace.sync.waiting} changes wait in app {slot}")


def _salvaged(slot: int, workspace: Workspace, stored: Mapping[int, Sequence[Stored]]) -> Iterator[Breach]:
    for draft in workspace.drafts.all():
        number = number_of(draft.content.text)
        if number is not None and stored.get(number):
            yield Breach(Rule.SALVAGED, number, f"a draft of app {slot}, and the service has it")
