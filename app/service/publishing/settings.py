"""What can be tuned about publishing."""

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Span = Annotated[timedelta, Field(gt=timedelta(0))]
"""A length of time; in a settings file a number of seconds, or ISO 8601 such as ``PT30M``."""


class PublishingSettings(BaseModel):
    """Lengths of time and limits of the engine.

    Attributes:
        claim_ahead: How long before its time a post is taken, so that all is ready at the moment itself.
        lease: How long a claim holds without being renewed; a dead owner's posts are taken over after that.
        batch: The most posts that one claim takes.
        in_flight: The most posts that are claimed at once.
        late_after: How long after its time a post counts as late; it then lets those go first that are not.
        late_in_flight: The most late posts that are claimed at once.
        calls: The most calls to platforms at once; half of them may be for late posts.
        calls_per_connection: The most calls for one connected account at once.
        call_limit: When a publishing call counts as lost, although the adapter still waits.
        upload_limit: When bringing a file to the platform is given up, to be taken up again later.
        look_limit: When a look on the platform is given up, to be repeated later.
        grace: How late a post may still go out after the computer was off.
        refused_for: How long a platform must refuse an account's calls before the account counts as ended.
        reconnect_look: How often a post looks whether its account was connected again.
        tries: The most attempts of one plan of a post, before a passing failure becomes a final one.
        retry_span: How long after its first attempt a post is still retried.
        retry_first: The longest first wait between attempts; it doubles, and the wait is a random part of it.
        retry_longest: The longest that such a wait grows to.
        settle_delay: How long after a lost answer the first look on the platform waits.
        look_longest: The longest wait between looks.
        confirm_absence: How far apart two looks that find nothing must be to prove it.
        unknown_limit: How long a process looks for an outcome that can't be found out before it gives up.
        repeats: The most identical repeats whose answers are lost, where the platform refuses a second copy
            and names the first.
        repeat_rest: How long after a repeat whose answer was lost the next one waits at least; longer by as
            much with each, so that a program that dies again and again does not use them all up.
        repeat_margin: How long before the end of that time no repeat is begun any more.
        stop_grace: How long stopping waits for calls that are under way.
        restored_at: When the posts came back from a backup. What was due before may be live, and is not sent.
        preparations: The most files that are brought to platforms ahead of time at once.
        prepare_lead: How long before its time the file of a post is brought to the platform at least.
        prepare_rate: Bytes a second that an upload is expected to take; large files are begun earlier.
        prepare_tries: How often that is tried ahead of time; then it is left to the time of the post.
        prepare_again: The first wait after a try that failed; it doubles each time.
        prepare_longest: The longest that such a wait grows to.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    claim_ahead: Span = timedelta(milliseconds=500)
    lease: Span = timedelta(seconds=60)
    batch: Annotated[int, Field(ge=1, le=1_000)] = 500
    in_flight: Annotated[int, Field(ge=1, le=5_000)] = 1_500
    late_after: Span = timedelta(seconds=30)
    late_in_flight: Annotated[int, Field(ge=1, le=1_000)] = 150
    calls: Annotated[int, Field(ge=1, le=1_000)] = 100
    calls_per_connection: Annotated[int, Field(ge=1, le=100)] = 3
    call_limit: Span = timedelta(minutes=15)
    upload_limit: Span = timedelta(hours=2)
    look_limit: Span = timedelta(minutes=1)
    grace: Span = timedelta(hours=12)
    refused_for: Span = timedelta(minutes=5)
    reconnect_look: Span = timedelta(minutes=10)
    tries: Annotated[int, Field(ge=1, le=1_000)] = 30
    retry_span: Span = timedelta(hours=2)
    retry_first: Span = timedelta(seconds=5)
    retry_longest: Span = timedelta(minutes=10)
    settle_delay: Span = timedelta(seconds=2)
    look_longest: Span = timedelta(minutes=2)
    confirm_absence: Span = timedelta(seconds=10)
    unknown_limit: Span = timedelta(minutes=30)
    repeats: Annotated[int, Field(ge=0, le=10)] = 3
    repeat_rest: Span = timedelta(seconds=20)
    repeat_margin: Span = timedelta(minutes=2)
    stop_grace: Span = timedelta(seconds=5)
    restored_at: datetime | None = None
    preparations: Annotated[int, Field(ge=1, le=100)] = 4
    prepare_lead: Span = timedelta(minutes=30)
    prepare_rate: Annotated[int, Field(ge=1_024)] = 256 * 1024
    prepare_tries: Annotated[int, Field(ge=1, le=1_000)] = 8
    prepare_again: Span = timedelta(seconds=30)
    prepare_longest: Span = timedelta(minutes=30)

    def earliest(self, now: datetime) -> datetime:
        """What was due before this does not go out any more."""
        in_grace = now - self.grace
        return in_grace if self.restored_at is None else max(in_grace, self.restored_at)
