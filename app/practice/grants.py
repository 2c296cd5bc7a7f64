"""Authorization codes, grants and tokens: OAuth 2 as shared by the platforms."""

import base64
import hashlib
import hmac
import secrets
import sqlite3
from dataclasses import dataclass
from typing import Literal

from app.practice.identities import Identity
from app.practice.settings import Settings
from app.practice.store import Store

_NEVER = 1e12  # seconds since 1970
_NEW_S = 10.0


@dataclass(frozen=True)
class TokenRules:
    """A platform's rules for codes and tokens; lifetimes in seconds.

    Attributes:
        refresh_s: Lifetime of refresh tokens; None without them.
        rotates: A refresh token works once and is replaced.
        renews: A refresh returns a new refresh token, and the old one stays valid.
        refresh_scope: Scope required for a refresh token; None if every grant gets one.
        bytes_of_token: Length of a token before encoding.
        challenge: Encoding of the code challenge's digest.
    """

    code_s: int
    access_s: int
    refresh_s: int | None
    rotates: bool = False
    renews: bool = False
    refresh_scope: str | None = None
    bytes_of_token: int = 48
    challenge: Literal["base64url", "hex"] = "base64url"


@dataclass(frozen=True)
class Consent:
    """What a user allowed on the consent page.

    Attributes:
        identifier: The platform's ID of the user.
        chosen: The Pages selected by the user, if the platform supports that.
    """

    identity: Identity
    identifier: str
    client_id: str
    redirect_uri: str
    scope: frozenset[str]
    challenge: str
    chosen: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Grant:
    """The account and permissions of a token.

    Attributes:
        identifier: The account: the user, or the token's Page.
        chosen: The Pages selected by the user, if the platform supports that.
        is_page: Whether it's the token of a Page, and not of the user.
    """

    id: int
    identity: Identity
    identifier: str
    client_id: str
    scope: frozenset[str]
    chosen: frozenset[str] = frozenset()
    is_page: bool = False


@dataclass(frozen=True)
class Issued:
    """A token pair; lifetimes in seconds, None without a refresh token."""

    access_token: str
    expires_in: int
    refresh_token: str | None
    refresh_expires_in: int | None
    scope: frozenset[str]


class RefusedGrantError(Exception):
    """A code or refresh token isn't valid; ``revoked`` if its grant was revoked."""

    def __init__(self, *, revoked: bool = False) -> None:
        super().__init__("revoked" if revoked else "invalid")
        self.revoked = revoked


class DeadTokenError(Exception):
    """An access token isn't valid."""

    def __init__(self, reason: Literal["unknown", "expired", "revoked"]) -> None:
        super().__init__(reason)
        self.reason = reason


class Grants:
    """The codes, grants and tokens of all platforms."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._clock = settings.clock

    def open_code(self, rules: TokenRules, consent: Consent) -> str:
        """Return a code that can be exchanged once, within its lifetime."""
        code = secrets.token_urlsafe(32)
        with self._store.transaction() as db:
            db.execute(
                "INSERT INTO codes (code, platform, account, identifier, client_id, redirect_uri, scope,"
                " challenge, chosen, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    code,
                    consent.identity.platform,
                    consent.identity.account,
                    consent.identifier,
                    consent.client_id,
                    consent.redirect_uri,
                    _joined(consent.scope),
                    consent.challenge,
                    _joined(consent.chosen),
                    self._clock() + rules.code_s,
                ),
            )
        return code

    def exchange(
        self, rules: TokenRules, code: str, client_id: str, redirect_uri: str, verifier: str = ""
    ) -> Issued:
        """Exchange a code for tokens.

        Raises:
            RefusedGrantError: The code is unknown, used or expired, or client, redirect URI or verifier
                differ.
        """
        with self._store.transaction() as db:
            row = db.execute("SELECT * FROM codes WHERE code = ? AND NOT spent", (code,)).fetchone()
            if row is None or not self._fits(rules, row, client_id, redirect_uri, verifier):
                raise RefusedGrantError
            db.execute("UPDATE codes SET spent = 1 WHERE code = ?", (code,))
            created = db.execute(
                "INSERT INTO grants (platform, account, identifier, client_id, scope, chosen)"
                " SELECT platform, account, identifier, client_id, scope, chosen FROM codes WHERE code = ?",
                (code,),
            )
            return self._issue(db, rules, created.lastrowid or 0, _split(row["scope"]), None)

    def refresh(self, rules: TokenRules, token: str, client_id: str) -> Issued:
        """Return new tokens for a refresh token, which is used up if it rotates.

        Raises:
            RefusedGrantError: The token is unknown, used or expired, the client differs, or the grant was
                revoked.
        """
        with self._store.transaction() as db:
            row = db.execute(
                "SELECT tokens.*, grants.client_id, grants.scope, grants.revoked FROM tokens"
                " JOIN grants ON grants.id = grant_id WHERE token = ? AND kind = 'refresh'",
                (token,),
            ).fetchone()
            if row is None or row["client_id"] != client_id:
                raise RefusedGrantError
            if row["revoked"]:
                raise RefusedGrantError(revoked=True)
            if row["spent"] or row["expires_at"] <= self._clock():
                raise RefusedGrantError
            if rules.rotates:
                db.execute("UPDATE tokens SET spent = 1 WHERE token = ?", (token,))
            kept = None if rules.rotates or rules.renews else (token, float(row["expires_at"]))
            return self._issue(db, rules, row["grant_id"], _split(row["scope"]), kept)

    def prolong(self, rules: TokenRules, platform: str, token: str, access_s: int) -> Issued:
        """Exchange a valid access token for a new one; the old one stays valid.

        Raises:
            DeadTokenError: As ``authenticate``.
        """
        grant = self.authenticate(platform, token)
        with self._store.transaction() as db:
            fresh = self._add(db, rules, grant.id, "access", self._clock() + access_s)
        return Issued(fresh, access_s, None, None, grant.scope)

    def page_token(self, rules: TokenRules, grant: Grant, page: str) -> str:
        """Return the access token of one of the user's Pages, constant for the life of the grant."""
        with self._store.transaction() as db:
            row = db.execute(
                "SELECT token FROM tokens WHERE grant_id = ? AND subject = ?", (grant.id, page)
            ).fetchone()
            return row["token"] if row else self._add(db, rules, grant.id, "access", _NEVER, page)

    def authenticate(self, platform: str, token: str) -> Grant:
        """Return the grant of an access token.

        Raises:
            DeadTokenError: The token is unknown, expired or revoked.
        """
        rows = self._store.rows(
            "SELECT tokens.expires_at, tokens.subject, grants.* FROM tokens"
            " JOIN grants ON grants.id = grant_id WHERE token = ? AND kind = 'access' AND platform = ?",
            token,
            platform,
        )
        if not rows:
            raise DeadTokenError("unknown")
        row = rows[0]
        if row["revoked"]:
            raise DeadTokenError("revoked")
        if row["expires_at"] <= self._clock():
            raise DeadTokenError("expired")
        identity = Identity.of(row["platform"], row["account"])
        return Grant(
            id=row["id"],
            identity=identity,
            identifier=row["subject"] or row["identifier"],
            client_id=row["client_id"],
            scope=_split(row["scope"]),
            chosen=_split(row["chosen"]),
            is_page=bool(row["subject"]),
        )

    def holder(self, secret: str) -> str | None:
        """Return the account ID of a code or token, valid or not."""
        rows = self._store.rows(
            "SELECT identifier FROM codes WHERE code = ?1 UNION ALL"
            " SELECT identifier FROM tokens JOIN grants ON grants.id = grant_id WHERE token = ?1",
            secret,
        )
        return str(rows[0][0]) if rows else None

    def account_of(self, platform: str, identifier: str) -> Identity | None:
        """Return the user with an ID, if that account was ever connected."""
        rows = self._store.rows(
            "SELECT account FROM grants WHERE platform = ? AND identifier = ? LIMIT 1", platform, identifier
        )
        return Identity.of(platform, rows[0][0]) if rows else None

    def seconds_left(self, token: str) -> float | None:
        """Return the remaining lifetime of an access token; None if it's unknown."""
        rows = self._store.rows("SELECT expires_at FROM tokens WHERE token = ? AND kind = 'access'", token)
        return float(rows[0][0]) - self._clock() if rows else None

    def has_grant(self, platform: str, identifier: str, client_id: str) -> bool:
        """Whether an account has allowed a client before and not revoked it."""
        rows = self._store.rows(
            "SELECT 1 FROM grants WHERE platform = ? AND identifier = ? AND client_id = ? AND NOT revoked",
            platform,
            identifier,
            client_id,
        )
        return bool(rows)

    def account_with_page(self, platform: str, page: str) -> Identity | None:
        """Return the owner of a Page, if a client ever got its token."""
        rows = self._store.rows(
            "SELECT account FROM grants JOIN tokens ON grant_id = grants.id"
            " WHERE platform = ? AND subject = ? LIMIT 1",
            platform,
            page,
        )
        return Identity.of(platform, rows[0][0]) if rows else None

    def revoke_token(self, platform: str, token: str) -> None:
        """Revoke the grant of a token."""
        with self._store.transaction() as db:
            db.execute(
                "UPDATE grants SET revoked = 1 WHERE platform = ?"
                " AND id = (SELECT grant_id FROM tokens WHERE token = ?)",
                (platform, token),
            )

    def revoke_account(self, platform: str, identifier: str | None) -> None:
        """Revoke the grants of an account or with a Page (None: all), until a new consent."""
        with self._store.transaction() as db:
            db.execute(
                "UPDATE grants SET revoked = 1 WHERE platform = ?1 AND (?2 IS NULL OR identifier = ?2"
                " OR id IN (SELECT grant_id FROM tokens WHERE subject = ?2))",
                (platform, identifier),
            )

    def expire(self, rules: TokenRules, platform: str, identifier: str | None) -> bool:
        """Expire an account's access tokens; False without any, or if all are brand new."""
        now = self._clock()
        with self._store.transaction() as db:
            ended = db.execute(
                "UPDATE tokens SET expires_at = ?1 WHERE kind = 'access' AND subject = ''"
                " AND expires_at > ?1 AND expires_at < ?2 AND grant_id IN"
                " (SELECT id FROM grants WHERE platform = ?3 AND identifier = ?4)",
                (now, now + rules.access_s - _NEW_S, platform, identifier),
            )
        return ended.rowcount > 0

    def all_tokens(self) -> list[str]:
        """Return every access and refresh token ever issued, oldest first."""
        return [str(row[0]) for row in self._store.rows("SELECT token FROM tokens ORDER BY rowid")]

    def _fits(
        self, rules: TokenRules, row: sqlite3.Row, client_id: str, redirect_uri: str, verifier: str
    ) -> bool:
        same = (row["client_id"], row["redirect_uri"]) == (client_id, redirect_uri)
        return same and row["expires_at"] > self._clock() and _proves(rules, row["challenge"], verifier)

    def _issue(
        self,
        db: sqlite3.Connection,
        rules: TokenRules,
        grant_id: int,
        scope: frozenset[str],
        kept: tuple[str, float] | None,
    ) -> Issued:
        """Issue an access token with the kept refresh token, or a new one if the scope allows it."""
        now = self._clock()
        access = self._add(db, rules, grant_id, "access", now + rules.access_s)
        if kept is None and rules.refresh_s is not None and rules.refresh_scope in {None, *scope}:
            expires_at = now + rules.refresh_s
            kept = (self._add(db, rules, grant_id, "refresh", expires_at), expires_at)
        if kept is None:
            return Issued(access, rules.access_s, None, None, scope)
        return Issued(access, rules.access_s, kept[0], int(kept[1] - now), scope)

    def _add(
        self,
        db: sqlite3.Connection,
        rules: TokenRules,
        grant_id: int,
        kind: str,
        expires_at: float,
        subject: str = "",
    ) -> str:
        token = secrets.token_urlsafe(rules.bytes_of_token)
        db.execute(
            "INSERT INTO tokens (token, grant_id, kind, subject, expires_at) VALUES (?, ?, ?, ?, ?)",
            (token, grant_id, kind, subject, expires_at),
        )
        return token


def _joined(scope: frozenset[str]) -> str:
    return " ".join(sorted(scope))


def _split(scope: str) -> frozenset[str]:
    return frozenset(scope.split())


def _proves(rules: TokenRules, challenge: str, verifier: str) -> bool:
    """Whether the verifier matches an S256 challenge (RFC 7636). True without a challenge."""
    if not challenge:
        return True
    digest = hashlib.sha256(verifier.encode()).digest()
    written = digest.hex() if rules.challenge == "hex" else _base64url(digest)
    return hmac.compare_digest(written.encode(), challenge.encode())


def _base64url(digest: bytes) -> str:
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
