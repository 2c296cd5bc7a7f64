"""Looks up single posts: due ones, ones that may have been missed, and why posts failed."""

import asyncio
import heapq
from collections.abc import Iterable, Sequence
from typing import Final
from uuid import UUID

from app.client import NotFound
from app.contract.companion import Attempt, AttemptOutcome
from app.contract.enums import PostStatus
from app.database import DatabaseError
from app.language import tr
from app.workspace.advice import UNTOLD
from app.workspace.clock import Clock, Pace
from app.workspace.core import Core
from app.workspace.posts.mirror import Mirror
from app.workspace.posts.planned import PlannedPost, SyncState
from app.workspace.posts.refusal import GONE
from app.workspace.problems import as_problem
from app.workspace.sync.intake import Intake

_NOBODY_KNOWS = tr(
    "The platform's answer was lost, so this was possibly published. Check there before scheduling it again."
)
IN_INBOX = tr("It's in your inbox on the platform. Finish it there.")
_AT_ONCE = 5
_REASON_MAX: Final = 600
"""Maximum length of a reason, in characters."""
_FROM_THE_PAST = 20
"""Number of newest failed posts to explain in advance; older ones are explained when opened."""
_OFTEN = 15
PENDING = frozenset({PostStatus.SCHEDULED, PostStatus.QUEUED, PostStatus.PROCESSING})
_IN_A_ROUND = 100
_LOOKING_AT_ONCE = 8


def _now() -> float:
    return asyncio.get_running_loop().time()


def reason(status: PostStatus, attempts: Sequence[Attempt]) -> tuple[str, bool]:
    """Return the reason and whether the post may be live, from attempts, newest first."""
    failed = status is PostStatus.FAILED
    last = attempts[0] if attempts else None
    if last is None or last.outcome is AttemptOutcome.PUBLISHED:
        return (UNTOLD if failed else ""), False
    unknown = last.outcome is AttemptOutcome.UNKNOWN or (failed and last.outcome is AttemptOutcome.PENDING)
    if unknown:
        return _joined(last.platform_message, last.advice or _NOBODY_KNOWS), True
    if failed:
        return _joined(last.platform_message, last.advice) or UNTOLD, False
    if status is PostStatus.PROCESSING and last.outcome is AttemptOutcome.IN_INBOX:
        return IN_INBOX, False
    return "", False


def _joined(message: str | None, advice: str | None) -> str:
    """Return a platform's message, shortened if need be, and the advice."""
    said, helps = (" ".join((part or "").split())[:_REASON_MAX] for part in (message, advice))
    room = _REASON_MAX - len(helps) - 2
    if len(said) > max(0, room):
        said = f"{said[: max(0, room)].rstrip()}…"
    return " ".join(text if text[-1] in ".!?…" else f"{text}." for text in (said, helps) if text)


class Explanations:
    """Finds out why posts failed.

    ``tells_attempts``: whether the service lists attempts.
    """

    def __init__(self, core: Core, intake: Intake) -> None:
        self.tells_attempts = False
        self._core = core
        self._intake = intake
        self._waiting: dict[str, None] = {}
        self._not_before = 0.0

    @property
    def are_wanted(self) -> bool:
        """Whether posts are queued, and the last reason could be stored or it's time to try again."""
        return bool(self._waiting) and _now() >= self._not_before

    def add(self, key: str) -> None:
        """Queue a post."""
        self._waiting[key] = None

    def note_all(self) -> None:
        """Queue all failed posts, and those whose unconfirmed change may hide a failure."""
        mirror = self._core.mirror
        self.note(
            post.key
            for post in mirror.timeline
            if post.status is PostStatus.FAILED or post.key in mirror.intentions
        )

    def note(self, keys: Iterable[str]) -> None:
        """Note that posts changed."""
        failed = sorted((post for key in keys if (post := self._unexplained(key))), key=_newest_first)
        for post in failed[:_FROM_THE_PAST]:
            self._waiting[post.key] = None

    async def explain(self) -> None:
        """Explain the next few posts. Raises ClientError or DatabaseError."""
        for key in tuple(self._waiting)[:_AT_ONCE]:
            # Before the call: a post that changes during the call is queued again.
            del self._waiting[key]
            try:
                await self._explain_one(key)
            except BaseException:
                self._waiting[key] = None
                raise

    async def _explain_one(self, key: str) -> None:
        post, service_id = self._core.mirror.base(key), self._core.mirror.service_id(key)
        if post is None or service_id is None:
            return
        if not self.tells_attempts:
            words = UNTOLD if post.status is PostStatus.FAILED else ""
            if not post.is_in_inbox:  # which another call tells, see `take_inboxes`
                await self._store((key,), words, may_be_live=False)
            return
        try:
            attempts = (await self._core.client.attempts(service_id)).data
        except NotFound:
            attempts = []
        await self.take(key, attempts)

    async def report(self, key: str, *, is_live: bool) -> None:
        """Report what the user found on the platform after an answer was lost. Raises Problem."""
        service_id = self._core.mirror.service_id(key)
        if service_id is None:
            return
        generation = self._core.mirror.generation
        post = await self._core.call(self._core.client.report_outcome(service_id, is_live=is_live), GONE)
        with as_problem():
            await self._intake.take_newest(post, generation)
            await self._explain_one(key)

    async def take(self, key: str, attempts: Sequence[Attempt]) -> None:
        """Store the reason from a post's attempts, newest first. Raises DatabaseError."""
        post = self._core.mirror.base(key)
        if post is not None and (attempts or not post.is_in_inbox):
            words, may_be_live = reason(post.status, attempts)
            await self._store((key,), words, may_be_live=may_be_live)

    async def take_inboxes(self, service_ids: Iterable[UUID]) -> None:
        """Note which posts wait in inboxes for the user. Raises DatabaseError.

        If a reason couldn't be stored a moment ago, it's tried after a while.
        """
        await asyncio.sleep(self._not_before - _now())
        keys = [self._core.mirror.key_of(service_id) for service_id in service_ids]
        await self._store(filter(self._may_be_in_inbox, keys), IN_INBOX, may_be_live=False)

    async def _store(self, keys: Iterable[str], words: str, *, may_be_live: bool) -> None:
        """Store a reason; if that fails, wait before requesting others. Raises DatabaseError."""
        try:
            await self._intake.explain(keys, words, may_be_live=may_be_live)
        except DatabaseError:
            self._not_before = _now() + self._core.pace.save_again
            raise

    def _may_be_in_inbox(self, key: str) -> bool:
        post = self._core.mirror.base(key)
        return post is not None and post.status is PostStatus.PROCESSING and not post.is_in_inbox

    def _unexplained(self, key: str) -> PlannedPost | None:
        mirror = self._core.mirror
        post = mirror.base(key)
        failed = post is not None and post.status is PostStatus.FAILED and not post.reason
        return post if failed and key not in mirror.unsent else None


def _newest_first(post: PlannedPost) -> tuple[int, str]:
    return -post.at, post.key


class DuePosts:
    """Posts that are due and should be looked up now. Times are Unix times in ms."""

    def __init__(self, mirror: Mirror, clock: Clock, pace: Pace) -> None:
        self._mirror = mirror
        self._clock = clock
        self._pace = pace
        self._watched: dict[str, tuple[int, int]] = {}  # key to next look and number of looks
        self._seen_until = 0

    def watch_all(self) -> None:
        """Start over with the whole timeline, after loading or listing everything."""
        self._seen_until = 0
        self._watched.clear()

    def take(self, limit: int, delay_s: float) -> list[str]:
        """Return the keys to look up now, ``delay_s`` after their time, and schedule their next look."""
        now = self._clock()
        self._notice(now, now - int(delay_s * 1_000))
        ready = heapq.nsmallest(limit, ((at, key) for key, (at, _) in self._watched.items() if at <= now))
        for _, key in ready:
            looks = self._watched[key][1] + 1
            self._watched[key] = (now + self._delay(looks), looks)
        return [key for _, key in ready]

    def _notice(self, now: int, arrived: int) -> None:
        for post in self._mirror.timeline.between(self._seen_until, arrived + 1):
            if _is_pending(post):
                self._watched.setdefault(post.key, (now, 0))
        self._seen_until = max(self._seen_until, arrived + 1)
        for key in [key for key in self._watched if not self._still_due(key, now)]:
            del self._watched[key]

    def note(self, keys: frozenset[str]) -> None:
        """Note changed posts, which may be due now although they weren't before."""
        for key in keys:
            post = self._mirror.timeline.get(key)
            if post and post.at < self._seen_until and _is_pending(post):
                self._watched.setdefault(key, (0, 0))

    def _still_due(self, key: str, now: int) -> bool:
        post = self._mirror.timeline.get(key)
        return post is not None and post.at <= now and _is_pending(post)

    def _delay(self, looks: int) -> int:
        rarer = max(0, looks - _OFTEN)
        seconds = min(self._pace.due_repeat_max, self._pace.due_repeat * 2.0 ** min(rarer, 16))
        return int(seconds * 1_000)


def _is_pending(post: PlannedPost) -> bool:
    return post.status in PENDING and post.sync is SyncState.SYNCED


class Looks:
    """Looks up single posts."""

    def __init__(self, core: Core, intake: Intake, explanations: Explanations) -> None:
        self._core = core
        self._intake = intake
        self._explanations = explanations
        self._due = DuePosts(core.mirror, core.clock, core.pace)
        self._asked: dict[str, None] = {}

    @property
    def are_wanted(self) -> bool:
        """Whether queued posts still have to be looked up."""
        return bool(self._asked)

    def add(self, keys: Iterable[str]) -> None:
        """Queue posts."""
        self._asked.update(dict.fromkeys(keys))

    def note(self, keys: frozenset[str]) -> None:
        """Note that posts changed."""
        self._due.note(keys)

    def start_over(self) -> None:
        """Note that everything was just listed."""
        self._due.watch_all()

    def take(self, *, followed: bool) -> list[str]:
        """Return the keys to look up now; while the stream is open, only posts that are long overdue."""
        mirror = self._core.mirror
        self._asked.update(dict.fromkeys(self._intake.take_passed_over()))
        asked = [key for key in self._asked if key not in mirror.sending][:_IN_A_ROUND]
        pace = self._core.pace
        delay = pace.due_delay_followed if followed else pace.due_delay
        return list(dict.fromkeys((*asked, *self._due.take(_IN_A_ROUND, delay))))

    async def look_at(self, keys: list[str]) -> None:
        """Look up all of them. Raises ClientError or DatabaseError."""
        gone: list[str] = []
        try:
            for start in range(0, len(keys), _LOOKING_AT_ONCE):
                part = keys[start : start + _LOOKING_AT_ONCE]
                found = await asyncio.gather(*map(self._look, part))
                gone += [key for key, is_there in zip(part, found, strict=True) if not is_there]
        finally:
            await self._intake.miss(gone)

    async def _look(self, key: str) -> bool:
        """Whether the service has the post, if it was asked."""
        is_there = True
        service_id = self._core.mirror.service_id(key)
        known = self._core.mirror.timeline.get(key) or self._core.mirror.foretold.get(key)
        if service_id is not None and known is not None:
            asked = self._core.mirror.generation
            try:
                post = await self._core.calls_for(known.platform).get_post(service_id)
            except NotFound:
                is_there = False
            else:
                await self._intake.take([post], asked)
                if post.status is PostStatus.PROCESSING:
                    self._explanations.add(key)
        self._asked.pop(key, None)
        return is_there
