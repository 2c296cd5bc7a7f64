"""Faults planted in the product, to see that the simulation finds them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Final
from unittest.mock import patch

from sqlalchemy import Connection

from app.contract.companion import AttemptOutcome
from app.platforms.base import FailureKind, PlatformError
from app.platforms.x import X
from app.service.publishing import attempts, departures, endings, outcome, publisher
from app.service.publishing.advice import explain
from app.service.publishing.departures import Gate
from app.service.publishing.history import ClaimedPost
from app.service.publishing.outcome import Absent, Retry, Sight
from app.service.store.journal import SendJournal, Sent

Plant = Callable[[], AbstractContextManager[object]]


def look_back_skipped() -> AbstractContextManager[object]:
    """What was lost counts as never sent."""
    return patch.object(outcome, "after_look", lambda *_args: Absent())


def absence_proved_at_once() -> AbstractContextManager[object]:
    """One look that finds nothing is enough, and it comes at once."""

    def after_look(seen: Any, *rest: Any) -> Any:
        return Absent() if seen is Sight.ABSENT else real(seen, *rest)

    real = outcome.after_look
    return patch.object(outcome, "after_look", after_look)


def lost_answer_retried() -> AbstractContextManager[object]:
    """An ambiguous failure is taken for a passing one."""

    def after_error(error: PlatformError, post: Any, now: datetime, *rest: Any) -> Any:
        if error.kind is FailureKind.AMBIGUOUS:
            return Retry(now + timedelta(seconds=5), explain(error, post.platform))
        return real(error, post, now, *rest)

    real = outcome.after_error
    return patch.object(outcome, "after_error", after_error)


def attempt_written_after_call() -> AbstractContextManager[object]:
    """The row of an attempt comes when the call has ended."""
    return patch.object(attempts, "write", lambda *_: None)


def cancel_forgets_claim() -> AbstractContextManager[object]:
    """A cancelled post goes out all the same: the beginning asks nobody."""

    def begin(rows: Connection, _owner: Any, beginnings: Any, **_when: Any) -> set[Any]:
        attempts.write(rows, beginnings)
        return {one.post.id for one in beginnings}

    return patch.object(attempts, "begin", begin)


def refusal_taken_for_success() -> AbstractContextManager[object]:
    """X's adapter takes every failure for a published post."""

    async def publish(self: X, publication: Any) -> Any:
        try:
            return await real(self, publication)
        except PlatformError:
            return self._published(publication, "1")

    real = X.publish
    return patch.object(X, "publish", publish)


@contextmanager
def sent_before_its_time() -> Iterator[None]:
    """A post departs as soon as it is ready."""

    async def at_once(_self: Gate, _post: ClaimedPost) -> None:
        return None

    async def turn(self: Gate, post: ClaimedPost) -> Any:
        return self._slots.of(post.connection_id)

    with (
        patch.object(Gate, "until_due", at_once),
        patch.object(Gate, "turn", turn),
        patch.object(publisher, "_READY_AHEAD", timedelta(seconds=9)),
        patch.object(departures, "_AHEAD", timedelta(seconds=9)),
    ):
        yield


def journal_not_written() -> AbstractContextManager[object]:
    """Calls are not noted outside the database."""

    async def note(_self: SendJournal, _sent: Sent) -> None:
        return None

    return patch.object(SendJournal, "note", note)


def failure_untold() -> AbstractContextManager[object]:
    """No event tells that a post failed."""
    return patch.object(endings, "record", lambda *_: None)


def unknown_swept_under() -> AbstractContextManager[object]:
    """An outcome that can't be found out is told as a plain refusal."""

    def close(rows: Connection, which: Any, ended: AttemptOutcome, *rest: Any) -> None:
        real(rows, which, AttemptOutcome.REFUSED if ended is AttemptOutcome.UNKNOWN else ended, *rest)

    real = attempts.close
    return patch.object(attempts, "close", close)


_USUAL: Final = "all=2"
PLANTED: Final[Mapping[Plant, str]] = MappingProxyType(
    {
        look_back_skipped: _USUAL,
        absence_proved_at_once: _USUAL,
        lost_answer_retried: _USUAL,
        attempt_written_after_call: _USUAL,
        cancel_forgets_claim: _USUAL,
        refusal_taken_for_success: _USUAL,
        sent_before_its_time: _USUAL,
        journal_not_written: _USUAL,
        failure_untold: _USUAL,
        unknown_swept_under: _USUAL,
    }
)
"""With the rates at which each is looked for; it is found within 2,000 posts."""
