"""Publishing's transitions of a post's status.

    scheduled --DUE--> queued --BEGIN--> processing --PUBLISH--> posted
                                             --FAIL-----> failed

A post to publish immediately is stored as ``queued``. Cancelling and rescheduling belong to the posts'
routes. A post in ``processing`` can be cancelled, but PUBLISH overrides that: a live post is ``posted``.
"""

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType
from typing import Final

from app.contract.enums import PostStatus


class Event(Enum):
    """An event in a post's publication."""

    DUE = auto()  # its time has come and it was claimed
    BEGIN = auto()  # an attempt is about to call the platform
    PUBLISH = auto()  # the platform has published it
    FAIL = auto()  # it won't be published


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
