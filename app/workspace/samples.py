"""A sample week for an empty calendar. It's never sent: nothing here knows the service."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostStatus, PostType
from app.language import tr
from app.platforms.cards import CARDS
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes
from app.workspace.clock import from_millis
from app.workspace.core import Core
from app.workspace.drafts.drafts import KeptSoon
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.store.tables import get_setting, put_setting

_NAME: Final = "sample week"
_SHAPE: Final[TypeAdapter[dict[str, int]]] = TypeAdapter(dict[str, int])
_PREFIX: Final = "sample-"
_NO_DATE: Final = datetime(1970, 1, 1, tzinfo=UTC)


class _Sample(NamedTuple):
    """A post; ``day`` counts from tomorrow, which is 0."""

    platform: str
    kind: PostType
    day: int
    at: time
    text: str


_SAMPLES: Final = (
    _Sample("instagram", PostType.IMAGE, 0, time(12, 15), tr("Swatch day: which green would you wear?")),
    _Sample("x", PostType.TEXT, 0, time(17, 0), tr("Orders open on Friday at nine.")),
    _Sample("linkedin", PostType.TEXT, 1, time(9, 0), tr("What we learned from our first hundred orders")),
    _Sample("bluesky", PostType.TEXT, 2, time(8, 30), tr("A thread about mending, with pictures")),
    _Sample("youtube", PostType.VIDEO, 3, time(17, 0), tr("Studio tour in three minutes")),
    _Sample("instagram", PostType.IMAGE, 4, time(12, 15), tr("The long wool coat is back")),
    _Sample("linkedin", PostType.IMAGE, 5, time(9, 0), tr("Behind the scenes: how we dye wool")),
    _Sample("bluesky", PostType.TEXT, 6, time(10, 0), tr("Thank you for a lovely week")),
)


class SampleWeek:
    """Posts of a few made-up accounts, until the user removes them or connects the first account."""

    def __init__(self, core: Core, kept_soon: KeptSoon, has_accounts: Callable[[], bool]) -> None:
        self._core, self._kept_soon, self._has_accounts = core, kept_soon, has_accounts
        self._is_known = False
        self._posts, self._accounts = Timeline(), dict(_accounts())
        core.changes.add(self._changed)

    @property
    def posts(self) -> Timeline:
        return self._posts

    @property
    def accounts(self) -> Mapping[str, Account]:
        return self._accounts

    @property
    def is_shown(self) -> bool:
        """Whether any of its posts are left."""
        return bool(len(self.posts))

    async def load(self) -> None:
        """Show the posts left from an earlier run, unless there's an account by now. Raises Problem."""
        kept = await self._core.read(lambda rows: get_setting(rows, _NAME, _SHAPE))
        if self._is_known or not kept:
            return
        if self._has_accounts():
            self._keep({})
        else:
            self._put(kept)

    def show(self, zone: ZoneInfo) -> None:
        """Show the week that begins tomorrow in a time zone."""
        tomorrow = from_millis(self._core.clock()).astimezone(zone).date() + timedelta(days=1)
        times = {
            f"{_PREFIX}{number}": _millis(tomorrow + timedelta(days=sample.day), sample.at, zone)
            for number, sample in enumerate(_SAMPLES)
        }
        self._put(times)
        self._keep(times)

    def move(self, times: Mapping[str, int]) -> None:
        """Move posts to times in ms since 1970 UTC."""
        moved = [post._replace(at=at) for key, at in times.items() if (post := self.posts.get(key))]
        self.posts.apply(moved)
        self._core.changes.tell(Changes(posts=frozenset(post.key for post in moved)))
        self._keep({post.key: post.at for post in self.posts})

    def remove(self, keys: Iterable[str] | None = None) -> None:
        """Remove posts; by default, all."""
        gone = frozenset(post.key for post in self.posts if keys is None or post.key in frozenset(keys))
        self._keep({post.key: post.at for post in self.posts if post.key not in gone})
        self.posts.apply((), gone)
        if gone:
            self._core.changes.tell(Changes(removed=gone) if self.is_shown else _EVERYTHING)

    def matching(self, words: str) -> frozenset[str]:
        """Return the keys of posts with a text, ignoring case."""
        return frozenset(post.key for post in self.posts if words.casefold() in post.headline.casefold())

    def _put(self, times: Mapping[str, int]) -> None:
        known = {f"{_PREFIX}{number}": sample for number, sample in enumerate(_SAMPLES)}
        self._posts = Timeline(_post(key, at, known[key]) for key, at in times.items() if key in known)
        self._core.changes.tell(_EVERYTHING)

    def _keep(self, times: dict[str, int]) -> None:
        self._is_known = True
        self._kept_soon.put(_NAME, lambda rows: put_setting(rows, _NAME, times or None, _SHAPE))

    def _changed(self, changes: Changes) -> None:
        if (changes.accounts or changes.reset) and self.is_shown and self._has_accounts():
            self.remove()


_EVERYTHING: Final = Changes(accounts=True, reset=True)


def _post(key: str, at: int, sample: _Sample) -> PlannedPost:
    return PlannedPost(
        key=key,
        at=at,
        account_key=f"{_PREFIX}{sample.platform}",
        platform=PostingPlatform(sample.platform),
        post_type=sample.kind,
        status=PostStatus.SCHEDULED,
        headline=sample.text,
    )


def _accounts() -> Iterator[tuple[str, Account]]:
    for number, platform in enumerate(dict.fromkeys(sample.platform for sample in _SAMPLES)):
        color = CARDS[platform].brand.account_color
        key = f"{_PREFIX}{platform}"
        yield (
            key,
            Account(
                key=key,
                platform=ConnectionPlatform(platform),
                name=tr("Wool studio"),
                handle=None,
                identifier=key,
                avatar_url=None,
                followers=None,
                is_verified=None,
                is_available=True,
                token_expires_at=None,
                connected_at=_NO_DATE,
                color_index=number if color is None else color,
                practice=False,
                is_sample=True,
            ),
        )


def _millis(day: date, at: time, zone: ZoneInfo) -> int:
    return int(datetime.combine(day, at, zone).timestamp() * 1_000)
