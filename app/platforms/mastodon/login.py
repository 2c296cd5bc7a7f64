"""Connecting an account: finding its server, registering an app there, and OAuth 2 with PKCE."""

from typing import Annotated, Final
from urllib.parse import urlencode

from pydantic import BaseModel, Field

from app.contract.places import PlaceLimits
from app.platforms.base import AppCredentials, FailureKind, PlatformError, Profile, TokenGrant
from app.platforms.http import Answer, Call
from app.platforms.mastodon.calls import Servers
from app.platforms.mastodon.instance import Instance
from app.platforms.mastodon.servers import Access, grant, host_of, read_server
from app.platforms.mastodon.statuses import CLIENT_NAME, Id, content_id
from app.platforms.oauth import Token, consent_url
from app.platforms.rest import web_address

_TOO_MANY: Final = 429
_BROKEN: Final = 500


class _App(BaseModel):
    client_id: Token
    client_secret: Token


class _Link(BaseModel):
    rel: str = ""
    href: str = ""


class _Finger(BaseModel):
    links: list[_Link] = []


class _Account(BaseModel):
    id: Id
    username: Annotated[str, Field(min_length=1, max_length=200)]
    display_name: str | None = None
    avatar: str | None = None
    followers: Annotated[int | None, Field(alias="followers_count")] = None


class MastodonLogin:
    """The part of the adapter that gets access to accounts."""

    _servers: Servers

    async def server_of(self, written: str) -> str:
        """Return the origin of the server that a user names, alone or in the address of an account.

        Addresses may have another domain than their server, which then says where it is (WebFinger).
        Raises PlatformError (INVALID) if it isn't a server with this API.
        """
        server, account = read_server(written)
        found = await self._answering(server)
        if found is None and account is not None and (home := await self._home_of(account, server)):
            found = await self._answering(home)
        if found is None:
            message = f"{host_of(server)} isn't a Mastodon server, and doesn't have the same API."
            raise PlatformError(FailureKind.INVALID, "not_mastodon", message)
        return found

    async def register(self, server: str, redirect_uri: str) -> AppCredentials:
        """Register Kalends with a server."""
        scopes = (await self._servers.instance(server)).scopes
        form = {"client_name": CLIENT_NAME, "redirect_uris": redirect_uri, "scopes": scopes}
        call = Call(method="POST", url=self._servers.rest(server).address("apps"), form=form)
        app = await self._servers.rest(server).fetch(call, _App)
        return AppCredentials(app.client_id, app.client_secret, tuple(scopes.split()), server)

    async def knows(self, app: AppCredentials) -> bool:
        """Whether the server issues a token to the app itself, which gives access to no account."""
        form = {"grant_type": "client_credentials", "scope": "read"}
        try:
            await self._servers.tokens(app.server).ask(app, form)
        except PlatformError as error:
            return error.code != "invalid_client"
        return True

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        """Return the URL of the server's consent page."""
        return consent_url(
            self._servers.address(credentials.server, "oauth/authorize"),
            response_type="code",
            client_id=credentials.client_id,
            redirect_uri=redirect_uri,
            scope=" ".join(credentials.more_scopes),
            state=state,
            code_challenge=code_challenge,
            code_challenge_method="S256",
        )

    async def exchange_code(
        self, credentials: AppCredentials, *, redirect_uri: str, code: str, code_verifier: str
    ) -> TokenGrant:
        """Exchange the code for a token, which most servers accept until it's revoked."""
        keeps_keys = await self._keeps_keys(credentials.server)
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": code_verifier,
        }
        endpoint = self._servers.tokens(credentials.server)
        issued = await endpoint.ask(credentials, form, code, code_verifier)
        return grant(credentials, issued, keeps_keys=keeps_keys)

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        """Return new tokens, from servers whose tokens expire, such as Pixelfed's after a year."""
        del credentials  # every server has its own
        access = Access.read(refresh_token)
        form = {"grant_type": "refresh_token", "refresh_token": access.token}
        issued = await self._servers.tokens(access.server).ask(access.app, form, access.token)
        return grant(access.app, issued, keeps_keys=access.keeps_keys)

    async def sign_out(self, grant: TokenGrant) -> None:
        """Revoke the token."""
        access = Access.read(grant.access_token)
        form = {
            "client_id": access.client_id,
            "client_secret": access.client_secret,
            "token": access.token,
        }
        call = Call(
            method="POST",
            url=self._servers.address(access.server, "oauth/revoke"),
            form=form,
            secrets=(access.client_secret, access.token),
        )
        await self._servers.rest(access.server).ask(call)

    async def profiles(self, access_token: str) -> list[Profile]:
        """Return the account of the token. Its ID and its handle name its server."""
        access = Access.read(access_token)
        rest = self._servers.rest(access.server)
        account = await rest.get("accounts/verify_credentials", access.token, _Account)
        return [
            Profile(
                account_identifier=content_id(account.id, access.server),
                display_name=account.display_name or account.username,
                username=f"{account.username}@{host_of(access.server)}",
                avatar_url=web_address(account.avatar),
                follower_count=account.followers,
            )
        ]

    async def limits(self, access_token: str) -> PlaceLimits:
        """Return the limits of the account's server."""
        instance = await self._servers.instance(Access.read(access_token).server)
        return instance.limits(self._servers.clock())

    async def _answering(self, server: str) -> str | None:
        """Return the server, or the one it redirects to; None if it has another API."""
        found, answer = await self._servers.follow(server, "api/v1/instance")
        self._require_answer(answer)
        return found if answer.is_success and answer.read(Instance) is not None else None

    async def _home_of(self, account: str, server: str) -> str | None:
        """Return the server of an account with an address in another domain."""
        query = urlencode({"resource": f"acct:{account}@{host_of(server)}"})
        _, answer = await self._servers.follow(server, f".well-known/webfinger?{query}")
        finger = answer.read(_Finger) if answer.is_success else None
        homes = [link.href for link in finger.links if link.rel == "self"] if finger else []
        return read_server(homes[0])[0] if homes else None

    async def _keeps_keys(self, server: str) -> bool:
        try:
            return (await self._servers.instance(server)).keeps_keys
        except PlatformError:
            return False

    def _require_answer(self, answer: Answer) -> None:
        """Raise PlatformError if a server has a problem, which says nothing about its API."""
        if answer.status == _TOO_MANY or answer.status >= _BROKEN:
            raise self._servers.refused(answer)
