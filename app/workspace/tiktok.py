"""TikTok's options for accounts, the choices for posts, and the posts without one."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeVar
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from app.client import ClientError
from app.contract.enums import PostType
from app.contract.tiktok import TikTokAccount, TikTokChoice, TikTokCreator, TikTokPrivacy
from app.database import DatabaseError
from app.language import tr
from app.platforms.rules import RuleIssue
from app.platforms.rules.tiktok import PRIVACY, choice_issues
from app.workspace.core import Core
from app.workspace.messages import Problem
from app.workspace.store.tables import get_setting, put_setting

__all__ = ["COMMERCIAL", "PRIVACY", "issues"]
COMMERCIAL: Final = "tiktok_commercial"
T = TypeVar("T")
TakeInboxes = Callable[[frozenset[UUID]], Awaitable[None]]
_OFFER: Final = "tiktok"
_INBOX_OFFER: Final = "inbox"
_AGAIN_S: Final = 600.0
"""How long an answer about posts without a choice is valid, in s, because other programs choose too."""
_SOON_S: Final = 20.0
"""The same while a post is due, in s."""
_log = logging.getLogger(__name__)
_CREATOR: Final = TypeAdapter(TikTokCreator)
_ACCOUNT: Final = TypeAdapter(TikTokAccount)


@dataclass(frozen=True, slots=True)
class TikTokDraft:
    """What is chosen so far. ``privacy`` is "" until chosen, because TikTok forbids a default.

    ``commercial`` says that the post promotes something; then ``your_brand`` or ``branded``, or both, say
    what.
    """

    privacy: str = ""
    comments: bool = False
    duet: bool = False
    stitch: bool = False
    commercial: bool = False
    your_brand: bool = False
    branded: bool = False
    ai: bool = False

    @classmethod
    def of(cls, choice: TikTokChoice | None) -> "TikTokDraft":
        """Return the state of the fields for a choice."""
        if choice is None:
            return cls()
        return cls(
            privacy=choice.privacy.value,
            comments=choice.allow_comments,
            duet=choice.allow_duet,
            stitch=choice.allow_stitch,
            commercial=choice.your_brand or choice.branded_content,
            your_brand=choice.your_brand,
            branded=choice.branded_content,
            ai=choice.ai_generated,
        )

    @property
    def choice(self) -> TikTokChoice | None:
        """Return the choice; None until it says who can see the post."""
        if not self.privacy:
            return None
        return TikTokChoice(
            privacy=TikTokPrivacy(self.privacy),
            allow_comments=self.comments,
            allow_duet=self.duet,
            allow_stitch=self.stitch,
            your_brand=self.commercial and self.your_brand,
            branded_content=self.commercial and self.branded,
            ai_generated=self.ai,
        )

    @property
    def is_undisclosed(self) -> bool:
        """Whether it promotes something without saying what."""
        return self.commercial and not (self.your_brand or self.branded)


def read_choice(kept: str | None) -> TikTokChoice | None:
    """Return a stored choice; None if it's missing or can't be read."""
    if not kept:
        return None
    try:
        return TikTokChoice.model_validate_json(kept)
    except ValidationError:
        return None


def issues(
    draft: TikTokDraft, creator: TikTokCreator | None, post_type: PostType, duration_ms: int | None
) -> list[RuleIssue]:
    """Return everything that is missing or that TikTok would refuse; empty when nothing is."""
    found = choice_issues(draft.choice, creator, post_type, duration_ms)
    if draft.is_undisclosed:
        message = tr("Say whether the post on TikTok promotes yourself, a third party, or both.")
        found.append(RuleIssue(COMMERCIAL, message, "undisclosed"))
    return found


class TikTok:
    """By account key. Every coroutine but ``run`` raises Problem.

    Attributes:
        undecided: Posts, by the service's ID, that will fail because it isn't chosen who can see them.
        in_inbox: Posts, by the service's ID, that wait in the inbox for the user.
        inboxes: Keys of the accounts with scheduled posts that go to the user's inbox.
    """

    def __init__(self, core: Core, offers: Callable[[], frozenset[str]], take: TakeInboxes) -> None:
        """Create the part. ``take`` notes which posts wait in inboxes."""
        self._take = take
        self.undecided: frozenset[UUID] = frozenset()
        self.in_inbox: frozenset[UUID] = frozenset()
        self.inboxes: frozenset[str] = frozenset()
        self._core = core
        self._offers = offers
        self._waiting: Hashable = None
        self._accounts: frozenset[str] = frozenset()
        self._again_s = _AGAIN_S
        self._pressed = asyncio.Event()

    @property
    def offered(self) -> bool:
        """Whether the service supports choices for TikTok."""
        return _OFFER in self._offers()

    @property
    def has_inbox(self) -> bool:
        """Whether the service can send posts to an account's inbox."""
        return _INBOX_OFFER in self._offers()

    async def known_creator(self, account_key: str) -> TikTokCreator | None:
        """Return TikTok's last known options for the account; None if it was never asked."""
        return await self._read(_creator_name(account_key), _CREATOR)

    async def ask_creator(self, account_key: str) -> TikTokCreator:
        """Request TikTok's options for the account, and remember them."""
        creator = await self._core.call(self._core.client.tiktok.creator(UUID(account_key)))
        await self._keep(_creator_name(account_key), creator, _CREATOR)
        return creator

    async def account(self, account_key: str) -> TikTokAccount:
        """Return the default choice for an account's posts, and whether they go to its inbox."""
        return await self._kept(
            account_key, await self._core.call(self._core.client.tiktok.account(UUID(account_key)))
        )

    async def is_undecided(self, account_key: str) -> bool:
        """Whether an account is known to have no default; without the service, as of last time."""
        account = await self.known_account(account_key)
        return account is not None and account.choice is None and not account.inbox

    async def known_account(self, account_key: str) -> TikTokAccount | None:
        """Return an account's settings; without the service, as of last time, None if it was never asked."""
        if self.offered:
            with suppress(Problem):
                return await self.account(account_key)
        return await self._read(_account_name(account_key), _ACCOUNT)

    async def choose_for_account(self, account_key: str, choice: TikTokChoice | None) -> None:
        """Set an account's default; None removes it."""
        tiktok, key = self._core.client.tiktok, UUID(account_key)
        await self._kept(account_key, await self._core.call(tiktok.choose_for_account(key, choice)))
        self._pressed.set()

    async def send_to_inbox(self, account_key: str, to_inbox: bool) -> None:
        """Set whether an account's posts go to its inbox."""
        tiktok, key = self._core.client.tiktok, UUID(account_key)
        await self._kept(account_key, await self._core.call(tiktok.send_to_inbox(key, to_inbox)))
        self._pressed.set()

    def press(
        self, waiting: Hashable, *, is_due: bool = False, accounts: frozenset[str] = frozenset()
    ) -> None:
        """Set the waiting TikTok posts, None for none. If they changed, the service is asked again.

        ``accounts`` are the keys of those with scheduled posts. While a post ``is_due``, the service is asked
        often: without a stream, nothing else says that the post has reached the inbox.
        """
        self._again_s = _SOON_S if is_due and self.has_inbox else _AGAIN_S
        if (waiting, accounts) != (self._waiting, self._accounts):
            self._waiting, self._accounts = waiting, accounts
            self._pressed.set()

    async def run(self, tell: Callable[[], None]) -> None:
        """Ask which posts wait for the user until cancelled; ``tell`` is called when the answer changes."""
        told = self.undecided, self.in_inbox, self.inboxes
        while True:
            again_s = self._again_s
            try:
                async with asyncio.timeout(again_s):
                    await self._pressed.wait()
            except TimeoutError:
                pass
            if self._pressed.is_set() or again_s == _AGAIN_S:
                self._pressed.clear()
                await self._ask_accounts()
            self.undecided, self.in_inbox = await self._ask_undecided(), await self._ask_in_inbox()
            known = self.undecided, self.in_inbox, self.inboxes
            if known != told:
                told = known
                tell()
            with suppress(DatabaseError):  # it's logged, and tried again in the next round
                await self._take(self.in_inbox)
            await asyncio.sleep(self._core.pace.warnings)

    async def _ask_accounts(self) -> None:
        """Ask where the posts of each account go; ``_kept`` remembers the answers."""
        self.inboxes &= self._accounts
        for key in sorted(self._accounts) if self.has_inbox else ():
            known = await self.known_account(key)
            self._note_inbox(key, to_inbox=known is not None and known.inbox)

    def _note_inbox(self, account_key: str, *, to_inbox: bool) -> None:
        if account_key in self._accounts:
            self.inboxes = self.inboxes | {account_key} if to_inbox else self.inboxes - {account_key}

    async def _ask_undecided(self) -> frozenset[UUID]:
        if self._waiting is None or not self.offered:
            return frozenset()
        return await self._known(self._core.client.tiktok.undecided(), self.undecided)

    async def _ask_in_inbox(self) -> frozenset[UUID]:
        if self._waiting is None or not self.has_inbox:
            return frozenset()
        return await self._known(self._core.client.tiktok.in_inboxes(), self.in_inbox)

    async def _known(self, asking: Awaitable[list[UUID]], before: frozenset[UUID]) -> frozenset[UUID]:
        """Return the posts that the service names; those it named before if it can't be asked now."""
        try:
            return frozenset(await asking)
        except ClientError as error:
            _log.info("which posts wait for a choice for TikTok is not known: %s", type(error).__name__)
            return before

    async def _kept(self, account_key: str, account: TikTokAccount) -> TikTokAccount:
        """Remember an account's settings, and return them."""
        self._note_inbox(account_key, to_inbox=account.inbox)
        await self._keep(_account_name(account_key), account, _ACCOUNT)
        return account

    async def _keep(self, name: str, value: T, shape: TypeAdapter[T]) -> None:
        await self._core.write(lambda rows: put_setting(rows, name, value, shape))

    async def _read(self, name: str, shape: TypeAdapter[T]) -> T | None:
        return await self._core.read(lambda rows: get_setting(rows, name, shape))


def _creator_name(account_key: str) -> str:
    return f"tiktok/creator/{account_key}"


def _account_name(account_key: str) -> str:
    return f"tiktok/choice/{account_key}"
