"""Finding out why posts failed, and whether one may be live."""

from collections.abc import Iterable, Sequence

from app.client import NotFound
from app.contract.companion import Attempt
from app.contract.enums import PostStatus
from app.workspace.core import Core
from app.workspace.posts.planned import PlannedPost
from app.workspace.sync.intake import Intake
from app.workspace.sync.reasons import UNTOLD, reason

_AT_ONCE = 5
_FROM_THE_PAST = 20
"""Of many failures at once, so many of the newest are explained; the others when they are opened."""


class Explanations:
    """Failed posts without a reason, and the calls that bring one.

    ``tells_attempts``: whether the service tells of attempts to publish.
    """

    def __init__(self, core: Core, intake: Intake) -> None:
        self.tells_attempts = False
        self._core = core
        self._intake = intake
        self._waiting: dict[str, None] = {}

    @property
    def are_wanted(self) -> bool:
        return bool(self._waiting)

    def add(self, key: str) -> None:
        """Has a post explained soon."""
        self._waiting[key] = None

    def note_all(self) -> None:
        """Look at every post. What is wanted of a post may hide that it failed."""
        mirror = self._core.mirror
        self.note(
            post.key
            for post in mirror.timeline
            if post.status is PostStatus.FAILED or post.key in mirror.intentions
        )

    def note(self, keys: Iterable[str]) -> None:
        """These posts changed."""
        failed = sorted((post for key in keys if (post := self._unexplained(key))), key=_newest_first)
        for post in failed[:_FROM_THE_PAST]:
            self._waiting[post.key] = None

    async def explain(self) -> None:
        """Explains some. Raises ClientError or DatabaseError."""
        for key in tuple(self._waiting)[:_AT_ONCE]:
            await self._explain_one(key)
            self._waiting.pop(key, None)

    async def _explain_one(self, key: str) -> None:
        post, service_id = self._core.mirror.base(key), self._core.mirror.service_id(key)
        if post is None or service_id is None:
            return
        if not self.tells_attempts:
            words = UNTOLD if post.status is PostStatus.FAILED else ""
            await self._intake.explain(key, words, may_be_live=False)
            return
        try:
            attempts = (await self._core.client.attempts(service_id)).data
        except NotFound:
            attempts = []
        await self.take(key, attempts)

    async def take(self, key: str, attempts: Sequence[Attempt]) -> None:
        """Keeps what the attempts, newest first, say of a post. Raises DatabaseError."""
        if (post := self._core.mirror.base(key)) is not None:
            words, may_be_live = reason(post.status, attempts)
            await self._intake.explain(key, words, may_be_live=may_be_live)

    def _unexplained(self, key: str) -> PlannedPost | None:
        mirror = self._core.mirror
        post = mirror.base(key)
        failed = post is not None and post.status is PostStatus.FAILED and not post.reason
        return post if failed and key not in mirror.unsent else None


def _newest_first(post: PlannedPost) -> tuple[int, str]:
    return -post.at, post.key
