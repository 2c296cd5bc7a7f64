"""Servers that users name, and access to them."""

import re
from typing import Annotated, Final
from urllib.parse import urlsplit

import idna
from pydantic import BaseModel, Field, ValidationError

from app.platforms.base import AppCredentials, FailureKind, PlatformError, TokenGrant
from app.platforms.oauth import Token

_UNSEEN: Final = re.compile(r"[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")
"""Characters that are copied along with addresses."""
_NAME: Final = re.compile(
    r"(?=.{4,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]"
)
_THIS_COMPUTER: Final = frozenset({"127.0.0.1", "localhost"})
_ORIGIN: Final = r"^https?://[a-z0-9.:-]{1,260}$"
_NOT_A_SERVER: Final = "Enter the name of a server such as mastodon.social, or your full address there."


class Access(BaseModel):
    """A token, where it's valid, and the app it was issued to.

    Adapters are given one text to get access with. On a network of many servers, it has to say which one:
    a token must never be sent to another.

    Attributes:
        keeps_keys: Whether the server recognizes a repeated post by its ``Idempotency-Key``.
    """

    server: Annotated[str, Field(pattern=_ORIGIN)]
    token: Token
    client_id: Token
    client_secret: Token
    keeps_keys: bool = False

    @classmethod
    def read(cls, access_token: str) -> "Access":
        """Parse what ``grant`` returned. Raises PlatformError (AUTH_EXPIRED) for anything else."""
        try:
            return cls.model_validate_json(access_token)
        except ValidationError:
            message = "The stored access can't be read. Connect the account again."
            raise PlatformError(FailureKind.AUTH_EXPIRED, "unreadable_access", message) from None

    @property
    def app(self) -> AppCredentials:
        """The app that the token was issued to."""
        return AppCredentials(self.client_id, self.client_secret, server=self.server)


def grant(app: AppCredentials, issued: TokenGrant, *, keeps_keys: bool) -> TokenGrant:
    """Return tokens issued by one server in the form of ``Access``."""

    def sealed(token: str) -> str:
        access = Access(
            server=app.server,
            token=token,
            client_id=app.client_id,
            client_secret=app.client_secret or "",
            keeps_keys=keeps_keys,
        )
        return access.model_dump_json()

    refresh = None if issued.refresh_token is None else sealed(issued.refresh_token)
    return TokenGrant(sealed(issued.access_token), refresh, issued.expires_at)


def read_server(written: str) -> tuple[str, str | None]:
    """Return the origin and the account in what a user entered: a server, an address of an account or a URL.

    Servers are called with TLS, except on this computer. Raises PlatformError (INVALID).
    """
    plain = _UNSEEN.sub("", written).rstrip("/")
    scheme, separator, rest = plain.rpartition("://")
    if scheme.lower() not in {"", "http", "https"} or (separator and not scheme):
        raise _no_server()
    rest = re.split(r"[/?#]", rest)[0] if separator or not rest.startswith("@") else rest
    account, _, host = rest.removeprefix("@").rpartition("@")
    return _origin(host.split("/")[0], is_plain=scheme.lower() == "http"), account or None


def host_of(server: str) -> str:
    """Return the name that people know a server by, with a port if it has one."""
    return urlsplit(server).netloc


def _origin(host: str, *, is_plain: bool) -> str:
    try:
        parts = urlsplit(f"//{host}")
        name, port = parts.hostname or "", parts.port
    except ValueError:
        raise _no_server() from None
    if name in _THIS_COMPUTER:
        return f"{'http' if is_plain else 'https'}://{name}{'' if port is None else f':{port}'}"
    try:
        name = name if name.isascii() else idna.encode(name, uts46=True).decode()
    except idna.IDNAError:
        raise _no_server() from None
    name = name.lower().removesuffix(".")
    if not _NAME.fullmatch(name) or parts.username is not None:
        raise _no_server()
    return f"https://{name}{'' if port in {None, 443} else f':{port}'}"


def _no_server() -> PlatformError:
    return PlatformError(FailureKind.INVALID, "not_a_server", _NOT_A_SERVER)
