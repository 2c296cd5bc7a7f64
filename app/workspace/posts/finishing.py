"""Posts that the user publishes by hand, in the platform's own composer."""

from collections.abc import Callable, Mapping
from typing import Final
from uuid import UUID

from pydantic import ValidationError

from app.client import FinishingCalls
from app.contract.companion import FinishPost
from app.contract.enums import PostStatus
from app.language import tr
from app.platforms.cards import offers_by_hand
from app.workspace.accounts.account import Account
from app.workspace.core import Core
from app.workspace.messages import Problem
from app.workspace.posts.planned import PlannedPost, SyncState
from app.workspace.posts.refusal import GONE
from app.workspace.problems import as_problem
from app.workspace.sync.sync import Sync
from app.workspace.time.wall import DAY_MS
from app.workspace.web_pages import web_page

_LONGEST_MS: Final = 30 * DAY_MS
"""How long a due post can wait for the user, in ms; usually, the service gives up after a day."""
_NOT_WEB: Final = tr("Enter a web address that starts with https://.")


class Finishing:
    """Posts that wait for the user, and their outcomes. Later and Skip are the usual commands."""

    def __init__(self, core: Core, sync: Sync, accounts: Callable[[], Mapping[str, Account]]) -> None:
        self._core, self._sync, self._accounts = core, sync, accounts

    @property
    def takes_single_posts(self) -> bool:
        """Whether single posts of connected accounts can be published by hand."""
        return {"by_hand", "finishing"} <= self._sync.offers

    def waiting(self) -> list[PlannedPost]:
        """Return the due posts that wait for the user, oldest first."""
        now = self._core.clock()
        due = self._core.mirror.timeline.between(now - _LONGEST_MS, now + 1)
        return [post for post in due if post.waits_for_user]

    def can_finish(self, post: PlannedPost) -> bool:
        """Whether the user can report a post as published; also after it failed."""
        is_open = post.waits_for_user or (post.status is PostStatus.FAILED and post.is_by_hand)
        return is_open and post.key not in self._core.mirror.unsent and "finishing" in self._sync.offers

    async def finish(self, key: str, page: str = "") -> None:
        """Report a post as published, with its address if the user entered one.

        Raises Problem; of the kind ``invalid`` if ``page`` isn't a web address.
        """
        done, generation = _report(page.strip()), self._core.mirror.generation
        post = await self._core.call(self._calls(key).finish_post(self._service_id(key), done), GONE)
        with as_problem():
            await self._sync.take_post(post, generation)

    def can_switch(self, post: PlannedPost) -> bool:
        """Whether a post of a connected account can be published by hand instead, or by Kalends again."""
        is_possible = self.takes_single_posts and offers_by_hand(post.platform)
        is_planned = post.status is PostStatus.SCHEDULED and not (post.may_be_live or post.published)
        account = self._accounts().get(post.account_key)
        # In practice, the platform's own composer would publish for real.
        is_real = account is not None and not account.practice
        return is_possible and is_planned and is_real and post.sync is SyncState.SYNCED

    async def switch(self, key: str, *, by_hand: bool) -> None:
        """Let the user publish a scheduled post by hand, or Kalends again.

        Raises Problem, such as for a post by hand that the platform's API refuses.
        """
        generation, service_id = self._core.mirror.generation, self._service_id(key)
        asked = self._core.client.any_posts.set_by_hand(service_id, by_hand=by_hand)
        post = await self._core.call(asked, GONE)
        with as_problem():
            await self._sync.take_post(post, generation)

    async def take_back(self, key: str) -> None:
        """Undo ``finish`` within ten minutes. Raises Problem."""
        generation = self._core.mirror.generation
        post = await self._core.call(self._calls(key).take_back_post(self._service_id(key)), GONE)
        with as_problem():
            await self._sync.take_post(post, generation)

    def _calls(self, key: str) -> FinishingCalls:
        post, client = self._core.mirror.timeline.get(key), self._core.client
        return client.any_posts if post is not None and post.by_hand else client.places

    def _service_id(self, key: str) -> UUID:
        """Return the service's ID. Raises Problem for a post that the service doesn't have."""
        service_id = self._core.mirror.service_id(key) if key in self._core.mirror.timeline else None
        if service_id is None:
            raise Problem(GONE, kind="not_found")
        return service_id


def _report(page: str) -> FinishPost:
    """Report an outcome to the service. Raises Problem."""
    if not page:
        return FinishPost()
    try:
        return FinishPost(url=web_page(page))
    except ValidationError:
        raise Problem(_NOT_WEB, kind="invalid") from None
