"""Webhook subscriptions as rows: made, listed, changed and deleted."""

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
from app.service.api.errors import ApiError, invalid, not_found
from app.service.store.seal import Seal
from app.service.store.tables import webhook_subscriptions
from app.service.webhooks.messages import new_secret
from app.service.webhooks.queue import drop_waiting

SUBSCRIPTIONS_MAX: Final = 50
"""How many subscriptions an account may have."""
SWITCHED_OFF: Final = "Not sent: the webhook was switched off. Switch it on and replay this delivery."
"""What is said of deliveries that waited when their subscription was switched off."""

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
    """Stores a subscription under the id that ``new_id`` gives. Its secret is returned here and never again.

    Raises ApiError: 403 when the account has as many as it may have, 400 for a URL that it has already.
    """
    require_account(rows, account_id, lock=True)  # so that two processes count one after the other
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
    """Raises ApiError (404) when the account has no such subscription."""
    return _as_subscription(
        rows.execute(
            select(*_COLUMNS).where(
                webhook_subscriptions.c.id == subscription_id,
                webhook_subscriptions.c.account_id == account_id,
            )
        ).one_or_none()
    )


def find_all(rows: Connection, account_id: UUID) -> Page[WebhookSubscription]:
    """Every subscription of the account, newest first, as the one page that there is."""
    found = rows.execute(
        select(*_COLUMNS)
        .where(webhook_subscriptions.c.account_id == account_id)
        .order_by(webhook_subscriptions.c.created_at.desc(), webhook_subscriptions.c.id.desc())
    )
    return Page[WebhookSubscription](data=[_as_subscription(row) for row in found], next_cursor=None)


def change(
    rows: Connection, account_id: UUID, subscription_id: UUID, body: UpdateWebhook, now: datetime
) -> WebhookSubscription:
    """Changes what the body names. ``active`` true forgets past failures; false drops what waits.

    Raises ApiError: 404 when the account has no such subscription, 400 for the URL of another one.
    """
    if body.url is not None:
        require_account(rows, account_id, lock=True)
        _require_new_url(rows, account_id, body.url, but=subscription_id)
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
    """Deletes the subscription, and with it the log of its deliveries.

    Raises ApiError (404) when the account has no such subscription.
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
    """Each type once, in the order in which they were named."""
    return list(dict.fromkeys(event.value for event in events))


def _require_new_url(rows: Connection, account_id: UUID, url: str, but: UUID | None = None) -> None:
    """Raises ApiError (400): several subscriptions of one URL would multiply what it receives."""
    found = rows.execute(
        select(webhook_subscriptions.c.id, webhook_subscriptions.c.url).where(
            webhook_subscriptions.c.account_id == account_id
        )
    )
    wanted = _same_place(url)
    if any(row.id != but and _same_place(row.url) == wanted for row in found):
        message = "already has a subscription; change its events instead"
        raise invalid("url", message, "already_subscribed")


def _same_place(url: str) -> str:
    """The URL in the form in which all its spellings are equal: host, port, empty path and fragment."""
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
