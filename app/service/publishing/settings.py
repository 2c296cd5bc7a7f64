"""Settings of publishing."""

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Span = Annotated[timedelta, Field(gt=timedelta(0))]
"""A duration; in a settings file a number of seconds, or ISO 8601 such as ``PT30M``."""


class PublishingSettings(BaseModel):
    """Durations and limits of publishing.

    Attributes:
        claim_ahead: How long before its time a post is claimed, so that everything is ready on time.
        lease: How long a claim is valid without renewal; then other engines may take the post over.
        batch: Maximum number of posts per claim.
        in_flight: Maximum number of claimed posts.
        late_after: How long after its time a post counts as late; punctual posts then take precedence.
        late_in_flight: Maximum number of claimed late posts.
        calls: Maximum number of concurrent calls to platforms; late posts may use half of them.
        calls_per_connection: Maximum number of concurrent calls per connected account.
        call_limit: When a publishing call counts as lost, even if the adapter is still waiting.
        upload_limit: When an upload is interrupted, to be continued later.
        look_limit: When a look on the platform is cancelled, to be repeated later.
        grace: How late a post may still be published after the computer was off. Also, how long after
            ``hand_over_limit`` a post may stay in an inbox while the platform can't be asked about it.
        hand_over_limit: How long the user has to publish a post, by hand or from their inbox on the platform,
            before it fails.
        follow_first: Shortest interval for asking a platform whether the user has published from their inbox.
        follow_longest: Longest interval for asking.
        refused_for: How long a platform must refuse an account's calls before the account counts as
            disconnected.
        reconnect_look: How often a waiting post checks whether its account was reconnected.
        tries: Maximum number of attempts per scheduled time before a transient failure becomes final.
        retry_span: How long after its first attempt a post is retried.
        retry_first: Upper limit of the first delay between attempts; it doubles, and the delay is a random
            part of it.
        retry_longest: Upper limit of all delays.
        settle_delay: Delay between a lost response and the first look on the platform.
        look_longest: Longest delay between looks.
        confirm_absence: How far apart two empty looks must be to prove that nothing was published.
        unknown_limit: How long a process keeps looking for an unknown outcome before giving up.
        repeats: Maximum number of identical repeats with lost responses, on platforms that refuse a second
            copy and name the first.
        repeat_rest: Minimum delay after a repeat with a lost response; it grows by this much each time, so
            that a crash loop doesn't use up all repeats: with LinkedIn's window, the last is possible after
            five of the six minutes in which repeats are safe.
        repeat_margin: How long before the end of the platform's window repeats stop.
        failover_pause: How long nothing is claimed or sent after another database server took over.
        stop_grace: How long stopping waits for calls in progress.
        restored_at: When a backup was restored. Posts due before may be live and aren't sent.
        preparations: Maximum number of concurrent uploads ahead of time.
        prepare_lead: Minimum time before a post is due to start its upload.
        prepare_rate: Assumed upload speed in bytes per second; large files start earlier.
        prepare_tries: Maximum number of uploads ahead of time; then the publisher takes over when the post is
            due.
        prepare_again: Delay after the first failed upload; it doubles each time.
        prepare_longest: Upper limit of that delay.
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
    hand_over_limit: Span = timedelta(hours=24)
    follow_first: Span = timedelta(seconds=20)
    follow_longest: Span = timedelta(minutes=5)
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
    repeats: Annotated[int, Field(ge=0, le=10)] = 6
    repeat_rest: Span = timedelta(seconds=20)
    repeat_margin: Span = timedelta(minutes=2)
    # A process leaves a silent server after 10 s, perhaps in two sessions one after the other, and tries each
    # dead host for 3 s (``app/database/postgresql.py``). By then, all have added the calls that the new
    # server lacks.
    failover_pause: Span = timedelta(seconds=30)
    stop_grace: Span = timedelta(seconds=5)
    restored_at: datetime | None = None
    preparations: Annotated[int, Field(ge=1, le=100)] = 4
    prepare_lead: Span = timedelta(minutes=30)
    prepare_rate: Annotated[int, Field(ge=1_024)] = 256 * 1024
    prepare_tries: Annotated[int, Field(ge=1, le=1_000)] = 8
    prepare_again: Span = timedelta(seconds=30)
    prepare_longest: Span = timedelta(minutes=30)

    def earliest(self, now: datetime) -> datetime:
        """The earliest due time of posts that may still be published."""
        in_grace = now - self.grace
        return in_grace if self.restored_at is None else max(in_grace, self.restored_at)
