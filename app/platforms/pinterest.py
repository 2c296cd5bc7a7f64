"""Pinterest: accounts and their boards, over API v5."""

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import BaseModel, Field

from app.contract.enums import ConnectionPlatform
from app.platforms.base import (
    AppCredentials,
    Board,
    BoardPage,
    Clock,
    FailureKind,
    PlatformError,
    Profile,
    TokenGrant,
)
from app.platforms.connect_only import ConnectOnly
from app.platforms.hosts import Hosts
from app.platforms.http import Answer, Call, PlatformHttp, bearer
from app.platforms.oauth import basic, consent_url, read_grant, required_secret
from app.platforms.refusals import kind_of, retry_after, unexpected
from app.platforms.web import web_address

_Id = Annotated[str, Field(pattern=r"^\d{1,25}$")]


class _Account(BaseModel):
    id: _Id
    username: str | None = None
    business_name: str | None = None
    profile_image: str | None = None
    follower_count: int | None = None


class _Board(BaseModel):
    id: _Id
    name: str
    description: str | None = None
    privacy: str | None = None
    pin_count: int | None = None


class _Boards(BaseModel):
    items: list[_Board]
    bookmark: str | None = None


class _Refusal(BaseModel):
    code: int | None = None
    message: str | None = None


class Pinterest(ConnectOnly):
    """The adapter for Pinterest."""

    platform: Final = ConnectionPlatform.PINTEREST
    scopes: Final = ("user_accounts:read", "boards:read", "boards:write", "pins:read", "pins:write")

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        self._http = http
        self._hosts = hosts
        self._clock = clock

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        """Where a browser asks for consent. Pinterest takes no code challenge."""
        del code_challenge
        return consent_url(
            f"{self._hosts.consent}/oauth/",
            client_id=credentials.client_id,
            redirect_uri=redirect_uri,
            response_type="code",
            scope=",".join(self.scopes),
            state=state,
        )

    async def exchange_code(
        self, credentials: AppCredentials, *, redirect_uri: str, code: str, code_verifier: str
    ) -> TokenGrant:
        del code_verifier
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            # Apps from before 2025-09-25 get a refresh token that can be renewed without end by this alone.
            "continuous_refresh": "true",
        }
        return await self._token(credentials, form, code)

    async def refresh(self, credentials: AppCredentials, refresh_token: str) -> TokenGrant:
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        return await self._token(credentials, form, refresh_token)

    async def profiles(self, access_token: str) -> list[Profile]:
        """The account of the token."""
        answer = await self._ask(self._call("GET", "user_account", access_token))
        account = answer.read(_Account)
        if account is None:
            raise unexpected(answer, self._http.name)
        profile = Profile(
            account_identifier=account.id,
            display_name=account.business_name or account.username,
            username=account.username,
            avatar_url=web_address(account.profile_image),
            follower_count=account.follower_count,
        )
        return [profile]

    async def boards(self, access_token: str, *, page_size: int, bookmark: str | None) -> BoardPage:
        """One page of the account's own boards and of those that it shares."""
        params = {"page_size": str(page_size)} | ({"bookmark": bookmark} if bookmark else {})
        answer = await self._ask(self._call("GET", "boards", access_token, params=params))
        page = answer.read(_Boards)
        if page is None:
            raise unexpected(answer, self._http.name)
        boards = [
            Board(board.id, board.name, board.description or None, board.privacy, board.pin_count)
            for board in page.items
        ]
        return BoardPage(boards, page.bookmark or None)

    async def _token(self, credentials: AppCredentials, form: Mapping[str, str], grant: str) -> TokenGrant:
        secret = required_secret(credentials, self._http.name)
        client = basic(credentials.client_id, secret)
        call = Call(
            method="POST",
            url=f"{self._hosts.issuer}/{self._hosts.version}/oauth/token",
            headers={"Authorization": client},
            form=form,
            secrets=(grant, secret, client.removeprefix("Basic ")),
        )
        answer = await self._http.send(call)
        refusal = None if answer.is_success else answer.read(_Refusal)
        if refusal is not None and refusal.message is not None:
            raise _refused_token(answer)
        return read_grant(answer, self._http.name, self._clock())

    def _call(self, method: str, path: str, token: str, *, params: Mapping[str, str] | None = None) -> Call:
        return Call(
            method=method,
            url=f"{self._hosts.api}/{self._hosts.version}/{path}",
            params=params or {},
            headers=bearer(token),
            secrets=(token,),
        )

    async def _ask(self, call: Call) -> Answer:
        answer = await self._http.send(call)
        if not answer.is_success:
            raise _refused(answer)
        return answer


def _refused(answer: Answer) -> PlatformError:
    refusal = answer.read(_Refusal) or _Refusal()
    message = refusal.message or f"Pinterest answered {answer.status}."
    code = f"http_{answer.status}" if refusal.code is None else str(refusal.code)
    return PlatformError(
        kind_of(answer), answer.words(code), answer.words(message), retry_after=retry_after(answer)
    )


def _refused_token(answer: Answer) -> PlatformError:
    """A refusal of the token endpoint in the words of the API: 401 means that the app is not known."""
    error = _refused(answer)
    if answer.status == 401:
        error.kind = FailureKind.PERMISSION
    elif error.kind is FailureKind.INVALID:
        error.kind = FailureKind.AUTH_EXPIRED
    return error
