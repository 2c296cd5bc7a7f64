"""SQL for webhook subscriptions: create, list, change, delete."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4

from sqlalchemy import Connection, Row, delete, func, insert, select, update
from yarl import URL

from app.contract.enums import ErrorCode, EventType
from app.contract.pagination import Page
from app.contract.webhooks import (
    CreatedWebhookSubscription,
    UpdateWebhook,
    WebhookDeleteResult,
    WebhookSubscription,
)
from app.service.accounts.accounts import require_account
from app.service.api.responses import ApiError, invalid, not_found
from app.service.store.seal import Seal
from app.service.store.tables import webhook_subscriptions
from app.service.webhooks.queue import drop_waiting, lock_for_end
from app.service.webhooks.sender import new_secret

SUBSCRIPTIONS_MAX: Final = 50
"""Maximum number of subscriptions per account."""
SWITCHED_OFF: Final = "Not sent: the webhook was switched off. Switch it on and replay this delivery."
"""Logged for pending deliveries when their webhook was switched off."""

_COLUMNS = tuple(webhook_subscriptions.c[name] for name in WebhookSubscription.model_fields)


def add(
    rows: Connection,
    seal: Seal,
    account_id: UUID,
    url: str,
    events: Iterable[EventType],
    now: datetime,
    *,
    new_id: Callable[[], UUID] = uuid4,
) -> CreatedWebhookSubscription:
    """Store a subscription with an id from ``new_id``. Only this call returns the secret.

    Raises ApiError: 403 if the account has too many, 400 if it already has one for this URL.
    """
    require_account(rows, account_id, lock=True)  # so that concurrent calls count one after the other
    _require_new_url(rows, account_id, url)
    own = select(func.count()).where(webhook_subscriptions.c.account_id == account_id)
    if (rows.scalar(own) or 0) >= SUBSCRIPTIONS_MAX:
        raise ApiError(
            ErrorCode.FORBIDDEN,
            f"The account has {SUBSCRIPTIONS_MAX} webhook subscriptions, the most allowed. Delete one first.",
        )
    subscription_id, secret = new_id(), new_secret()
    row = rows.execute(
        insert(webhook_subscriptions)
        .values(
            id=subscription_id,
            account_id=account_id,
            url=url,
            events=distinct(events),
            secret=seal.close(secret, subscription_id),
            active=True,
            failure_count=0,
            created_at=now,
            updated_at=now,
        )
        .returning(*_COLUMNS)
    ).one()
    return CreatedWebhookSubscription(**row._mapping, secret=secret)  # noqa: SLF001  SQLAlchemy's public name


def find(rows: Connection, account_id: UUID, subscription_id: UUID) -> WebhookSubscription:
    """Return a subscription. Raises ApiError (404) if the account has no such subscription."""
    return _as_subscription(
        rows.execute(
            select(*_COLUMNS).where(
                webhook_subscriptions.c.id == subscription_id,
                webhook_subscriptions.c.account_id == account_id,
            )
        ).one_or_none()
    )


def find_all(rows: Connection, account_id: UUID) -> Page[WebhookSubscription]:
    """Return all subscriptions of an account, newest first, as a single page."""
    found = rows.execute(
        select(*_COLUMNS)
        .where(webhook_subscriptions.c.account_id == account_id)
        .order_by(webhook_subscriptions.c.created_at.desc(), webhook_subscriptions.c.id.desc())
    )
    return Page[WebhookSubscription](data=[_as_subscription(row) for row in found], next_cursor=None)


def change(
    rows: Connection, account_id: UUID, subscription_id: UUID, body: UpdateWebhook, now: datetime
) -> WebhookSubscription:
    """Change the fields in the body. Activating resets failures; deactivating cancels pending deliveries.

    Raises ApiError: 404 if the account has no such subscription, 400 for another subscription's URL.
    """
    if body.url is not None:
        require_account(rows, account_id, lock=True)
        _require_new_url(rows, account_id, body.url, but=subscription_id)
    if body.active is False:
        lock_for_end(rows, subscription_id)
    changed = _as_subscription(
        rows.execute(
            update(webhook_subscriptions)
            .where(
                webhook_subscriptions.c.id == subscription_id,
                webhook_subscriptions.c.account_id == account_id,
            )
            .values(_changes(body) | {"updated_at": now})
            .returning(*_COLUMNS)
        ).one_or_none()
    )
    if body.active is False:
        drop_waiting(rows, subscription_id, SWITCHED_OFF, now)
    return changed


def remove(rows: Connection, account_id: UUID, subscription_id: UUID) -> WebhookDeleteResult:
    """Delete a subscription and its delivery log.

    Raises ApiError (404) if the account has no such subscription.
    """
    removed = rows.execute(
        delete(webhook_subscriptions).where(
            webhook_subscriptions.c.id == subscription_id, webhook_subscriptions.c.account_id == account_id
        )
    )
    if not removed.rowcount:
        raise not_found("webhook")
    return WebhookDeleteResult(id=subscription_id, deleted=True)


def distinct(events: Iterable[EventType]) -> list[str]:
    """Remove duplicates, keeping the order."""
    return list(dict.fromkeys(event.value for event in events))


def _require_new_url(rows: Connection, account_id: UUID, url: str, but: UUID | None = None) -> None:
    """Raise ApiError (400) if the URL is subscribed already: it would get every event several times."""
    found = rows.execute(
        select(webhook_subscriptions.c.id, webhook_subscriptions.c.url).where(
            webhook_subscriptions.c.account_id == account_id
        )
    )
    wanted = same_place(url)
    if any(row.id != but and same_place(row.url) == wanted for row in found):
        message = "already has a subscription; change its events instead"
        raise invalid("url", message, "already_subscribed")


def same_place(url: str) -> str:
    """Normalize a URL's host, port, empty path and fragment, for comparison."""
    return f"{URL(url).origin()}{URL(url, encoded=True).raw_path_qs}"


def _changes(body: UpdateWebhook) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    if body.url is not None:
        changes["url"] = body.url
    if body.events is not None:
        changes["events"] = distinct(body.events)
    if body.active is not None:
        changes["active"] = body.active
    if body.active:
        changes.update(failure_count=0, last_disabled_at=None)
    return changes


def _as_subscription(row: Row[*tuple[Any, ...]] | None) -> WebhookSubscription:
    if row is None:
        raise not_found("webhook")
    return WebhookSubscription.model_validate(row, from_attributes=True)
