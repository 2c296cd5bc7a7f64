"""What must hold, whatever goes wrong. Each rule names the sentence that promises it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Integer, literal_column, select

from app.contract.enums import PostingPlatform, PostType
from app.service.store.journal import Sent
from app.service.store.tables import attempts, connections, contents, events, posts, removed_posts
from tests.simulation.publishing.ground import MASTODON
from tests.simulation.publishing.plan import HAND_OVER_S, Known
from tests.simulation.room import Breach

_CLOCK_TOLERANCE: Final = timedelta(seconds=2.5)
"""A clock that is less than two seconds ahead is taken for right (``app/service/clock.py``)."""
_AT_ONCE: Final = timedelta(milliseconds=1)
_PROMPT: Final = timedelta(seconds=15)
_GRACE: Final = timedelta(hours=12)
"""How long a post waits until its account is connected again (``docs/correctness.md``)."""
_SLOWEST_ANSWER: Final = timedelta(seconds=61)


class Rule(StrEnum):
    """The invariants; the value is the figure that counts breaches."""

    DOUBLED = "doubled"
    """``docs/architecture.md``, journey 4 and 5: nothing is sent again that was not proven absent."""
    LOST = "lost"
    """Specification, States: publishing ends in `posted` or `failed`. ``docs/architecture.md``, journey 5."""
    EARLY = "early"
    """Specification, PostDTO: `scheduled_at` is the publish time. Journey 3: due rows are claimed."""
    AFTER_CANCEL = "after_cancel"
    """Specification, States: delete without `hard` leads to `cancelled`, with it the post is removed."""
    MISREPORTED = "misreported"
    """Specification, States: publishing succeeds, `posted` and `post.published`; it fails, `failed`."""
    MISSING = "missing"
    """Journey 5: neither found nor proven absent, the post fails and says that it may be live."""
    UNWRITTEN = "unwritten"
    """Journey 4: a row that says "an attempt begins" is committed before the platform is called; the journal
    has it as well (``app/service/store/journal.py``)."""
    UNCLAIMED = "unclaimed"
    """Journey 3: a worker calls a platform for a post only while its claim on it is valid."""
    UNASKED = "unasked"
    """``docs/companion-api.md``: Kalends publishes nothing that is left to its user, by hand or in an inbox,
    and asks nobody for what it publishes."""
    MOVED_BACK = "moved_back"
    """``app/service/publishing/history.py``: what is live is `posted`, and stays so until it is deleted."""

    DAWDLED = "dawdled"
    """``app/service/publishing/clock.py``: a suspend freezes timers, and nothing waits longer for that."""


FIGURES: Final = (Rule.DOUBLED, Rule.LOST, Rule.EARLY, Rule.AFTER_CANCEL, Rule.MISREPORTED, Rule.MISSING)


@dataclass
class Rows:
    """What the store says, by post."""

    posts: Mapping[UUID, Any]
    attempts: Mapping[UUID, Sequence[Any]]
    contents: Mapping[UUID, Sequence[str]]
    told: Mapping[tuple[str, str], int]
    expired: frozenset[UUID]
    """Connections that have to be connected again."""
    removed: Mapping[UUID, UUID]
    """The connection of each deleted post whose outcome isn't known."""

    @classmethod
    def read(cls, rows: Connection) -> "Rows":
        tried: dict[UUID, list[Any]] = {}
        as_begun = literal_column("rowid", Integer)  # also where a clock was set back in between
        for row in rows.execute(select(attempts).order_by(as_begun)):
            tried.setdefault(row.post_id, []).append(row)
        live: dict[UUID, list[str]] = {}
        for row in rows.execute(select(contents.c.post_id, contents.c.content_id)):
            live.setdefault(row.post_id, []).append(row.content_id)
        told: dict[tuple[str, str], int] = {}
        for row in rows.execute(select(events.c.type, events.c.data)):
            key = row.type, _post_in(row.data)
            told[key] = told.get(key, 0) + 1
        expired = select(connections.c.id).where(~connections.c.is_available)
        ended = frozenset(rows.execute(expired).scalars())
        removed = {row.id: row.connection_id for row in rows.execute(select(removed_posts))}
        return cls({row.id: row for row in rows.execute(select(posts))}, tried, live, told, ended, removed)

    def connection(self, post_id: UUID) -> UUID | None:
        """Return the connection of a post, also if it's deleted and its outcome isn't known."""
        row = self.posts.get(post_id)
        return self.removed.get(post_id) if row is None else row.connection_id


def _post_in(data: str) -> str:
    _, _, rest = data.partition('"post_id":"')
    return rest[:36]


def at_publication(
    known: Known,
    now: datetime,
    *,
    open_attempts: Sequence[UUID],
    journal: Sequence[Sent] | None,
    is_exact: bool,
) -> Iterator[Breach]:
    """What must hold at the moment at which a platform takes a post."""
    number = known.wish.number
    if len(known.published_at) > 1:
        yield Breach(Rule.DOUBLED, number, f"published at {_times(known.published_at)}")
    due = min(known.dues)
    if now < due - (_AT_ONCE if is_exact else _CLOCK_TOLERANCE):
        yield Breach(Rule.EARLY, number, f"published at {now.time()}, due at {due.time()}")
    if known.gone_at is not None and known.gone_at < now - timedelta(seconds=1):
        yield Breach(Rule.AFTER_CANCEL, number, f"gone at {known.gone_at.time()}, published at {now.time()}")
    if known.is_left_to_user:
        yield Breach(Rule.UNASKED, number, f"published at {now.time()}, which its user wanted to do")
    if not open_attempts:
        yield Breach(Rule.UNWRITTEN, number, "a call without an open attempt in the store")
    # The newest lines first: all of them, for every post, would take longer than the rest of a run.
    elif journal is not None and not any(one.attempt_id in open_attempts for one in reversed(journal)):
        yield Breach(Rule.UNWRITTEN, number, "a call that the journal does not have")


def in_inbox(known: Known, caller: str | None) -> Iterator[Breach]:
    """What must hold when a post that goes to an inbox is published. ``caller``: None for its user."""
    if caller is not None:
        yield Breach(Rule.UNASKED, known.wish.number, f"published by {caller}, and not from the inbox")


def at_call(
    number: int, claim: tuple[str | None, int | None], owner: UUID, now: datetime | None
) -> Iterator[Breach]:
    """What must hold when a worker sends a request for a post.

    Args:
        number: The post's.
        claim: Whose it is in the store, and until when, in ms.
        owner: The worker's id.
        now: The store's time; None if no other worker could take the post over.
    """
    holder, until = claim
    if holder != owner.hex:
        whose = "nobody" if holder is None else "another worker"
        yield Breach(Rule.UNCLAIMED, number, f"called while {whose} had claimed it")
    elif now is not None and (until is None or until <= now.timestamp() * 1000):
        yield Breach(Rule.UNCLAIMED, number, f"called at {now.time()}, when its claim was over")


@dataclass
class Verdict:
    """What became of one post at the end."""

    known: Known
    status: str
    is_unknown: bool
    breaches: list[Breach] = field(default_factory=list)


def after_waking(known: Known, now: datetime, woke_at: datetime) -> Iterator[Breach]:
    """What must hold when a post departs, or its user is asked for it, if nothing else went wrong."""
    late = now - max(*known.dues, woke_at)
    if known.wish.file is None and late > _PROMPT:
        yield Breach(Rule.DAWDLED, known.wish.number, f"published {late.total_seconds():.0f} s after waking")


def _end_of_wait(row: Any) -> datetime:
    """Until when a post waits for its user; in the past for a deleted one."""
    if row is None:
        return datetime.min.replace(tzinfo=UTC)
    end: datetime = row.scheduled_at + timedelta(seconds=HAND_OVER_S)
    return end


def at_end(
    known: Known, post_id: UUID, ledger: Sequence[str], store: Rows, refusals: Counter[str], now: datetime
) -> Verdict:
    """What must hold when nothing is under way any more. ``ledger``: ids of what the platform has of it.

    ``refusals``: how often each platform said no for good. Each excuses one post that failed. ``now``: when
    nothing more was waited for.
    """
    row, tried = store.posts.get(post_id), store.attempts.get(post_id, ())
    unknown = any(one.outcome == "unknown" for one in tried)
    status = "deleted" if row is None else row.status
    verdict = Verdict(known, status, unknown)
    said = "; ".join(
        f"{one.step} {one.started_at:%H:%M:%S} {one.outcome} {one.platform_code or ''}" for one in tried
    )

    def breach(rule: Rule, seen: str) -> None:
        verdict.breaches.append(Breach(rule, known.wish.number, f"{seen}; {status}; {said}"))

    last = (tried[-1].step, tried[-1].outcome) if tried else None
    is_expired = store.connection(post_id) in store.expired
    is_refused = last is not None and last[1] == "refused" and status in {"queued", "processing"}
    is_lost = last is not None and last[1] == "unknown" and status in {"processing", "cancelled", "deleted"}
    if is_expired and (is_refused or is_lost):
        verdict.status = "waiting"  # until its account is connected again, or for twelve hours
        return verdict
    if last == ("hand_over", "handed_over") and now < _end_of_wait(row):
        verdict.status = "waits for its user"  # its time was a clock's that was hours ahead
        return verdict
    if any(one.finished_at is None for one in tried) or status in {"scheduled", "queued", "processing"}:
        breach(Rule.LOST, "it never ended")
        return verdict
    for refused in known.refused:
        breach(Rule.MISREPORTED, refused)
    if known.wish.is_by_hand and status == "failed":
        verdict.status = "never done by hand"
    is_left_there = known.is_discarded or (known.wish.is_to_inbox and last == ("hand_over", "refused"))
    is_left_there = is_left_there and status == "failed"
    if is_left_there:
        verdict.status = "left in an inbox"
    if known.copied_at is not None and known.wish.is_by_hand:
        return verdict  # what its user reported may be lost
    if known.copied_at is not None:
        # People lose what came after the copy. What may be live says so, and nothing else is promised.
        is_told = unknown or (tried and tried[-1].step == "schedule")
        if ledger and status == "failed" and not is_told and not _is_finished_late(known):
            breach(Rule.MISREPORTED, "the platform has it, and nothing says so")
        if status == "posted" and not ledger:
            breach(Rule.MISREPORTED, "the platform does not have it")
        return verdict
    if status == "posted" and not ledger:
        breach(Rule.MISREPORTED, "the platform does not have it")
    if ledger and status == "failed" and not unknown and not _is_finished_late(known):
        breach(Rule.MISREPORTED, "the platform has it")
    recorded = store.contents.get(post_id, ())
    # Theirs may have no name yet but that of the upload.
    by_upload = known.wish.platform in {PostingPlatform.FACEBOOK, PostingPlatform.TIKTOK}
    is_nameless = by_upload and known.wish.kind is PostType.VIDEO
    if known.wish.platform == MASTODON:
        recorded = [one.partition("@")[0] for one in recorded]  # they name their server
    is_same = len(recorded) == len(ledger) if is_nameless else sorted(recorded) == sorted(ledger)
    # Nobody asks the platform any more what becomes of a post in an inbox that was cancelled or given up.
    is_left = known.wish.is_to_inbox and (known.removed or _is_finished_late(known)) and not recorded
    if not is_same and not unknown and not is_left:
        breach(Rule.MISREPORTED, f"{len(recorded)} in the content history, {len(ledger)} on the platform")
    successes = sum(one.outcome == "published" for one in tried)
    if row is not None and successes != (row.posted_at is not None):
        breach(Rule.MISREPORTED, f"{successes} attempts published it")
    published = store.told.get(("post.published", str(post_id)), 0)
    is_told = known.wish.platform.is_known  # events never name a network
    # A report that was undone was told, too.
    is_right = published >= len(recorded) if known.wish.is_by_hand else published == len(recorded)
    if not (is_right if is_told else published == 0):
        breach(Rule.MISREPORTED, f"post.published was told {published} times")
    if status == "failed" and bool(store.told.get(("post.failed", str(post_id)))) is not is_told:
        breach(Rule.MISREPORTED, "post.failed was told, or not, against the rule")
    is_missed = row is not None and last == ("schedule", "refused") and now >= row.scheduled_at + _GRACE
    is_given_up = is_missed and is_expired
    is_excused = known.removed or unknown or known.wish.is_by_hand or is_left_there or is_given_up
    if not ledger and not is_excused and not _is_refused(known, status, tried, refusals):
        breach(Rule.MISSING, "nothing says that it may be live")
    return verdict


def published_by_hand(known: Known, post_id: UUID, store: Rows) -> Sequence[str]:
    """What its user reported as published by hand; if that's unknown, what the content history has."""
    item = f"by-hand:{post_id}"
    is_done = item in store.contents.get(post_id, ()) if known.is_done is None else known.is_done
    return [item] if is_done else []


def _is_finished_late(known: Known) -> bool:
    """Whether its user published it from an inbox after the service had given it up, or while it did."""
    finished, failed = known.finished_at, known.failed_at
    return finished is not None and failed is not None and finished > failed - _SLOWEST_ANSWER


def _is_refused(known: Known, status: str, tried: Sequence[Any], refusals: Counter[str]) -> bool:
    """Whether one of the refusals is why the post failed; it excuses no other post then."""
    platform = known.wish.platform.value
    if status != "failed" or not tried or tried[-1].outcome != "refused" or not refusals[platform]:
        return False
    refusals[platform] -= 1
    return True


def _times(moments: Sequence[datetime]) -> str:
    return ", ".join(f"{moment:%H:%M:%S.%f}"[:-3] for moment in moments)
