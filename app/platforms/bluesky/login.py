"""Connecting an account: in the browser (OAuth 2 with PAR, PKCE and DPoP), or with an app password.

Kalends is a public client on the user's computer. Such clients aren't registered: their ID says everything
about them (atproto.com/specs/oauth, "Localhost client development"). Their sessions end after two weeks.
"""

import base64
import binascii
import hashlib
import re
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final
from urllib.parse import quote, urlencode, urlsplit

from pydantic import BaseModel, Field, ValidationError

from app.platforms.adapters import PushedRequest, SignInFault
from app.platforms.base import AppCredentials, Clock, FailureKind, PlatformError, Profile, TokenGrant
from app.platforms.bluesky.access import Access, Consented
from app.platforms.bluesky.calls import PdsApi
from app.platforms.bluesky.discovery import Did, Directory, Issuer, full_handle
from app.platforms.bluesky.proofs import Key, Proofs
from app.platforms.bluesky.refusals import refused
from app.platforms.card import Hosts
from app.platforms.http import Answer, Call, PlatformHttp, bearer
from app.platforms.oauth import Token, consent_url, read_grant
from app.platforms.rest import RestApi, unexpected, web_address

_SCOPE: Final = "atproto transition:generic"
_SESSION: Final = timedelta(days=14)
"""How long servers let a public client renew its tokens: the same specification, "Tokens"."""
_APP_PASSWORD: Final = re.compile(r"[a-z0-9]{4}(?:-[a-z0-9]{4}){3}")
"""Any other password would open the whole account, so it isn't sent."""
_THIS_COMPUTER: Final = frozenset({"127.0.0.1", "::1"})


class _Session(BaseModel):
    access: Annotated[Token, Field(alias="accessJwt")]
    refresh: Annotated[Token, Field(alias="refreshJwt")]


class _Expiry(BaseModel):
    exp: Annotated[int, Field(ge=0, le=10**11)]


class _Pushed(BaseModel):
    request_uri: Annotated[str, Field(max_length=2_000)]


class _Secret(BaseModel):
    """What is kept of a request for consent until the browser returns."""

    verifier: str
    key: Key


class _Subject(BaseModel):
    sub: Did


class _Account(BaseModel):
    did: Did
    handle: str


class _Verification(BaseModel):
    status: Annotated[str, Field(alias="verifiedStatus")] = ""


class _Profile(BaseModel):
    name: Annotated[str | None, Field(alias="displayName")] = None
    avatar: str | None = None
    followers: Annotated[int | None, Field(alias="followersCount")] = None
    verification: _Verification | None = None


class BlueskyLogin:
    """The part of the adapter that gets access to accounts."""

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        self._http = http
        self._hosts = hosts
        self._clock = clock
        self._proofs = Proofs(http, clock)
        self._directory = Directory(http, hosts, RestApi(http, f"{hosts.api}/xrpc", self._refused))

    async def push(self, handle: str, *, redirect_uri: str, state: str) -> PushedRequest:
        """Send the request for consent to the server that issues the account's tokens."""
        if urlsplit(redirect_uri).hostname not in _THIS_COMPUTER:
            message = "Bluesky returns only to a service on this computer. Use an app password."
            raise PlatformError(FailureKind.INVALID, "not_local", message)
        identifier = full_handle(handle)
        did = await self._directory.did_of(identifier)
        issuer = await self._directory.issuer_of(await self._directory.pds_of(did))
        secret = _Secret(verifier=secrets.token_urlsafe(48), key=Key.create())
        client_id = _client_id(redirect_uri)
        form = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": redirect_uri,
            "scope": _SCOPE,
            "state": state,
            "code_challenge": _challenge(secret.verifier),
            "code_challenge_method": "S256",
            "login_hint": identifier,
        }
        call = Call(method="POST", url=issuer.pushed_authorization_request_endpoint, form=form)
        answer = await self._proofs.send(call, secret.key)
        if not answer.is_success:
            read_grant(answer, self._http.name, self._clock())  # raises what the refusal means
        pushed = answer.read(_Pushed)
        if pushed is None:
            raise unexpected(answer, self._http.name)
        page = issuer.authorization_endpoint
        url = consent_url(page, client_id=client_id, request_uri=pushed.request_uri)
        return PushedRequest(url, issuer.issuer, secret.model_dump_json())

    async def redeem(
        self, server: str, secret: str, *, redirect_uri: str, answer: Mapping[str, str]
    ) -> TokenGrant:
        """Exchange the code that the browser returned with, for the account that the user chose."""
        if answer.get("iss") != server:  # RFC 9207
            raise PlatformError(FailureKind.INVALID, "issuer", "The response is from another server.")
        kept = _Secret.model_validate_json(secret)
        issuer = await self._directory.issuer(server)
        consented = Consented(
            issuer=server,
            client_id=_client_id(redirect_uri),
            key=kept.key,
            ends_at=self._clock() + _SESSION,
        )
        form = {
            "grant_type": "authorization_code",
            "code": answer.get("code", ""),
            "redirect_uri": redirect_uri,
            "code_verifier": kept.verifier,
        }
        issued = await self._tokens(issuer, consented, form, form["code"], kept.verifier)
        subject = issued.read(_Subject)
        if subject is None:
            raise unexpected(issued, self._http.name)
        pds = await self._directory.pds_of(subject.sub)
        if (await self._directory.issuer_of(pds)).issuer != server:
            message = "The server isn't responsible for this account."
            raise PlatformError(FailureKind.INVALID, "issuer", message)
        return self._grant(issued, pds, consented, subject.sub)

    async def sign_in(self, handle: str, app_password: str) -> TokenGrant:
        """Return the tokens of a new session. The password is used once and not stored."""
        password, identifier = app_password.strip(), full_handle(handle)
        if not _APP_PASSWORD.fullmatch(password):
            raise _not_an_app_password()
        did = await self._directory.did_of(identifier)
        server = await self._directory.sign_in_server(did)
        call = Call(
            method="POST",
            url=f"{server}/xrpc/com.atproto.server.createSession",
            json={"identifier": identifier, "password": password},
            secrets=(password,),
        )
        try:
            return await self._session(call, server, did)
        except PlatformError as error:
            if error.code == "AuthFactorTokenRequired":  # Bluesky asks for a code by email
                raise _not_an_app_password() from None
            if error.kind is not FailureKind.AUTH_EXPIRED:
                raise
        message = "Bluesky doesn't accept this app password for this handle."
        raise PlatformError(FailureKind.INVALID, SignInFault.REFUSED, message)

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        """Return new tokens. The former refresh token soon stops working."""
        del credentials
        access = Access.read(refresh_token, self._hosts.api)
        if access.consented is None:
            call = Call(
                method="POST",
                url=f"{access.pds}/xrpc/com.atproto.server.refreshSession",
                headers=bearer(access.token),
                secrets=(access.token,),
            )
            return await self._session(call, access.pds, access.did)
        issuer = await self._directory.issuer(access.consented.issuer)
        form = {"grant_type": "refresh_token", "refresh_token": access.token}
        issued = await self._tokens(issuer, access.consented, form, access.token)
        return self._grant(issued, access.pds, access.consented, access.did)

    async def sign_out(self, grant: TokenGrant) -> None:
        """End the session. It's identified by the refresh token."""
        if grant.refresh_token is None:
            return
        access = Access.read(grant.refresh_token, self._hosts.api)
        try:
            if access.consented is None:
                await self._api_of(access).end("com.atproto.server.deleteSession")
            else:
                await self._revoke(access.token, access.consented)
        except PlatformError as error:
            if error.kind is not FailureKind.AUTH_EXPIRED:
                raise

    async def profiles(self, access_token: str) -> list[Profile]:
        """Return the account of the token. Raises PlatformError if the server names another."""
        access = Access.read(access_token, self._hosts.api)
        api = self._api_of(access)
        account = await api.get("com.atproto.server.getSession", _Account)
        if access.did not in {None, account.did}:
            message = "The account's server named another account."
            raise PlatformError(FailureKind.INVALID, "other_account", message)
        profile = await self._profile(api, account.did)
        verification = profile.verification
        return [
            Profile(
                account_identifier=account.did,
                display_name=profile.name or account.handle,
                username=account.handle,
                avatar_url=web_address(profile.avatar),
                is_verified=None if verification is None else verification.status == "valid",
                follower_count=profile.followers,
            )
        ]

    def _api(self, access_token: str) -> PdsApi:
        """Return the API of the server that a token is for."""
        return self._api_of(Access.read(access_token, self._hosts.api))

    def _api_of(self, access: Access) -> PdsApi:
        return PdsApi(self._http, self._proofs, access, self._refused)

    def _refused(self, answer: Answer) -> PlatformError:
        return refused(answer, self._clock())

    async def _tokens(
        self, issuer: Issuer, consented: Consented, form: Mapping[str, str], *hidden: str
    ) -> Answer:
        """Return the response of the token endpoint, whatever it is."""
        call = Call(
            method="POST",
            url=issuer.token_endpoint,
            form={**form, "client_id": consented.client_id},
            secrets=hidden,
        )
        answer = await self._proofs.send(call, consented.key)
        read_grant(answer, self._http.name, self._clock())
        return answer

    def _grant(self, issued: Answer, pds: str, consented: Consented, did: str | None) -> TokenGrant:
        """Return the tokens of a response in the form of ``Access``."""
        plain = read_grant(issued, self._http.name, self._clock())

        def bound(token: str) -> str:
            return Access(pds=pds, token=token, consented=consented, did=did).text(self._hosts.api)

        renewal = None if plain.refresh_token is None else bound(plain.refresh_token)
        return TokenGrant(bound(plain.access_token), renewal, plain.expires_at, consented.ends_at)

    async def _revoke(self, token: str, consented: Consented) -> None:
        issuer = await self._directory.issuer(consented.issuer)
        if issuer.revocation_endpoint is None:
            return
        form = {"token": token, "client_id": consented.client_id}
        call = Call(method="POST", url=issuer.revocation_endpoint, form=form, secrets=(token,))
        answer = await self._proofs.send(call, consented.key)
        if not answer.is_success:
            raise self._refused(answer)

    async def _session(self, call: Call, server: str, did: str | None) -> TokenGrant:
        answer = await self._http.send(call)
        if not answer.is_success:
            raise self._refused(answer)
        session = answer.read(_Session)
        if session is None:
            raise unexpected(answer, self._http.name)
        access, renewal = (
            Access(pds=server, token=token, did=did).text(self._hosts.api)
            for token in (session.access, session.refresh)
        )
        return TokenGrant(access, renewal, _expiry(session.access))

    async def _profile(self, api: PdsApi, did: str) -> _Profile:
        """Return the public profile. It comes from another server than the posts, which may be down."""
        try:
            return await api.get("app.bsky.actor.getProfile", _Profile, {"actor": did})
        except PlatformError as error:
            if error.kind is FailureKind.AUTH_EXPIRED:
                raise
            return _Profile()


def _client_id(redirect_uri: str) -> str:
    query = urlencode({"redirect_uri": redirect_uri, "scope": _SCOPE}, quote_via=quote)
    return f"http://localhost?{query}"


def _challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _not_an_app_password() -> PlatformError:
    message = "This isn't an app password. Create one in Bluesky's settings."
    return PlatformError(FailureKind.INVALID, SignInFault.FORM, message)


def _expiry(token: str) -> datetime | None:
    """Return when an access token expires, if it says so; aware, in UTC."""
    try:
        middle = token.split(".")[1]
        content = base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4))
        return datetime.fromtimestamp(_Expiry.model_validate_json(content).exp, UTC)
    except (IndexError, binascii.Error, ValidationError, OverflowError, OSError, ValueError):
        return None
