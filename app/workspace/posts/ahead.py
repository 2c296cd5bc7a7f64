"""Shows posts while they're being stored, and as they were before if that fails."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from app.database import DatabaseError
from app.workspace.changes import Changes
from app.workspace.core import Core
from app.workspace.outbox.intention import Intention, wanted_of
from app.workspace.outbox.unanswered import Unanswered
from app.workspace.posts.mirror import Mirror
from app.workspace.posts.planned import PlannedPost


@dataclass(frozen=True, slots=True)
class _State:
    base: PlannedPost | None
    visible: PlannedPost | None
    wish: Intention | None
    late: Unanswered | None

    @property
    def posts(self) -> tuple[PlannedPost | None, PlannedPost | None]:
        """The post, without and with the user's change."""
        return self.base, self.visible


@contextmanager
def shown_ahead(
    core: Core, changed: Sequence[tuple[PlannedPost, Intention | None]], late: Iterable[Unanswered] = ()
) -> Iterator[None]:
    """Show posts while the caller stores them; after a DatabaseError, show what is stored again.

    Memory can't wait for the write, because answers and commands that arrive meanwhile are compared with it.
    For the same reason, only what nobody changed since is restored.
    """
    mirror, keys = core.mirror, [base.key for base, _ in changed]
    before = {key: _state(mirror, key) for key in keys}
    mirror.await_late(late)
    mirror.put_all(changed)
    shown = {key: _state(mirror, key) for key in keys}
    if told := frozenset(key for key in keys if shown[key].posts != before[key].posts):
        core.changes.tell(Changes(posts=told))
    try:
        yield
    except DatabaseError:
        ours = [key for key in keys if mirror.base(key) == shown[key].base]
        new = frozenset(key for key in ours if before[key].base is None)
        for key in ours:
            if key not in new:
                _restore(mirror, before[key], shown[key])
        mirror.remove(new)
        core.changes.tell(Changes(posts=frozenset(ours) - new, removed=new))
        raise


def _state(mirror: Mirror, key: str) -> _State:
    base = mirror.base(key)
    late = mirror.unanswered(key, wanted_of(base)) if base else None
    return _State(base, mirror.timeline.get(key), mirror.intentions.get(key), late)


def _restore(mirror: Mirror, before: _State, shown: _State) -> None:
    """Restore one post. A change that is left was compared with another state, so the post is requested."""
    if before.base is None:
        return
    key = before.base.key
    now = _state(mirror, key)
    wish = before.wish if now.wish is shown.wish else now.wish
    mirror.put(before.base, wish)
    if before.late is not None and now.late == shown.late:
        mirror.await_late([before.late])
    if wish is not None and before.base != shown.base:
        mirror.doubtful[key] = None
