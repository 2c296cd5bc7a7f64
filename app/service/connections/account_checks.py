"""Checks of a platform's setup that need a connected account: its permissions, and what became of posts."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection as Rows
from sqlalchemy import Row, select

from app.contract.companion import AttemptOutcome
from app.contract.enums import ConnectionPlatform
from app.contract.platform_setup import Check, CheckOutcome, SetupStep
from app.database import Database
from app.platforms.adapters import Adapter, AuditAdapter, GrantedAdapter, publishing_scopes
from app.platforms.base import PlatformError
from app.platforms.cards import CARDS, name_of
from app.service.connections.platforms import Platforms, Tokens, authorized
from app.service.store.tables import attempts, connections, contents, posts


@dataclass(frozen=True, slots=True)
class AccountChecks:
    """Looks at an account's newest connection to a platform, and its last attempt to publish there."""

    database: Database
    platforms: Platforms
    tokens: Tokens

    async def of(self, platform: ConnectionPlatform, account_id: UUID) -> list[Check]:
        """Return the checks; those that nothing is known about are left out."""
        connection, attempt, content = await self.database.read(
            lambda rows: _found(rows, platform, account_id)
        )
        if connection is None:
            return []
        adapter = await self.platforms.adapter(platform)
        checks = [
            await self._permissions(platform, adapter, connection.id),
            _testing(platform) if connection.sign_in_by is not None else None,
        ]
        if attempt is not None and attempt.outcome == AttemptOutcome.REFUSED.value:
            checks.append(_refused(platform, attempt))
        elif content is not None:
            checks.append(await self._seen(platform, adapter, content))
        return [check for check in checks if check is not None]

    async def _permissions(
        self, platform: ConnectionPlatform, adapter: Adapter | None, connection_id: UUID
    ) -> Check | None:
        app, card = self.platforms.credentials.get(platform), CARDS[platform]
        wanted = publishing_scopes(card, adapter)
        if app is None or not wanted or not isinstance(adapter, GrantedAdapter):
            return None
        try:
            token = await self.tokens.access_token(connection_id)
            granted = await authorized(
                self.tokens, connection_id, token, lambda one: adapter.granted(app, one)
            )
        except PlatformError as error:
            words = f"Couldn't check with {card.name}: {error.message}"
            return _check("permissions", CheckOutcome.UNKNOWN, words)
        if granted is None:
            return None
        if missing := wanted - granted:
            scopes, advice = ", ".join(sorted(missing)), card.registration.permission_advice
            words = f"{card.name} didn't grant {scopes}. {advice}"
            return _check("permissions", CheckOutcome.FAILED, words, card.registration.portal)
        words = f"{card.name} granted every permission that publishing needs."
        return _check("permissions", CheckOutcome.PASSED, words)

    async def _seen(
        self, platform: ConnectionPlatform, adapter: Adapter | None, content: Row[Any]
    ) -> Check | None:
        """Check whether everybody sees the last published item."""
        name, registration = name_of(platform), CARDS[platform].registration
        link = content.url or registration.portal
        if isinstance(adapter, AuditAdapter):
            try:
                token = await self.tokens.access_token(content.connection_id)
                is_locked = await authorized(
                    self.tokens,
                    content.connection_id,
                    token,
                    lambda one: adapter.is_locked(one, content.content_id),
                )
            except PlatformError as error:
                words = f"Couldn't check with {name}: {error.message}"
                return _check("visible", CheckOutcome.UNKNOWN, words)
            if is_locked is None:
                return None
            if is_locked:
                return _check("visible", CheckOutcome.FAILED, registration.hidden_advice, registration.audit)
            words = f"Everybody can see your last post on {name}."
            return _check("visible", CheckOutcome.PASSED, words, link)
        if registration.hidden_advice:
            return _check("visible", CheckOutcome.UNKNOWN, registration.hidden_advice, link)
        return _check("published", CheckOutcome.PASSED, f"Your last post on {name} was published.", link)


def _found(
    rows: Rows, platform: ConnectionPlatform, account_id: UUID
) -> tuple[Row[Any, Any] | None, Row[Any] | None, Row[Any] | None]:
    """Return the newest connection, the last attempt, and the last published item."""
    connection = (
        select(connections.c.id, connections.c.sign_in_by)
        .where(
            connections.c.account_id == account_id,
            connections.c.platform == platform.value,
            connections.c.is_available,
        )
        .order_by(connections.c.created_at.desc())
        .limit(1)
    )
    attempt = (
        select(attempts)
        .join(posts, posts.c.id == attempts.c.post_id)
        .where(
            attempts.c.account_id == account_id,
            posts.c.platform == platform.value,
            attempts.c.finished_at.is_not(None),
        )
        .order_by(attempts.c.started_at.desc())
        .limit(1)
    )
    content = (
        select(contents)
        .where(
            contents.c.account_id == account_id,
            contents.c.platform == platform.value,
            contents.c.post_id.is_not(None),
        )
        .order_by(contents.c.created_at.desc())
        .limit(1)
    )
    return rows.execute(connection).first(), rows.execute(attempt).first(), rows.execute(content).first()


def _testing(platform: ConnectionPlatform) -> Check | None:
    """Return that the platform ends access soon because the app is in testing, if it does that."""
    testing = CARDS[platform].registration.testing
    return None if testing is None else _check("testing", CheckOutcome.FAILED, testing.text, testing.link)


def _refused(platform: ConnectionPlatform, attempt: Row[Any]) -> Check:
    """Return what the platform said to the last post, and the next click."""
    advice = attempt.advice or attempt.platform_message or ""
    name, said = name_of(platform), attempt.platform_message
    words = f"{name} refused your last post. {advice}"
    if said and said not in words:
        words += f" {name} said: {said}"
    return _check("post", CheckOutcome.FAILED, words, CARDS[platform].registration.portal)


def _check(name: str, outcome: CheckOutcome, message: str, link: str = "") -> Check:
    step = SetupStep.ACCOUNT
    return Check(name=name, outcome=outcome, message=message, step=step, link=link)
