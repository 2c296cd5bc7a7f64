"""Access to an account: its server, a token, and for tokens from a browser the key they're bound to."""

from typing import Annotated, Any, Final, Self

from pydantic import AwareDatetime, BaseModel, Field
from pydantic_core import from_json, to_json

from app.platforms.base import FailureKind, PlatformError
from app.platforms.bluesky.proofs import Key
from app.platforms.oauth import Token

_ADDRESS: Final = r"^https?://[a-z0-9._:/-]{1,260}$"


class Consented(BaseModel):
    """What belongs to a session that was allowed in the browser.

    Attributes:
        issuer: The server that issues and renews the tokens.
        client_id: The client that they were issued to.
        key: The private key that every call has to prove the possession of.
        ends_at: When the session ends, even if its tokens were renewed.
    """

    issuer: Annotated[str, Field(pattern=_ADDRESS)]
    client_id: str
    key: Key
    ends_at: AwareDatetime


class Access(BaseModel):
    """A token and the server it's for. Tokens must never be sent to another server.

    Attributes:
        pds: The server with the account's posts (personal data server).
        consented: None for a session that was opened with an app password.
        did: The account that it's for; None if it wasn't noted. The server could name any other.
    """

    pds: Annotated[str, Field(pattern=_ADDRESS)]
    token: Token
    consented: Consented | None = None
    did: str | None = None

    @classmethod
    def read(cls, access_token: str, usual: str) -> Self:
        """Parse an access token or refresh token. ``usual`` is the address of Bluesky's own server.

        Raises PlatformError (AUTH_EXPIRED).
        """
        try:
            if not access_token.startswith("{"):
                return cls(pds=usual, token=access_token)
            found: dict[str, Any] = from_json(access_token)
            found.setdefault("pds", usual)
            if "consented" in found:
                found["consented"].setdefault("issuer", usual)
            return cls.model_validate(found)
        except (ValueError, AttributeError):
            message = "The stored access can't be read. Connect the account again."
            raise PlatformError(FailureKind.AUTH_EXPIRED, "unreadable_access", message) from None

    def text(self, usual: str) -> str:
        """Return what ``read`` parses.

        Without the address of Bluesky's own server: that of its stand-in changes. App passwords there have
        plain tokens, as in all versions.
        """
        if self.pds == usual and self.consented is None:
            return self.token
        known = self.model_dump(mode="json", exclude_none=True)
        if self.pds == usual:
            del known["pds"]
        if self.consented is not None and self.consented.issuer == usual:
            del known["consented"]["issuer"]
        return to_json(known).decode()
