"""Posts changed both here and elsewhere: both sides, and the choice between them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from app.language import tr, trn
from app.workspace.changes import Changes
from app.workspace.core import Core
from app.workspace.messages import Message, MessageAction
from app.workspace.outbox.intention import Wanted, wanted_of
from app.workspace.posts.planned import PlannedPost
from app.workspace.posts.refusal import named
from app.workspace.store.journal import Batch, Journal
from app.workspace.undo import NO_CHANGE

CONFLICTS: Final = "conflicts"
"""What messages about conflicts are about."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Both sides of one post: ``here`` as the user wants it, ``there`` as the service has it.

    ``before`` is the state before both changes.
    """

    key: str
    here: PlannedPost
    there: PlannedPost
    before: Wanted


class Conflicts:
    """Posts for which the user has to choose. Their changes aren't sent until then."""

    def __init__(self, core: Core, journal: Journal) -> None:
        self._core = core
        self._journal = journal
        self._told = set(core.mirror.conflicts)
        core.changes.add(self._notice)

    def all(self) -> list[Conflict]:
        """Return the conflicts, sorted by time."""
        mirror = self._core.mirror
        found = [
            Conflict(key, here, there, wish.seen)
            for key in mirror.conflicts
            if (here := mirror.timeline.get(key)) and (there := mirror.base(key))
            if (wish := mirror.intentions[key]).seen is not None
        ]
        return sorted(found, key=lambda conflict: (conflict.here.at, conflict.key))

    def keep_here(self, keys: Iterable[str]) -> None:
        """Send the change made here. Undo then restores what it replaced."""
        mirror = self._core.mirror
        chosen = [
            (there, replace(mirror.intentions[key], seen=wanted_of(there)))
            for key in keys
            if key in mirror.conflicts and (there := mirror.base(key))
        ]
        mirror.put_all(chosen)
        history = NO_CHANGE
        for there, wish in chosen:
            history |= self._core.history.rebase(wish.key, wish.wanted, wanted_of(there))
        self._record(Batch(intentions=tuple(wish for _, wish in chosen), history=history))

    def keep_there(self, keys: Iterable[str]) -> None:
        """Discard the change made here, also from the undo history."""
        mirror = self._core.mirror
        given_up = [
            (there, mirror.intentions[key])
            for key in keys
            if key in mirror.conflicts and (there := mirror.base(key))
        ]
        mirror.put_all((there, None) for there, _ in given_up)
        history = NO_CHANGE
        for _, wish in given_up:
            history |= self._core.history.give_up(wish.key, wish.wanted)
        now = self._core.clock()
        unanswered = tuple(mirror.remember_sent(wish, there, now) for there, wish in given_up)
        settled = tuple(wish.key for _, wish in given_up)
        self._record(Batch(settled=settled, unanswered=unanswered, history=history))

    def _notice(self, changes: Changes) -> None:
        """Replace the message with one about all conflicts when there are new ones, or none is left."""
        conflicts = self._core.mirror.conflicts
        had_any = bool(self._told)
        self._told &= conflicts
        fresh = (conflicts & changes.posts) - self._told
        if had_any and not conflicts:
            self._core.messages.tell(Message("info", tr("All conflicts are resolved."), about=CONFLICTS))
        if not fresh:
            return
        self._told.update(fresh)
        keys = sorted(self._told)
        names = [named(self._core.mirror.timeline.get(key)) for key in keys]
        text = trn(
            "{post} was changed elsewhere before your change was sent. Choose which version to keep.",
            "{n} posts were changed elsewhere before your changes were sent. Choose which versions to keep.",
            len(keys),
            post=names[0],
        )
        details = "\n".join(names) if len(keys) > 1 else ""
        action = MessageAction(tr("Compare"), "compare", min(fresh))
        self._core.messages.tell(Message("warning", text, details, action, about=CONFLICTS))

    def _record(self, batch: Batch) -> None:
        if keys := batch.keys():
            self._journal.record(batch)
            self._core.changes.tell(Changes(posts=keys, undo=True, sync=True))
