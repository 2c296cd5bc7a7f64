"""Faults planted in the product, to see that the simulation finds them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import datetime, timedelta
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final
from unittest.mock import patch
from uuid import UUID, uuid4

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from app.contract.companion import AttemptOutcome
from app.database import DatabaseError
from app.platforms import publication
from app.platforms.base import FailureKind, LookBack, PlatformError
from app.platforms.bluesky import adapter as bluesky
from app.platforms.bluesky.keys import record_key
from app.platforms.by_hand import BY_HAND_KEYS
from app.platforms.facebook import adapter as facebook
from app.platforms.linkedin import adapter as linkedin
from app.platforms.mastodon import adapter as mastodon
from app.platforms.pinterest import adapter as pinterest
from app.platforms.x import adapter as x
from app.platforms.x.adapter import X
from app.service.clock import PlatformClock
from app.service.publishing import attempts, departures, endings, engine, live, outcome, publisher
from app.service.publishing.advice import explain
from app.service.publishing.attachments import Attachments
from app.service.publishing.attempts import Beginning
from app.service.publishing.calls import Calls
from app.service.publishing.departures import Gate, Gatherer
from app.service.publishing.history import ClaimedPost
from app.service.publishing.outcome import Absent, Failed, Retry, Sight
from app.service.restoring import Past
from app.service.store.journal import SendJournal, Sent
from app.service.webhooks import events
from tests.simulation.publishing import program

Plant = Callable[[], AbstractContextManager[object]]


def look_back_skipped() -> AbstractContextManager[object]:
    """What was lost counts as never sent."""
    return patch.object(outcome, "after_look", lambda *_args: Absent())


def absence_proved_at_once() -> AbstractContextManager[object]:
    """A single, immediate look that finds nothing is enough."""

    def after_look(seen: Any, *rest: Any) -> Any:
        return Absent() if seen is Sight.ABSENT else real(seen, *rest)

    real = outcome.after_look
    return patch.object(outcome, "after_look", after_look)


_RETRIES: Final = 4


def lost_answer_retried() -> AbstractContextManager[object]:
    """An ambiguous failure is taken for a passing one.

    Not for ever: some platforms tell by another ambiguous failure that a file was published already.
    """

    def after_error(error: PlatformError, post: Any, now: datetime, *rest: Any) -> Any:
        if error.kind is FailureKind.AMBIGUOUS and len(post.attempts) < _RETRIES:
            return Retry(now + timedelta(seconds=5), explain(error, post.platform))
        return real(error, post, now, *rest)

    real = outcome.after_error
    return patch.object(outcome, "after_error", after_error)


def attempt_written_after_call() -> AbstractContextManager[object]:
    """The row of an attempt comes when the call has ended."""
    return patch.object(attempts, "write", lambda *_: None)


def cancel_forgets_claim() -> AbstractContextManager[object]:
    """A cancelled post is published anyway, because its beginning checks nothing."""

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
    """An unknown outcome is reported as a plain refusal."""

    def close(rows: Connection, which: Any, ended: AttemptOutcome, *rest: Any) -> None:
        real(rows, which, AttemptOutcome.REFUSED if ended is AttemptOutcome.UNKNOWN else ended, *rest)

    real = attempts.close
    return patch.object(attempts, "close", close)


def stall_outlasts_lease() -> AbstractContextManager[object]:
    """What was held up for longer than its lease is sent all the same."""
    return patch.object(departures.Departure, "holds", lambda _self: True)


def lease_not_renewed() -> AbstractContextManager[object]:
    """A worker keeps at work on a post for longer than its claim is valid."""
    return patch.object(engine, "renew", lambda *_: frozenset())


def renewal_not_written() -> AbstractContextManager[object]:
    """A worker believes that its claims are renewed, and the store doesn't have that."""
    return patch.object(engine, "renew", lambda _rows, _owner, ids, _until: frozenset(ids))


@contextmanager
def missing_field_taken_for_no() -> Iterator[None]:
    """An item without the field that would tell counts as another one."""

    def judge(items: Any, **how: Any) -> LookBack:
        return publication.judge(((item, bool(is_it)) for item, is_it in items), **how)

    with ExitStack() as planted:
        for adapter in (x, facebook, linkedin, mastodon, pinterest):
            planted.enter_context(patch.object(adapter, "judge", judge))
        yield


def looked_too_late() -> AbstractContextManager[object]:
    """Looks leave out what was published in the first two minutes after the call."""

    async def look(self: Calls, post: ClaimedPost, _since: datetime, known: Any) -> Any:
        # Adapters look two minutes further back than they're asked to.
        return await real(self, post, post.first_sent + timedelta(minutes=4), known)

    real = Calls.look
    return patch.object(Calls, "look", look)


def beginning_error_ignored() -> AbstractContextManager[object]:
    """The call is made although its attempt could not be written."""

    async def write(self: Gatherer[Any, Any], item: Any) -> Any:
        try:
            return await real(self, item)
        except (DatabaseError, SQLAlchemyError):
            if isinstance(item, Beginning):
                return True
            raise

    real = Gatherer.write
    return patch.object(Gatherer, "write", write)


def clock_ahead_believed() -> AbstractContextManager[object]:
    """Any time that a platform tells proves the computer's, even one that is behind it."""
    return patch.object(PlatformClock, "_follow", lambda *_: None)


def older_copy_not_noticed() -> AbstractContextManager[object]:
    """A store that was put back is taken for the newest one."""

    def look_into_past(_folder: Any, _database: Any, _now: Any, journal: SendJournal, **_: Any) -> Past:
        return Past(journal, None)

    return patch.object(program, "look_into_past", look_into_past)


def lost_steps_trusted() -> AbstractContextManager[object]:
    """Steps that can't be read prove that nothing was sent."""

    async def has_all_steps(_self: Attachments, _post: ClaimedPost) -> bool:
        return True

    return patch.object(Attachments, "has_all_steps", has_all_steps)


def given_up_at_once() -> AbstractContextManager[object]:
    """A passing failure is taken for a final one."""

    def after_passing(error: PlatformError, _why: Any, post: ClaimedPost, *_rest: Any) -> Failed:
        return Failed(explain(error, post.platform))

    return patch.object(outcome, "_after_passing", after_passing)


def history_not_written() -> AbstractContextManager[object]:
    """What was published isn't in the content history."""
    return patch.object(live, "_record", lambda *_: None)


def event_told_twice() -> AbstractContextManager[object]:
    """Every publication is reported twice."""

    def record_all(rows: Connection, happenings: Any) -> None:
        real(rows, [*happenings, *happenings])

    real = events.record_all
    return patch.object(live, "record_all", record_all)


def key_forgotten() -> AbstractContextManager[object]:
    """Each call to Mastodon has another ``Idempotency-Key``."""

    def another(_content: bytes) -> Any:
        return sha256(uuid4().bytes)

    return patch.object(mastodon, "sha256", another)


def record_key_drawn() -> AbstractContextManager[object]:
    """Each call to Bluesky has another record key, which isn't made from the post."""

    def another(_post_id: UUID) -> str:
        return record_key(uuid4())

    return patch.object(bluesky, "record_key", another)


def statuses_never_recognized() -> AbstractContextManager[object]:
    """A status of ours on Mastodon counts as somebody else's."""
    return patch.object(mastodon, "is_from", lambda *_: False)


def choice_by_hand_ignored() -> AbstractContextManager[object]:
    """A post of a connected account is published although its user wants to do that."""
    return patch.object(ClaimedPost, "is_by_hand", property(lambda post: post.platform in BY_HAND_KEYS))


def inbox_ignored() -> AbstractContextManager[object]:
    """A post that goes to an inbox is published directly."""

    async def is_to_inbox(_self: Attachments, _post: ClaimedPost) -> bool:
        return False

    return patch.object(Attachments, "is_to_inbox", is_to_inbox)


def publication_in_inbox_missed() -> AbstractContextManager[object]:
    """Nobody notices that a user has published a post from their inbox."""

    async def follow(_self: Calls, _post: ClaimedPost) -> None:
        return None

    return patch.object(Calls, "follow", follow)


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
        # With more stalls nobody is awake to take over.
        stall_outlasts_lease: "stall_in_write=0.01",
        lease_not_renewed: "slow=0.3",
        renewal_not_written: "slow=0.3",
        missing_field_taken_for_no: "cut_after=0.3,withheld_field=0.3",
        looked_too_late: _USUAL,
        beginning_error_ignored: _USUAL,
        clock_ahead_believed: "clock=0.1,clock_between=0.1",
        older_copy_not_noticed: "old_copy=0.1",
        lost_steps_trusted: "cut_after=0.2,steps_lost=0.3",
        given_up_at_once: _USUAL,
        history_not_written: _USUAL,
        event_told_twice: _USUAL,
        key_forgotten: "cut_after=0.2",
        record_key_drawn: "cut_after=0.2",
        statuses_never_recognized: "cut_after=0.2",
        choice_by_hand_ignored: _USUAL,
        inbox_ignored: _USUAL,
        publication_in_inbox_missed: _USUAL,
    }
)
"""With the rates at which each is looked for; it is found within 2,000 posts."""
SHARED: Final = frozenset({stall_outlasts_lease, lease_not_renewed, renewal_not_written})
"""Those that only show where several programs share a store."""
FOUND_SOON: Final = frozenset({lost_answer_retried, journal_not_written, given_up_at_once})
"""The suite plants these; the whole run plants all."""
