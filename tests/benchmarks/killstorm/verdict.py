"""Comparison of the platforms' ledger with the plan, post by post."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from app.contract.enums import PostingPlatform, PostType
from app.service.publishing.history import Step
from tests.benchmarks.killstorm.api import instant
from tests.benchmarks.killstorm.plan import Plan, Post
from tests.benchmarks.killstorm.stage import Stage

UNASKABLE: Final = frozenset({PostingPlatform.LINKEDIN})
"""Platforms on which a member's posts can't be read: only an identical repeat tells the outcome."""

_SURELY_BEFORE: Final = timedelta(seconds=1)
_LONGEST_CALL: Final = timedelta(seconds=10)
"""How long a call may take to arrive that began before its post was deleted, with its attempts."""
_CLOCK_STEP: Final = timedelta(milliseconds=1)

_CALLS: Final = frozenset({Step.PUBLISH, Step.REPEAT})

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Observation:
    """Final state of platforms and service.

    Attributes:
        posts: The service's posts by ID.
        attempts: Attempts by post ID.
    """

    stage: Stage
    ledger: Sequence[Row]
    posts: Mapping[str, Row]
    history: Sequence[Row]
    attempts: Mapping[str, Sequence[Row]]


@dataclass
class Verdict:
    """The result: counts by platform and type, lines about deviations and outages, numbers of disasters."""

    counts: dict[tuple[PostingPlatform, PostType], Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    deviations: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    struck: dict[str, float] = field(default_factory=dict)
    besides: dict[str, float] = field(default_factory=dict)

    @property
    def figures(self) -> dict[str, float]:
        """Return the figures of the command: outcomes of posts, and disasters."""
        total = sum(self.counts.values(), Counter[str]())
        ends = {
            name: total[name] for name in ("posts", "doubled", "missing", "early", "after_removal", "unknown")
        }
        return {**ends, **self.struck}


def judge(plan: Plan, seen: Observation, trouble: Sequence[str]) -> Verdict:
    """Compare everything with the plan."""
    verdict = Verdict(deviations=list(trouble))
    entries: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for entry in seen.ledger:
        entries[entry["platform"], entry["text"]].append(entry)
    records = Counter(record["scheduled_post_id"] for record in seen.history)
    for post in plan.posts:
        found = entries.pop((post.platform.value, post.text), [])
        judged = _Judged(post, found, seen, records[post.id])
        verdict.counts[post.platform, post.kind] += judged.counts
        verdict.deviations += (f"{_name(post)}: {line}" for line in judged.deviations())
    verdict.deviations += (f"Nobody planned {entry}." for several in entries.values() for entry in several)
    planned = {post.id for post in plan.posts}
    verdict.deviations += (
        f"Nobody planned the record {row}." for row in seen.history if row["scheduled_post_id"] not in planned
    )
    outcomes = Counter(attempt["outcome"] for attempts in seen.attempts.values() for attempt in attempts)
    verdict.besides |= {f"attempts_{outcome}": count for outcome, count in sorted(outcomes.items())}
    verdict.besides["deviations"] = len(verdict.deviations)
    return verdict


class _Judged:
    """A planned post and its actual state."""

    def __init__(self, post: Post, found: Sequence[Row], seen: Observation, records: int) -> None:
        self._post = post
        self._found = found
        self._seen = seen
        self._records = records
        self._row = seen.posts.get(post.id)
        self._attempts = seen.attempts.get(post.id, ())
        self._told_unknown = any(attempt["outcome"] == "unknown" for attempt in self._attempts)

    @property
    def counts(self) -> Counter[str]:
        counts = Counter(posts=1, published=bool(self._found), doubled=max(0, len(self._found) - 1))
        counts["removed"] = self._post.removed_at is not None
        counts["unknown"] = self._told_unknown
        counts["missing"] = self._is_missing
        counts["early"] = bool(self._early)
        counts["after_removal"] = bool(self._after_removal)
        return counts

    @property
    def _is_missing(self) -> bool:
        return not self._found and self._post.removed_at is None and not self._told_unknown

    @property
    def _early(self) -> list[str]:
        """Return publication times before the post was due."""
        times = [entry["received_at"] for entry in self._found]
        return [at for at in times if instant(at) < self._post.due - _CLOCK_STEP]

    @property
    def _after_removal(self) -> list[str]:
        """Return publication times of calls that began after the removal was acknowledged."""
        removed_at = self._post.removed_at
        if removed_at is None:
            return []
        calls = [attempt for attempt in self._attempts if attempt["step"] in _CALLS]
        has_begun = any(instant(call["started_at"]) > removed_at + _SURELY_BEFORE for call in calls)
        tolerated = _LONGEST_CALL if self._row is None else _SURELY_BEFORE
        times = [entry["received_at"] for entry in self._found]
        return [
            at for at in times if instant(at) > removed_at + tolerated and (has_begun or self._row is None)
        ]

    @property
    def _status(self) -> str:
        """Return the post's status. One that was removed after publication still counts as published."""
        if self._row is None:
            return "deleted"
        return "posted" if self._row["posted_at"] else str(self._row["status"])

    def deviations(self) -> Iterator[str]:
        """Yield a line for every deviation."""
        if len(self._found) > 1:
            yield f"published {len(self._found)} times: {[entry['received_at'] for entry in self._found]}"
        if self._is_missing:
            yield f"missing; {self._status}, {self._said}"
        if self._told_unknown and self._post.platform not in UNASKABLE:
            yield f"unknown, although the platform can be asked; {self._said}"
        yield from self._status_deviations()
        yield from self._time_deviations()
        for entry in self._found:
            yield from self._content_deviations(entry)

    def _status_deviations(self) -> Iterator[str]:
        expected = {"posted"} if self._found else {"cancelled", "deleted"}
        if self._told_unknown:
            expected = {"failed", "cancelled", "deleted"}
        if self._post.removed_at is None:
            expected -= {"cancelled", "deleted"}
        elif self._found and self._row is None:
            expected |= {"deleted"}
        if self._status not in expected and not self._is_missing:
            yield f"{self._status} at the service, {len(self._found)} times on the platform; {self._said}"
        # After a hard delete during a lost response, no record is left to look it up.
        is_excused = self._told_unknown or (self._row is None and self._records < len(self._found))
        if self._records != len(self._found) and not is_excused:
            yield f"{self._records} records in the content history, not {len(self._found)}"
        published = sum(attempt["outcome"] == "published" for attempt in self._attempts)
        if self._row is not None and published != (self._status == "posted"):
            yield f"{self._status} with {published} attempts that published; {self._said}"
        if any(attempt["outcome"] == "pending" for attempt in self._attempts):
            yield f"an attempt is pending; {self._said}"

    def _time_deviations(self) -> Iterator[str]:
        post = self._post
        planned = self._row["scheduled_at"] if self._row is not None and post.due_s is not None else None
        if planned is not None and instant(planned) != post.due:
            yield f"planned for {planned}, not for {post.due.isoformat()}"
        for at in self._early:
            yield f"published at {at}, before its time {post.due.isoformat()}; {self._said}"
        if post.removed_at is None:
            return
        if self._found and post.removed_at < post.due - _SURELY_BEFORE:
            yield f"published although it was removed at {post.removed_at.isoformat()}"
        for at in self._after_removal:
            yield f"published at {at}, after it was removed at {post.removed_at.isoformat()}; {self._said}"

    def _content_deviations(self, entry: Row) -> Iterator[str]:
        stage, post = self._seen.stage, self._post
        account = stage.accounts[post.platform][post.account]
        planned = {
            "account_identifier": account.identifier,
            "board_id": account.board_id,
            "link": post.link,
            "title": post.title,
            "media_sha256": stage.files[post.file].sha256 if post.file else None,
        }
        for name, value in planned.items():
            if entry[name] != value:
                yield f"{name} is {entry[name]!r}, not {value!r}"

    @property
    def _said(self) -> str:
        """Return the attempts, oldest first."""
        return "; ".join(
            f"{attempt['step']} {attempt['started_at'][11:23]} {attempt['outcome']}"
            f" {attempt['platform_code'] or ''} {attempt['platform_message'] or ''}".rstrip()
            for attempt in reversed(self._attempts)
        )


def _name(post: Post) -> str:
    return f"{post.platform.value} {post.kind.value} {post.number} ({post.id})"
