"""What posts cost on platforms that charge for them: one post, a month, and the user's cap for a month."""

from calendar import monthrange
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter

from app.contract.enums import PostStatus
from app.platforms.rules.prices import PRICES, Price, Prices, price_of
from app.workspace.accounts.account import Account
from app.workspace.clock import from_millis, to_millis
from app.workspace.core import Core
from app.workspace.posts.planned import PlannedPost
from app.workspace.store.stored_value import StoredValue

_NAME: Final = "monthly cap"
_SHAPE: Final = TypeAdapter(int)
_FREE: Final = frozenset({PostStatus.CANCELLED, PostStatus.FAILED})


@dataclass(frozen=True, slots=True)
class MonthCost:
    """The posts of a month that cost something: published ones and those planned.

    Attributes:
        posts: How many.
        with_link: How many of them have a link.
        published: Cost of those that may be published, in thousandths of a US dollar.
        planned: Cost of the others.
    """

    posts: int = 0
    with_link: int = 0
    published: int = 0
    planned: int = 0

    @property
    def mills(self) -> int:
        """The whole cost, in thousandths of a US dollar."""
        return self.published + self.planned


class Spending:
    """Prices are those of the API.

    Cancelled and failed posts, posts by hand, and those of practice accounts are free.
    """

    def __init__(
        self,
        core: Core,
        accounts: Callable[[], Mapping[str, Account]],
        texts: Callable[[Sequence[str]], Awaitable[Mapping[str, str]]],
    ) -> None:
        """``texts`` returns the whole texts of posts."""
        self._core, self._accounts, self._texts = core, accounts, texts
        self._cap = StoredValue(core, _NAME, _SHAPE)

    @property
    def charged(self) -> list[Account]:
        """The accounts whose posts cost something."""
        return [account for account in self._accounts().values() if self._prices(account) is not None]

    @property
    def prices(self) -> Prices | None:
        """The prices for the accounts that cost something; None without any."""
        return next(map(self._prices, self.charged), None)

    def price(self, account: Account, text: str, *, by_hand: bool = False) -> Price | None:
        """Return the price of a text as a post of an account; None if it costs nothing."""
        is_free = by_hand or self._prices(account) is None
        return None if is_free else price_of(account.platform, text)

    @property
    def cap(self) -> int | None:
        """The cap for a month, in thousandths of a US dollar; None without one."""
        return self._cap.value

    async def load(self) -> None:
        """Load the cap. Raises Problem."""
        await self._cap.load()

    async def set_cap(self, mills: int | None) -> None:
        """Set the cap for a month; None removes it. Raises Problem."""
        await self._cap.put(mills)

    async def month(self, at: int, zone: ZoneInfo, *, without: str = "") -> MonthCost:
        """Return the cost of the month around a time in ms since 1970 UTC, except a post. Raises Problem."""
        posts = [
            post
            for post in self._core.mirror.timeline.between(*month_around(at, zone))
            if post.key != without and self._is_charged(post)
        ]
        texts = await self._texts([post.key for post in posts])
        found = [(post, price_of(post.platform, texts.get(post.key, post.headline))) for post in posts]
        priced = [(_may_be_published(post), price) for post, price in found if price is not None]
        return MonthCost(
            posts=len(priced),
            with_link=sum(price.has_link for _, price in priced),
            published=sum(price.mills for is_published, price in priced if is_published),
            planned=sum(price.mills for is_published, price in priced if not is_published),
        )

    def _is_charged(self, post: PlannedPost) -> bool:
        account = self._accounts().get(post.account_key)
        is_free = post.by_hand or (post.status in _FREE and not post.may_be_live)
        return not is_free and account is not None and self._prices(account) is not None

    @staticmethod
    def _prices(account: Account) -> Prices | None:
        return None if account.practice else PRICES.get(account.platform)


def month_around(at: int, zone: ZoneInfo) -> tuple[int, int]:
    """Return the beginning of a month and of the next one, in ms since 1970 UTC."""
    first = from_millis(at).astimezone(zone).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    days = timedelta(days=monthrange(first.year, first.month)[1])
    return to_millis(first), to_millis((first.replace(tzinfo=None) + days).replace(tzinfo=zone))


def _may_be_published(post: PlannedPost) -> bool:
    return post.published or post.may_be_live or post.status is PostStatus.POSTED
