"""Calls whose answers never came, which may still be carried out long after newer ones."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from app.workspace.outbox.intention import SENT_MAX, Wanted

MAY_ARRIVE_MS: Final = 600_000
"""So long after a call was given up, a network or a busy server may still hand it over."""
_HEARD_MS: Final = 60_000
"""What was carried out within that time is known here by then, while the service is in contact."""


@dataclass(frozen=True, slots=True)
class LateCall:
    """What a call asked for, and until when (milliseconds since 1970) it may still be carried out."""

    wanted: Wanted
    until: int


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The calls of one post that may still be carried out.

    Attributes:
        key: The post's.
        wanted: What the service confirmed last.
        calls: What was sent before that, oldest first.
    """

    key: str
    wanted: Wanted
    calls: tuple[LateCall, ...] = ()

    def confirmed(self, wanted: Wanted, earlier: Iterable[Wanted], now: int) -> "Unanswered":
        """The service confirmed ``wanted`` now; calls for ``earlier`` got no answer.

        Calls that are known already may be among them. Their time doesn't begin again.
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
        """What is left when ``there`` is the work of one of the calls; None when somebody else did it.

        ``before`` is what the service had until now, whoever wanted it: it's wanted again. A call is carried
        out once: the same again is another's. A move may have been carried out in time and be heard of much
        later. A cancellation that is heard of so late counts as somebody else's: to publish what somebody
        has cancelled would be worse.
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
        """The same without calls that are over: the service was heard until ``now``."""
        return replace(self, calls=tuple(call for call in self.calls if call.until + _HEARD_MS > now))
