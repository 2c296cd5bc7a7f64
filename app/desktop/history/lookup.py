"""What the workspace knows of published content: its post, account, file and page."""

from datetime import datetime
from zoneinfo import ZoneInfo

from app.contract.enums import CreatedVia
from app.contract.history import ContentRecord
from app.desktop.history.wording import page_of, via_words
from app.desktop.words import handle, platform_name
from app.workspace.accounts.account import Account
from app.workspace.posts.planned import PlannedPost
from app.workspace.workspace import Workspace


class Lookup:
    """Answers from memory, so that rows can ask while they are painted."""

    def __init__(self, workspace: Workspace, zone: ZoneInfo) -> None:
        self._workspace, self._zone = workspace, zone

    def post(self, record: ContentRecord) -> PlannedPost | None:
        """Return the post that content came from; None if it isn't in the calendar."""
        key = self._workspace.published.post_key(record)
        return self._workspace.posts.get(key) if key is not None else None

    def account(self, record: ContentRecord) -> Account | None:
        """Return the account that published content; None if it isn't connected."""
        post = self.post(record)
        return self._workspace.accounts.get(post.account_key) if post is not None else None

    def account_name(self, record: ContentRecord) -> str:
        """Return who published content: ``Okafor Studio``, or the platform."""
        account, platform = self.account(record), record.platform.value
        if account is None:
            return platform_name(platform)
        return account.name or handle(account.handle, platform) or platform_name(platform)

    def file(self, record: ContentRecord) -> str:
        """Return the storage path of a post's file; empty for none.

        Only files of the library: a media URL in a record comes from outside and is never fetched.
        """
        post = self.post(record)
        return post.media if post is not None else ""

    def source(self, record: ContentRecord) -> str:
        """Return ``via MCP`` and the like; empty for posts of this app."""
        return "" if self._workspace.published.is_own(record) else via_words(record)

    def surprising_source(self, record: ContentRecord) -> str:
        """Return the source where it says something: not that a post of this calendar came through the API.

        Kalends uses the API itself, and doesn't know its own posts of another computer by their keys.
        """
        is_usual = record.created_via is CreatedVia.REST and self.post(record) is not None
        return "" if is_usual else self.source(record)

    def has_page(self, record: ContentRecord) -> bool:
        """Whether the page is known, or the service can name it."""
        workspace = self._workspace
        can_ask = workspace.sync.connected and workspace.tells_attempts and self.post(record) is not None
        return can_ask or bool(self.page(record))

    async def find_page(self, record: ContentRecord) -> str:
        """Ask the service for the page of a post, which it names better than its id does. Raises Problem."""
        post = self.post(record)
        found = (await self._workspace.detail(post.key)).page if post is not None else ""
        return found or self.page(record)

    def page(self, record: ContentRecord) -> str:
        """Return where people see content; empty where its id doesn't say it."""
        return page_of(record, practice=self._workspace.practice)

    def moment(self, record: ContentRecord) -> datetime:
        """Return when content was published, in the calendar's zone."""
        return record.created_at.astimezone(self._zone)
