"""Toy: texts, by OAuth 2 and two paths."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Annotated, Final

from pydantic import AwareDatetime, BaseModel, Field

from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.platforms.base import (
    AppCredentials,
    Clock,
    ContentMetrics,
    LookBack,
    PlatformError,
    Profile,
    Publication,
    Published,
)
from app.platforms.card import Hosts
from app.platforms.http import Answer, PlatformHttp
from app.platforms.oauth import CodeLogin, TokenEndpoint, consent_url
from app.platforms.publication import KEPT, judge, require_publishable, same_text
from app.platforms.rest import RestApi, kind_of, retry_after

_Id = Annotated[str, Field(pattern=r"^\d{1,25}$")]


class _User(BaseModel):
    id: _Id
    handle: str


class _Note(BaseModel):
    id: _Id
    text: str
    created_at: AwareDatetime


class _Notes(BaseModel):
    notes: list[_Note]


class Toy(CodeLogin):
    """The adapter for Toy."""

    platform: Final = ConnectionPlatform("toy")
    scopes: Final = ("notes",)
    repeat_window: Final = None
    keeps: Final = KEPT

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        self._hosts = hosts
        self._tokens = TokenEndpoint(http, f"{hosts.issuer}/{hosts.version}/token", clock)
        self._rest = RestApi(http, f"{hosts.api}/{hosts.version}", _refused)

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        return consent_url(
            f"{self._hosts.consent}/authorize",
            response_type="code",
            client_id=credentials.client_id,
            redirect_uri=redirect_uri,
            scope=" ".join(self.scopes),
            state=state,
            code_challenge=code_challenge,
            code_challenge_method="S256",
        )

    async def profiles(self, access_token: str) -> list[Profile]:
        user = await self._rest.get("me", access_token, _User)
        return [Profile(account_identifier=user.id, display_name=user.handle, username=user.handle)]

    async def prepare(self, publication: Publication) -> None:
        require_publishable(PostingPlatform("toy"), publication.post_type)

    async def publish(self, publication: Publication) -> Published:
        await self.prepare(publication)
        token, departure = publication.access_token, publication.departure
        note = await self._rest.post(
            "notes", token, _Note, json={"text": publication.text}, creating=departure
        )
        return self._published(note)

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        first = self._rest.http.their_clock.since(since)
        notes = (await self._rest.get("notes", publication.access_token, _Notes)).notes
        found = (
            (self._published(note), note.created_at >= first and same_text(note.text, publication.text))
            for note in notes
            if note.id not in known
        )
        return judge(found, read_all=True)

    def counted_at_once(self, account_identifier: str) -> int:
        del account_identifier
        return 1

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        del access_token, account_identifier, content_ids
        return []

    def _published(self, note: _Note) -> Published:
        return Published(note.id, f"{self._hosts.seen_at}/notes/{note.id}")


def _refused(answer: Answer) -> PlatformError:
    message = f"Toy answered {answer.status}."
    return PlatformError(kind_of(answer), f"http_{answer.status}", message, retry_after=retry_after(answer))
