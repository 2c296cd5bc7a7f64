"""The draft that is open in the composer: its contents, accounts, time and obstacles."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from app.contract.enums import ConnectionPlatform, PostType
from app.contract.tiktok import TikTokCreator
from app.platforms.cards import offers_by_hand
from app.workspace.accounts.account import Account
from app.workspace.changes import Listeners
from app.workspace.clock import Clock, wall_clock
from app.workspace.editing.accounts import AccountChoice, DraftFiles, Uploads, posting_platform
from app.workspace.editing.boards import Board
from app.workspace.editing.draft import SHARED, ComposerDraft, LinkedText
from app.workspace.editing.lengths import Count, Ruler, counts, overflow
from app.workspace.editing.obstacles import (
    AccountPost,
    Obstacle,
    as_web_link,
    find_obstacles,
    inbox_full,
    link_problem,
)
from app.workspace.editing.options import PostOptions, options_of
from app.workspace.editing.schedule import Schedule, zone_named
from app.workspace.media.upload import Upload
from app.workspace.posts.new import NewPost
from app.workspace.rules import RULES
from app.workspace.tiktok import TikTokDraft

_UNCHOSEN: Final = TikTokDraft()
_DEFAULTS: Final = PostOptions()


@dataclass(frozen=True, slots=True)
class DraftChange:
    """Which parts of the model changed.

    Attributes:
        edited: The draft's contents changed, so it has to be saved.
        file: A file was attached, replaced or removed; the type of post may have changed.
        accounts: Accounts were added or removed, or became usable or unusable.
        version: Another version is shown.
        uploads: An upload of the draft progressed, failed or finished.
        loaded: Another draft replaced the previous one.
    """

    edited: bool = False
    file: bool = False
    accounts: bool = False
    version: bool = False
    uploads: bool = False
    loaded: bool = False


class DraftModel:
    """Contains one draft, and notifies listeners after each edit.

    A version is either shared by all accounts (``SHARED``) or that of one account, identified by its key.
    Edits of text, title and file apply to the version that is shown.

    Args:
        uploads: looks up the uploads of drafts.
        schedule: the default time of the posts.
        asks_tiktok: whether the service stores choices for TikTok.
        is_inbox_full: whether a post of an account at a time, in ms, would be one too many in its inbox; the
            last argument is the key of the post that it replaces, or "".
        alt_text_excess: by how many characters the alt text of an upload is too long.
    """

    def __init__(
        self,
        uploads: Uploads,
        schedule: Schedule,
        *,
        now: Clock = wall_clock,
        asks_tiktok: Callable[[], bool] = lambda: False,
        is_inbox_full: Callable[[str, int, str], bool] = lambda _account, _at, _replaced: False,
        alt_text_excess: Callable[[str], int] = lambda _upload_id: 0,
    ) -> None:
        self._alt_text_excess = alt_text_excess
        self._now, self._asks_tiktok, self._is_inbox_full = now, asks_tiktok, is_inbox_full
        self._schedule, self._version = schedule, SHARED
        self._text, self._title = LinkedText(), LinkedText()
        self._accounts, self._files = AccountChoice(), DraftFiles(uploads)
        self._boards: dict[str, Board] = {}
        self._link = ""
        self._tiktok: dict[str, TikTokDraft] = {}
        self._inboxes: set[str] = set()
        self._creators: dict[str, TikTokCreator] = {}
        self._options: dict[str, PostOptions] = {}
        self._by_hand: frozenset[str] = frozenset()
        self._language = self._replaces = ""
        self._draft_id = ComposerDraft().draft_id
        self._listeners: Listeners[DraftChange] = Listeners()
        self._stop = uploads.listen(self._upload_moved)

    def listen(self, listener: Callable[[DraftChange], None]) -> Callable[[], None]:
        """Subscribe to changes; call the result to unsubscribe."""
        return self._listeners.add(listener)

    def close(self) -> None:
        """Stop following the uploads."""
        self._stop()

    @property
    def draft(self) -> ComposerDraft:
        """The draft to save."""
        return ComposerDraft(
            text=self._text.shared,
            account_keys=self._accounts.chosen,
            texts=dict(self._text.own),
            titles=dict(self._title.own),
            at=self._schedule.at,
            zone=self._schedule.zone.key,
            skipped=self._schedule.local if self._schedule.at is None else None,
            upload_id=self._files.ids.shared,
            upload_ids=dict(self._files.ids.own),
            title=self._title.shared,
            boards=dict(self._boards),
            link=self._link,
            tiktok=dict(self._tiktok),
            options=dict(self._options),
            by_hand=tuple(sorted(self._by_hand)),
            replaces=self._replaces,
            language=self._language,
            waiting_keys=self._accounts.waiting,
            draft_id=self._draft_id,
        )

    def load(self, draft: ComposerDraft, *, keeps_time: bool = True) -> None:
        """Replace the draft, and show the shared version.

        Args:
            draft: the saved draft.
            keeps_time: whether to use the draft's time, if it has one, instead of the model's.
        """
        self._text, self._title = LinkedText(draft.text, draft.texts), LinkedText(draft.title, draft.titles)
        self._boards, self._link, self._tiktok = dict(draft.boards), draft.link.strip(), dict(draft.tiktok)
        self._options, self._by_hand = dict(draft.options), frozenset(draft.by_hand)
        self._language, self._replaces, self._draft_id = draft.language, draft.replaces, draft.draft_id
        self._files = replace(self._files, ids=LinkedText(draft.upload_id, draft.upload_ids))
        wanted = (*draft.account_keys, *draft.waiting_keys)
        offered = self._offered()
        self._accounts = offered.choose(wanted, is_new=draft.is_empty)
        zone = zone_named(draft.zone, self._schedule.zone)
        if keeps_time and draft.at is not None:
            self._schedule = Schedule.of(draft.at, zone)
        elif keeps_time and draft.skipped is not None:
            self._schedule = Schedule(draft.skipped, zone)
        self._version = self._showable(SHARED)
        self._listeners.tell(DraftChange(file=True, accounts=True, version=True, loaded=True))

    @property
    def draft_id(self) -> str:
        """The ID for idempotency keys and earlier texts."""
        return self._draft_id

    @property
    def version(self) -> str:
        """The version that is shown and edited."""
        return self._version

    def show_version(self, version: str) -> None:
        """Show a version; the shared one if that account isn't selected."""
        self._change(DraftChange(), version)

    @property
    def text(self) -> LinkedText:
        """The text of each version."""
        return self._text

    @property
    def title(self) -> LinkedText:
        """The title of each version."""
        return self._title

    @property
    def is_blank(self) -> bool:
        """Whether all versions lack a text, and no file is attached."""
        has_text = any(text.strip() for text in (self._text.shared, *self._text.own.values()))
        return not has_text and self._files.upload_for(SHARED) is None

    def is_written(self, version: str) -> bool:
        """Whether a version's text or title differs from the shared one."""
        return self._text.differs(version) or self._title.differs(version)

    def is_own(self, version: str) -> bool:
        """Whether a version's text, title or file differs from the shared one."""
        return self.is_written(version) or self._files.ids.differs(version)

    def write_text(self, text: str) -> None:
        """Change the text of the version shown."""
        if text != self._text.of(self._version):
            self._text = self._text.write(self._version, text)
            self._edited()

    def write_title(self, title: str) -> None:
        """Change the title of the version shown."""
        if title != self._title.of(self._version):
            self._title = self._title.write(self._version, title)
            self._edited()

    def use_shared_text(self) -> None:
        """Discard the text and title of the version shown, so that it follows the shared ones again."""
        if self.is_written(self._version):
            self._text, self._title = self._text.link(self._version), self._title.link(self._version)
            self._edited()

    def rewrite(self, text: str, title: str, account_key: str = SHARED) -> None:
        """Replace the shared text and title, and show them; versions that differ stay unchanged.

        ``account_key``: the text and title of this account instead, if it's selected.
        """
        version = account_key if account_key in self._accounts.chosen else SHARED
        before = self._text, self._title
        self._text, self._title = self._text.write(version, text), self._title.write(version, title)
        self._change(DraftChange(edited=before != (self._text, self._title)), version)

    def lengths(self, accounts: list[Account]) -> list[Count]:
        """Return the lengths of the accounts' texts by platform, the fewest remaining characters first."""
        return counts([(ruler, self._text.of(one.key)) for one in accounts if (ruler := self._ruler(one))])

    @property
    def overflow(self) -> int:
        """The position from which the shown text is too long for an account; its length if it fits."""
        text = self._text.of(self._version)
        sharing = [
            one for one in self.concerned if one.key == self._version or not self._text.differs(one.key)
        ]
        rulers = {ruler for one in sharing if (ruler := self._ruler(one))}
        return min((overflow(ruler, text) for ruler in rulers), default=len(text))

    def _ruler(self, account: Account) -> Ruler | None:
        return self.post_for(account).ruler

    @property
    def accounts(self) -> AccountChoice:
        """The connected accounts, and which of them are selected."""
        return self._accounts

    @property
    def chosen(self) -> list[Account]:
        """The selected accounts that can publish this type of post."""
        return [self._accounts.known[key] for key in self._accounts.chosen]

    @property
    def concerned(self) -> list[Account]:
        """The selected accounts that the version shown applies to."""
        return [one for one in self.chosen if self._version in (SHARED, one.key)]

    def set_accounts(self, accounts: Mapping[str, Account]) -> None:
        """Change the connected accounts."""
        self._accounts = self._accounts.offer(accounts, self.post_type)
        self._change(DraftChange(accounts=True), self._version)

    def switch(self, account_key: str, *, is_on: bool) -> None:
        """Select or deselect an account."""
        if is_on is not (account_key in self._accounts.on):
            self._accounts = self._accounts.switch(account_key, is_on=is_on)
            self._edited()

    @property
    def files(self) -> DraftFiles:
        """The file of each version."""
        return self._files

    @property
    def post_type(self) -> PostType:
        """The type of post for the files."""
        return self._files.post_type

    @property
    def upload(self) -> Upload | None:
        """The upload of the version shown."""
        return self._files.upload_for(self._version)

    @property
    def awaited(self) -> Upload | None:
        """The first unfinished upload that the selected accounts need."""
        needed = self._files.needed(self._accounts.chosen).values()
        return next((one for one in needed if one is not None and one.is_underway), None)

    @property
    def file_problem(self) -> str:
        """What to do about a file before the posts can be scheduled; "" if nothing."""
        return self._files.problem(self._accounts.chosen)

    @property
    def concerned_by_file(self) -> list[Account]:
        """The selected accounts that attaching another file to the version shown would affect."""
        return [
            one for one in self.concerned if one.key == self._version or not self._files.ids.differs(one.key)
        ]

    def attach(self, upload: Upload, version: str) -> None:
        """Replace the file of a version. Raises Problem if its type differs from that of the others."""
        self._set_files(self._files.attach(upload, version))

    def remove_file(self) -> None:
        """Remove the shown file: one account's own, or the files of all accounts."""
        self._set_files(self._files.remove(self._version))

    def use_shared_file(self) -> None:
        """Discard the file of the version shown, so that it uses the shared one again."""
        self._set_files(self._files.link(self._version))

    @property
    def schedule(self) -> Schedule:
        """When to publish the posts."""
        return self._schedule

    def set_schedule(self, schedule: Schedule) -> None:
        """Change the time."""
        if schedule != self._schedule:
            self._schedule = schedule
            self._edited()

    def set_time(self, at: int) -> None:
        """Set the time in milliseconds since 1970 UTC, in the current time zone."""
        self.set_schedule(Schedule.of(at, self._schedule.zone))

    @property
    def boards(self) -> Mapping[str, Board]:
        """The boards for pins, by account key; also of accounts that aren't selected."""
        return self._boards

    def set_board(self, account_key: str, board: Board) -> None:
        """Set the board for an account's pin."""
        if self._boards.get(account_key) != board:
            self._boards[account_key] = board
            self._edited()

    @property
    def link(self) -> str:
        """The web address of pins, as entered."""
        return self._link

    @property
    def link_problem(self) -> str:
        """Why the link is invalid, or ""."""
        return link_problem(self._link, self.chosen)

    def set_link(self, link: str) -> None:
        """Set the web address of pins."""
        if link.strip() != self._link:
            self._link = link.strip()
            self._edited()

    @property
    def asks_tiktok(self) -> bool:
        """Whether the service stores choices for TikTok now."""
        return self._asks_tiktok()

    def goes_to_inbox(self, account_key: str) -> bool:
        """Whether an account's posts go to the user's TikTok inbox, so nothing is chosen for them here."""
        return account_key in self._inboxes

    def learn_inbox(self, account_key: str, *, goes_to_inbox: bool) -> None:
        """Note whether an account's posts go to the user's TikTok inbox."""
        if goes_to_inbox is not self.goes_to_inbox(account_key):
            self._inboxes ^= {account_key}
            self._edited()

    def tiktok_for(self, account_key: str) -> TikTokDraft:
        """Return an account's choices for TikTok so far."""
        return self._tiktok.get(account_key, _UNCHOSEN)

    def choose_tiktok(self, account_key: str, choice: TikTokDraft) -> None:
        """Set an account's choices for TikTok."""
        if self.tiktok_for(account_key) != choice:
            self._tiktok[account_key] = choice
            self._edited()

    def learn_creator(self, account_key: str, creator: TikTokCreator) -> None:
        """Check an account's choices against what TikTok offers it. Listeners aren't notified."""
        self._creators[account_key] = creator

    def options_for(self, account_key: str) -> PostOptions:
        """Return an account's options on a companion network so far."""
        return self._options.get(account_key, _DEFAULTS)

    def choose_options(self, account_key: str, options: PostOptions) -> None:
        """Set the options of an account's post."""
        if self.options_for(account_key) != options:
            self._options[account_key] = options
            self._edited()

    def is_by_hand(self, account_key: str) -> bool:
        """Whether the user publishes an account's post by hand, although Kalends could."""
        account = self._accounts.known.get(account_key)
        return account_key in self._by_hand and account is not None and offers_by_hand(account.platform)

    def choose_by_hand(self, account_key: str, *, is_on: bool) -> None:
        """Let the user publish an account's post by hand, or Kalends."""
        if (account_key in self._by_hand) is not is_on:
            self._by_hand ^= {account_key}
            before, self._accounts = self._accounts, self._offered()
            is_changed = before.reasons != self._accounts.reasons  # by hand, an account needs no access
            self._change(DraftChange(edited=True, accounts=is_changed), self._version)

    def _offered(self) -> AccountChoice:
        """Return the choice of accounts for the current type of post, and who publishes."""
        choice = replace(self._accounts, by_hand=self._by_hand)
        return choice.offer(choice.known, self.post_type)

    @property
    def language(self) -> str:
        """The spelling language; "" for the default."""
        return self._language

    def set_language(self, language: str) -> None:
        """Change the spelling language."""
        if language != self._language:
            self._language = language
            self._edited()

    @property
    def replaces(self) -> str:
        """The key of the post that this draft replaces; "" for none."""
        return self._replaces

    def keep_replaced(self) -> None:
        """Schedule a new post instead of replacing an existing one."""
        if self._replaces:
            self._replaces = ""
            self._edited()

    def post_for(self, account: Account) -> AccountPost:
        """Return the post that an account would publish."""
        key, rules = account.key, RULES.get(posting_platform(account))
        is_titled = rules is None or self.post_type in rules.title_types
        is_pin = account.platform is ConnectionPlatform.PINTEREST
        by_hand = self.is_by_hand(key)
        is_asked = account.platform is ConnectionPlatform.TIKTOK and self.asks_tiktok and not by_hand
        is_asked = is_asked and not self.goes_to_inbox(key)
        options = self.options_for(key) if options_of(posting_platform(account)) else _DEFAULTS
        return AccountPost(
            account=account,
            post_type=self.post_type,
            text=self._text.of(key),
            title=self._title.of(key).strip() if is_titled else "",
            upload=self._files.upload_for(key),
            board=self._boards.get(key),
            link=as_web_link(self._link) if is_pin else "",
            tiktok=self.tiktok_for(key) if is_asked else None,
            creator=self._creators.get(key),
            options=options.chosen,
            by_hand=by_hand,
        )

    def new_posts(self, *, at_once: bool = False) -> list[NewPost]:
        """Return the posts to schedule for the selected time, or with ``at_once`` to publish now."""
        draft = self.draft
        at = None if at_once else draft.at
        return [self.post_for(one).new_post(at, draft.idempotency_key(one.key)) for one in self.chosen]

    def obstacles(self, *, at_once: bool = False) -> list[Obstacle]:
        """Return what prevents scheduling the posts; with ``at_once``, the time is ignored."""
        return find_obstacles(
            [self.post_for(account) for account in self.chosen],
            is_blank=self.is_blank,
            link=self.link_problem,
            file=self.file_problem,
            time="" if at_once else self._schedule.problem(self._now()),
            inbox=self.inbox_problem(at_once=at_once),
            alt_text_excess=self._alt_text_excess,
        )

    def inbox_problem(self, *, at_once: bool = False) -> str:
        """Return why an inbox takes no post at the selected time, or ""."""
        at = self._now() if at_once else self._schedule.at
        goes = [one for one in self.chosen if self.asks_tiktok and self.goes_to_inbox(one.key)]
        if at is None:
            return ""
        for account in goes:
            if not self.is_by_hand(account.key) and self._is_inbox_full(account.key, at, self._replaces):
                return inbox_full(account, is_only=len(goes) == 1)
        return ""

    def _set_files(self, files: DraftFiles) -> None:
        if files != self._files:
            self._files = files
            self._accounts = self._offered()
            self._change(DraftChange(edited=True, file=True, accounts=True), self._version)

    def _edited(self) -> None:
        self._change(DraftChange(edited=True), self._version)

    def _change(self, change: DraftChange, version: str) -> None:
        """Show a version if possible, and notify listeners of a change."""
        shown = self._showable(version)
        if shown != self._version:
            self._version = shown
            change = replace(change, version=True)
        if change != DraftChange():
            self._listeners.tell(change)

    def _showable(self, version: str) -> str:
        """Return the version, or the shared one if its account isn't selected.

        The version of a single account is always shown, because without tabs the user couldn't see that its
        text differs from the shared one.
        """
        chosen = self._accounts.chosen
        if len(chosen) == 1:
            return chosen[0] if self.is_own(chosen[0]) else SHARED
        return version if version in chosen else SHARED

    def _upload_moved(self, upload: Upload) -> None:
        if upload.id in self._files.all_ids:
            self._listeners.tell(DraftChange(uploads=True))
