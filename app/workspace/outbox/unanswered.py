"""Calls without an answer, which may still be carried out long after newer ones."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from app.workspace.outbox.intention import SENT_MAX, Wanted

MAY_ARRIVE_MS: Final = 600_000
"""How long after its timeout a call may still be delivered by a network or a busy server, in ms."""
_HEARD_MS: Final = 60_000
"""How long it may take to learn the effect of a call while the service is reachable, in ms."""


@dataclass(frozen=True, slots=True)
class LateCall:
    """The wanted state of a call, and until when it may be carried out, as a Unix time in ms."""

    wanted: Wanted
    until: int


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The calls for one post that may still be carried out.

    Attributes:
        key: Key of the post.
        wanted: The state that the service confirmed last.
        calls: Calls sent before that, oldest first.
    """

    key: str
    wanted: Wanted
    calls: tuple[LateCall, ...] = ()

    def confirmed(self, wanted: Wanted, earlier: Iterable[Wanted], now: int) -> "Unanswered":
        """Note that the service confirmed ``wanted``, while calls for ``earlier`` are unanswered.

        Known calls keep their time.
        """
        known = Counter(call.wanted for call in self.calls)
        calls = list(self.calls)
        for one in earlier:
            if known[one]:
                known[one] -= 1
            else:
                calls.append(LateCall(one, now + MAY_ARRIVE_MS))
        return Unanswered(self.key, wanted, tuple(calls[-SENT_MAX:]))

    def overtook(self, before: Wanted, there: Wanted, now: int) -> "Unanswered | None":
        """Return what is left if ``there`` is the result of one of the calls; None if others changed it.

        ``before`` is the service's state until now, set from either side: it's wanted again. A call is
        carried out once, so a second identical change was made elsewhere. A move may have been carried out in
        time and reported much later. A cancellation reported so late counts as made elsewhere, because
        publishing a cancelled post would be worse.
        """
        if there.same(before):
            return None
        late = [place for place, call in enumerate(self.calls) if call.wanted.same(there)]
        if there.cancelled:
            late = [place for place in late if self.calls[place].until > now]
        if not late:
            return None
        return replace(self, wanted=before, calls=(*self.calls[: late[0]], *self.calls[late[0] + 1 :]))

    def heard(self, now: int) -> "Unanswered":
        """Return this without calls that can't arrive any more. All changes until ``now`` are known."""
        return replace(self, calls=tuple(call for call in self.calls if call.until + _HEARD_MS > now))
