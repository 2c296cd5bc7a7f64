"""Reports of what is on a platform, after its answer was lost for good."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, select, update

from app.contract.companion import AttemptOutcome
from app.contract.enums import ErrorCode, PostStatus
from app.contract.errors import ValidationIssue
from app.contract.posts import Post
from app.service.api.errors import ApiError
from app.service.posts.rows import find_post
from app.service.publishing.states import Event, target
from app.service.store.tables import attempts, posts

_KNOWN = "Only the outcome of a failed post whose platform never answered can be reported."
_ABSENT = "Somebody looked at the account: the post isn't there."


def report_outcome(
    connection: Connection, account_id: UUID, post_id: UUID, now: datetime, *, is_live: bool
) -> Post:
    """Settle the attempts with an unknown outcome; a post that is live becomes ``posted``.

    It was published when the first of them began. The history lists no content, since its ID is unknown.
    Raises ApiError: 404 if the account has no such post, 400 if nothing is unknown about it.
    """
    find_post(connection, account_id, post_id)
    lost = connection.execute(
        select(attempts.c.id, attempts.c.started_at)
        .where(
            attempts.c.post_id == post_id,
            attempts.c.account_id == account_id,
            attempts.c.outcome == AttemptOutcome.UNKNOWN.value,
        )
        .order_by(attempts.c.started_at)
    ).all()
    values = {"status": PostStatus.FAILED.value}  # written in any case: the post may change meanwhile
    if lost and is_live:
        values = {"status": target(Event.PUBLISH).value, "posted_at": lost[0].started_at}
    changed = connection.execute(
        update(posts).where(posts.c.id == post_id, posts.c.status == PostStatus.FAILED.value).values(**values)
    )
    if not lost or not changed.rowcount:
        issue = ValidationIssue(field="is_live", message=_KNOWN, type="not_unknown")
        raise ApiError(ErrorCode.VALIDATION_ERROR, _KNOWN, [issue])
    outcome = AttemptOutcome.PUBLISHED if is_live else AttemptOutcome.REFUSED
    connection.execute(
        update(attempts)
        .where(attempts.c.id.in_([one.id for one in lost]))
        .values(
            outcome=outcome.value,
            finished_at=now,
            platform_code=None,
            platform_message=None,
            advice=None if is_live else _ABSENT,
        )
    )
    return find_post(connection, account_id, post_id)
