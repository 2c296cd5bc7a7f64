"""Faults planted in the product, to see that the room of the workspace finds them."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import count
from types import MappingProxyType
from typing import Any, Final
from unittest.mock import patch

from app.workspace.drafts.drafts import KeptSoon
from app.workspace.outbox import calls
from app.workspace.outbox.delivery import Delivery
from app.workspace.outbox.intention import Intention
from app.workspace.posts.commands import PostCommands, Replay
from app.workspace.posts.mirror import Mirror
from app.workspace.sync import intake

Plant = Callable[[], AbstractContextManager[object]]


def outbox_repeats() -> AbstractContextManager[object]:
    """A create call that is made again has another idempotency key."""
    numbers, real = count(), calls.create_body

    def create_body(row: Any, at: int) -> Any:
        return real(row, at).model_copy(update={"idempotency_key": f"again-{next(numbers)}"})

    return patch.multiple(calls, create_body=create_body)


def empty_list_believed() -> AbstractContextManager[object]:
    """What one list doesn't name is gone, however much that is."""
    return patch.object(intake, "_MANY", 1_000_000)


def undo_forgets() -> AbstractContextManager[object]:
    """Undo marks a step as taken back, and that is all."""

    def replay(self: PostCommands, _replay: Replay, mark: Callable[[], Any]) -> None:
        self._apply({}, mark())

    return patch.object(PostCommands, "_replay", replay)


def late_call_taken_for_anothers() -> AbstractContextManager[object]:
    """What an earlier call of ours has done too late counts as somebody else's change."""
    return patch.object(Mirror, "overtaken", lambda *_: None)


def sent_state_forgotten() -> AbstractContextManager[object]:
    """What was sent isn't remembered, so its effect counts as somebody else's change."""

    def begun(self: Intention) -> Intention:
        return replace(self, attempts=self.attempts + 1)

    return patch.object(Intention, "begun", begun)


def newer_wish_settled_with_older() -> AbstractContextManager[object]:
    """An answer settles a post, also when something else is wanted of it by now."""
    real = Delivery._keep

    async def keep(self: Delivery, base: Any, batch: Any, sent: Any, **how: Any) -> None:
        current = self._core.mirror.intentions.get(base.key)
        await real(self, base, batch, sent if current is None else current.wanted, **how)

    return patch.object(Delivery, "_keep", keep)


def typing_settled_with_older() -> AbstractContextManager[object]:
    """When a text is written, newer ones count as written, too."""
    real = KeptSoon._end

    def end(self: KeptSoon, _written: Any, done: Any) -> None:
        real(self, dict(self._unwritten), done)

    return patch.object(KeptSoon, "_end", end)


_USUAL: Final = "all=1"
PLANTED: Final[Mapping[Plant, str]] = MappingProxyType(
    {
        outbox_repeats: _USUAL,
        # What an empty list removes comes back with the next one, and only some of it is noticed.
        empty_list_believed: f"{_USUAL},empty_list=0.2",
        undo_forgets: _USUAL,
        late_call_taken_for_anothers: _USUAL,
        sent_state_forgotten: _USUAL,
        newer_wish_settled_with_older: _USUAL,
        typing_settled_with_older: _USUAL,
    }
)
"""With the rates at which each is looked for; it is found within 2,000 edits."""

FOUND_SOON: Final = frozenset({undo_forgets})
