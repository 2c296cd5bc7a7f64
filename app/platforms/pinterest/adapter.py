"""Pinterest: boards and pins, over API v5."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import ClassVar, Final
from urllib.parse import quote

from pydantic import BaseModel

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.platforms.base import (
    AppCredentials,
    Board,
    BoardPage,
    Cause,
    Clock,
    ContentMetrics,
    FailureKind,
    LookBack,
    LookBackOutcome,
    PlatformError,
    Profile,
    Publication,
    Published,
    TokenGrant,
)
from app.platforms.card import Hosts
from app.platforms.http import Answer, PlatformHttp
from app.platforms.likeness import compare
from app.platforms.oauth import CodeLogin, TokenEndpoint, by_header, consent_url, read_grant
from app.platforms.pinterest.rest import PinterestId, PinterestRest, PinterestVideos, Refusal, refused
from app.platforms.publication import (
    KEPT,
    alt_text_of,
    cover_of,
    file_of,
    judge,
    require_publishable,
    same_text,
)
from app.platforms.rest import in_json, web_address

_ID: Final = re.compile(r"\d{1,25}", re.ASCII)
_PINS: Final = 250
_MOST_PAGES: Final = 10
# Pinterest's names for views, likes, comments and shares.
_COUNTED: Final = ("IMPRESSION", "TOTAL_REACTIONS", "TOTAL_COMMENTS", "SAVE")
_COUNTED_BACK: Final = timedelta(days=89)


class _Account(BaseModel):
    id: PinterestId
    username: str | None = None
    business_name: str | None = None
    profile_image: str | None = None
    follower_count: int | None = None


class _Board(BaseModel):
    id: PinterestId
    name: str
    description: str | None = None
    privacy: str | None = None
    pin_count: int | None = None


class _Boards(BaseModel):
    items: list[_Board]
    bookmark: str | None = None


class _Created(BaseModel):
    id: PinterestId


class _Pin(BaseModel):
    id: PinterestId
    title: str | None = None
    description: str | None = None
    link: str | None = None
    created_at: datetime | None = None
    is_owner: bool | None = None
    parent_pin_id: str | None = None

    def is_of(self, publication: Publication, first: datetime) -> bool | None:
        """Whether this is the publication, sent at ``first`` or later; None if it can't be told.

        Pins of others and pins saved from other pins aren't. Texts prove nothing against it, since Pinterest
        doesn't show whether its author has edited a pin. Absent texts of a pin are null, not missing.
        """
        is_older = self.time is not None and self.time < first
        if is_older or self.is_owner is False or self.parent_pin_id:
            return False
        has_time = None if self.time is None else True
        title = self._shows("title", self.title, publication.title)
        text = self._shows("description", self.description, publication.text)
        return compare(title, text, has_time, is_edited=None)

    @property
    def time(self) -> datetime | None:
        at = self.created_at
        return at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at

    def _shows(self, name: str, shown: str | None, wanted: str | None) -> bool | None:
        return same_text(shown or "", wanted or "") if name in self.model_fields_set else None


class _Pins(BaseModel):
    items: list[_Pin]
    bookmark: str | None = None

    @property
    def is_last(self) -> bool:
        """Whether this is the last page: it has a bookmark, which is empty."""
        return "bookmark" in self.model_fields_set and not self.bookmark


class _Totals(BaseModel):
    lifetime_metrics: dict[str, float | None] = {}
    summary_metrics: dict[str, float | None] = {}


class _Analytics(BaseModel):
    all: _Totals = _Totals()


class Pinterest(CodeLogin):
    """The adapter for Pinterest."""

    platform: Final = ConnectionPlatform.PINTEREST
    # Pinterest accepts any number of identical pins.
    repeat_window: Final = None
    keeps: Final = KEPT
    takes_verifier = False
    # Apps from before 2025-09-25 only get a renewable refresh token with this.
    exchange_fields: ClassVar = {"continuous_refresh": "true"}
    scopes: Final = ("user_accounts:read", "boards:read", "boards:write", "pins:read", "pins:write")

    def __init__(self, http: PlatformHttp, hosts: Hosts, clock: Clock) -> None:
        self._rest = PinterestRest(http, hosts)
        self._hosts = hosts
        self._clock = clock
        address = f"{hosts.issuer}/{hosts.version}/oauth/token"
        self._tokens = TokenEndpoint(http, address, clock, by_header, _read_grant)
        self._videos = PinterestVideos(self._rest, clock)

    def authorization_url(
        self, credentials: AppCredentials, *, redirect_uri: str, state: str, code_challenge: str
    ) -> str:
        """Return the URL of the consent page. Pinterest accepts no code challenge."""
        del code_challenge
        return consent_url(
            f"{self._hosts.consent}/oauth/",
            client_id=credentials.client_id,
            redirect_uri=redirect_uri,
            response_type="code",
            scope=",".join(self.scopes),
            state=state,
        )

    async def profiles(self, access_token: str) -> list[Profile]:
        """Return the account of the token."""
        account = await self._rest.get("user_account", access_token, _Account)
        profile = Profile(
            account_identifier=account.id,
            display_name=account.business_name or account.username,
            username=account.username,
            avatar_url=web_address(account.profile_image),
            follower_count=account.follower_count,
        )
        return [profile]

    async def boards(self, access_token: str, *, page_size: int, bookmark: str | None) -> BoardPage:
        """Return a page of the account's own boards and those shared with it."""
        params = {"page_size": str(page_size)} | ({"bookmark": bookmark} if bookmark else {})
        page = await self._rest.get("boards", access_token, _Boards, params)
        boards = [
            Board(board.id, board.name, board.description or None, board.privacy, board.pin_count)
            for board in page.items
        ]
        return BoardPage(boards, page.bookmark or None)

    async def prepare(self, publication: Publication) -> None:
        require_publishable(PostingPlatform.PINTEREST, publication.post_type)
        if publication.post_type is PostType.VIDEO:
            await self._videos.id_of(publication)

    async def publish(self, publication: Publication) -> Published:
        """Publish a pin: a picture as part of the call, a video uploaded before it."""
        require_publishable(PostingPlatform.PINTEREST, publication.post_type)
        media, token, departure = file_of(publication), publication.access_token, publication.departure
        if publication.post_type is PostType.VIDEO:
            media_id = await self._videos.id_of(publication)
            # Pinterest requires a cover, in whole seconds. Without a choice, the video's first frame.
            cover = (cover_of(PostingPlatform.PINTEREST, publication) or 0) // 1000
            source = {"source_type": "video_id", "media_id": media_id, "cover_image_key_frame_time": cover}
            pin = _pin(publication, source)
            created = await self._rest.post("pins", token, _Created, json=pin, creating=departure)
        else:
            kind = {"source_type": "image_base64", "content_type": media.content_type}
            body = in_json(lambda data: _pin(publication, {**kind, "data": data}), media)
            created = await self._rest.post("pins", token, _Created, body=body, creating=departure)
        return self._published(created.id)

    async def look_back(
        self, publication: Publication, *, since: datetime, known: Collection[str]
    ) -> LookBack:
        """Find a pin on the board by title and text, the oldest if there are several.

        If it isn't there, its author may have moved it: ABSENT also needs the account's pins on all boards.
        """
        first = self._rest.http.their_clock.since(since)

        def judged(listed: tuple[Sequence[_Pin], bool]) -> LookBack:
            pins, read_all = listed
            found = (
                (self._published(pin.id), pin.is_of(publication, first))
                for pin in sorted(pins, key=lambda pin: int(pin.id))
                if pin.id not in known
            )
            return judge(found, read_all=read_all)

        board = f"boards/{quote(publication.board_id or '', safe='')}/pins"
        on_board = judged(await self._pins(publication, board, first))
        if on_board.outcome is not LookBackOutcome.ABSENT:
            return on_board
        return judged(await self._pins(publication, "pins", first, include_protected_pins="true"))

    async def _pins(
        self, publication: Publication, path: str, first: datetime, **params: str
    ) -> tuple[list[_Pin], bool]:
        """Return the pins of a list, and whether these are all since ``first``."""
        pins: list[_Pin] = []
        params["page_size"] = str(_PINS)
        for _ in range(_MOST_PAGES):
            page = await self._rest.get(path, publication.access_token, _Pins, params)
            pins += page.items
            if not page.bookmark:
                return pins, page.is_last
            if _reaches_back(pins, first):
                return pins, True
            params["bookmark"] = page.bookmark
        return pins, False

    def _published(self, pin_id: str) -> Published:
        return Published(pin_id, f"{self._hosts.seen_at}/pin/{pin_id}/")

    def counted_at_once(self, account_identifier: str) -> int:
        del account_identifier
        return 1

    async def metrics(
        self, access_token: str, account_identifier: str, content_ids: Collection[str]
    ) -> Sequence[ContentMetrics]:
        """Return the metrics of each pin, omitting deleted ones."""
        del account_identifier
        today = self._clock().astimezone(UTC).date()
        params = {
            "start_date": (today - _COUNTED_BACK).isoformat(),
            "end_date": today.isoformat(),
            "metric_types": ",".join(_COUNTED),
        }
        found: list[ContentMetrics] = []
        for pin_id in filter(_ID.fullmatch, content_ids):
            try:
                counts = await self._rest.get(f"pins/{pin_id}/analytics", access_token, _Analytics, params)
            except PlatformError as error:
                if error.kind is not FailureKind.INVALID:
                    raise
            else:
                found.append(_metrics(pin_id, counts))
        return found


def _reaches_back(pins: Sequence[_Pin], first: datetime) -> bool:
    """Whether pins are a list's newest since ``first``. Pinterest promises no order, so it takes many."""
    times = [pin.time for pin in pins if pin.time is not None]
    in_order = len(times) == len(pins) >= _PINS and all(one >= other for one, other in pairwise(times))
    return in_order and times[-1] < first


def _pin(publication: Publication, source: Mapping[str, object]) -> dict[str, object]:
    pin: dict[str, object] = {"board_id": publication.board_id or "", "media_source": source}
    optional = {
        "title": publication.title,
        "description": publication.text,
        "link": publication.link,
        "alt_text": alt_text_of(PostingPlatform.PINTEREST, publication),
    }
    return pin | {name: value for name, value in optional.items() if value}


def _metrics(pin_id: str, analytics: _Analytics) -> ContentMetrics:
    counts = {**analytics.all.summary_metrics, **analytics.all.lifetime_metrics}
    views, likes, comments, shares = (_count(counts.get(name)) for name in _COUNTED)
    return ContentMetrics(content_id=pin_id, views=views, likes=likes, comments=comments, shares=shares)


def _count(value: float | None) -> int | None:
    return None if value is None else int(value)


def _read_grant(answer: Answer, name: str, now: datetime) -> TokenGrant:
    refusal = None if answer.is_success else answer.read(Refusal)
    if refusal is not None and refusal.message is not None:
        raise _refused_token(answer)
    return read_grant(answer, name, now)


def _refused_token(answer: Answer) -> PlatformError:
    """Convert a token endpoint's error in the API's format: 401 means that the app is unknown."""
    error = refused(answer)
    if answer.status == 401:
        error.kind, error.cause = FailureKind.PERMISSION, Cause.APP
    elif error.kind is FailureKind.INVALID:
        error.kind, error.cause = FailureKind.AUTH_EXPIRED, None
    return error
