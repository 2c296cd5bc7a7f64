"""What publishing does to a post's status.

    scheduled --DUE--> queued --BEGIN--> processing --PUBLISH--> posted
                                                    --FAIL-----> failed

A post that is published at once is stored ``queued``. Cancelling and rescheduling belong to the posts'
routes. A post in ``processing`` can be cancelled, but PUBLISH wins over that: what is live is ``posted``.
"""

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType
from typing import Final

from app.contract.enums import PostStatus


class Event(Enum):
    """What happens to a post on its way out."""

    DUE = auto()  # its time has come and it was handed over
    BEGIN = auto()  # an attempt is about to call the platform
    PUBLISH = auto()  # the platform has it
    FAIL = auto()  # it will not go out


_WAITING = frozenset({PostStatus.SCHEDULED, PostStatus.QUEUED, PostStatus.PROCESSING})

_MOVES: Final[Mapping[Event, tuple[frozenset[PostStatus], PostStatus]]] = MappingProxyType(
    {
        Event.DUE: (frozenset({PostStatus.SCHEDULED}), PostStatus.QUEUED),
        Event.BEGIN: (_WAITING, PostStatus.PROCESSING),
        Event.PUBLISH: (frozenset(PostStatus), PostStatus.POSTED),
        Event.FAIL: (_WAITING, PostStatus.FAILED),
    }
)


def sources(event: Event) -> frozenset[PostStatus]:
    """The statuses in which ``event`` can happen."""
    return _MOVES[event][0]


def target(event: Event) -> PostStatus:
    """The status that ``event`` leads to."""
    return _MOVES[event][1]
