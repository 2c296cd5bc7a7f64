"""A workspace: everything the app knows about one service and still has to send to it."""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Self
from uuid import UUID, uuid4

from app.client import ServiceClient
from app.database import Database, DatabaseError
from app.workspace.accounts.account import Account
from app.workspace.accounts.book import AccountBook, AccountPictures
from app.workspace.analytics.analytics import Analytics
from app.workspace.catalogues import Catalogues
from app.workspace.changes import Changes
from app.workspace.clock import Clock, Pace, wall_clock
from app.workspace.connections.flow import ConnectionFlows
from app.workspace.connections.interruptions import Interruptions
from app.workspace.connections.packs import Packs
from app.workspace.connections.places import Places
from app.workspace.connections.server_limits import ServerLimits
from app.workspace.connections.setups import Setups
from app.workspace.core import Core, Run, Supervisor
from app.workspace.drafts.drafts import DraftKeeper, Drafts, KeptSoon
from app.workspace.drafts.salvage import Salvage
from app.workspace.drafts.text_moves import TextMoves
from app.workspace.drafts.versions import DraftVersions
from app.workspace.editing.boards import Boards
from app.workspace.editing.draft import ComposerDraft
from app.workspace.editing.snippets import EmojiHabits, Snippets
from app.workspace.media.media import Media
from app.workspace.media.thumbnails import Thumbnails
from app.workspace.messages import Message
from app.workspace.notices.notices import Notices
from app.workspace.opening import Keepsake, Kept, OpenDatabase, open_kept, take_up
from app.workspace.outbox.delivery import Delivery
from app.workspace.outbox.outbox import Outbox
from app.workspace.outbox.refusals import Refusals
from app.workspace.posts.commands import PostCommands
from app.workspace.posts.conflicts import Conflict, Conflicts
from app.workspace.posts.finishing import Finishing
from app.workspace.posts.mirror import Mirror
from app.workspace.posts.new import NewPost
from app.workspace.posts.planned import Timeline
from app.workspace.posts.reading import PostDetail, PostReader
from app.workspace.problems import problem_of
from app.workspace.published import Published
from app.workspace.samples import SampleWeek
from app.workspace.search import SearchHits
from app.workspace.slots.plan import SlotPlan
from app.workspace.spelling import Spelling
from app.workspace.spending import Spending
from app.workspace.store.first import FirstRows
from app.workspace.store.journal import Journal
from app.workspace.sync.link import Link
from app.workspace.sync.status import SyncStatus
from app.workspace.sync.sync import Sync
from app.workspace.tiktok import TikTok
from app.workspace.undo import Entry
from app.workspace.unsaved import UnsavedText, text_of_post, texts_of_draft
from app.workspace.usage import UsageBook
from app.workspace.warnings.checks import is_inbox_full
from app.workspace.warnings.limits import LimitsAsked
from app.workspace.warnings.presence import Attendance
from app.workspace.warnings.warning import PlanWarning, PlanWarnings
from app.workspace.warnings.watch import Sources, Watch
from app.workspace.webhooks.webhooks import Webhooks

if TYPE_CHECKING:
    from app.workspace.exchange.csv_exchange import CsvExchange

_log = logging.getLogger(__name__)


class Workspace:
    """Opened with ``open``, used on its event loop's thread only, closed with ``close``.

    Besides posts and accounts: ``drafts`` and their ``versions``, ``slots`` (the weekly posting times),
    ``boards`` (of Pinterest accounts), ``tiktok`` (what creators may choose), ``flows`` (accounts that are
    being connected), ``places`` (accounts on companion networks), ``finishing`` (posts that the user
    publishes by hand), ``faces`` (pictures of accounts), ``snippets`` (saved texts), ``emoji`` (the recent
    ones), ``spelling``, ``media`` (uploads and files), ``catalogues`` (files), ``published`` (published
    content), ``analytics`` (its metrics), ``usage`` (what the service counts), ``webhooks``, ``csv`` (import
    and export of tables), ``notices`` (notifications), ``samples`` (the sample week), and ``spending`` (what
    posts cost).

    Commands (``move``, ``plan``, ``cancel``, ``undo``, ``redo``) show their effect and notify listeners
    before they return. Then they're written to disk, then sent. Results arrive as changes and messages.
    """

    def __init__(
        self, core: Core, kept: Kept, path: Path, *, name: str, practice: bool, runs_here: bool
    ) -> None:
        """Use ``open``."""
        self.name = name
        self._core = core
        self._keepsake = Keepsake(core.database, path)
        damaged = kept.rescue
        self._unsaid = [Message("warning", damaged.words, str(damaged.set_aside))] if damaged else []
        self._book = AccountBook(practice=practice)
        self._book.load(kept.first.accounts)
        take_up(core, kept)
        self._link = Link(core.pace, core.clock, self._link_changed)
        self._journal = Journal(core, on_saved=self._saved)
        self._commands = PostCommands(core, self._journal)
        for idempotency_key, key in kept.first.planned:
            self._commands.remember(idempotency_key, key)
        self._conflicts, self._writing = Conflicts(core, self._journal), KeptSoon(core)
        self._composer = DraftKeeper(core, self._writing, self._commands.has_planned)
        self.drafts, self.versions = Drafts(core, self._writing, kept.drafts), DraftVersions(core)
        self._text_moves = TextMoves(self._commands, self._journal, self._composer, self.drafts)
        self.catalogues, self._refusals = Catalogues(core), Refusals(core, kept.refused)
        self.media = self._make_media(core, kept, path, thumbnails := Thumbnails())
        self._salvage = Salvage(core, self.drafts, self.media.uploads.adopt)
        delivery = Delivery(core, self._link, self._salvage, self._refusals)
        self._outbox = Outbox(core, self._journal, self._link, delivery)
        self._sync = Sync(core, self._book, self._link, kept.position, self._salvage, self._in_contact)
        self.flows, self._reader = ConnectionFlows(core, self._book, self._sync), PostReader(core, self._sync)
        self._server_limits = ServerLimits(core, self._book)
        self.places = Places(core, self._sync)
        self.interruptions = Interruptions(core, lambda: self.accounts, self._sync.explain_soon)
        self.finishing = Finishing(core, self._sync, lambda: self._book.listed)
        self.spending = Spending(core, lambda: self.accounts, self.texts)
        self.samples = SampleWeek(core, self._writing, lambda: bool(self._book.listed))
        self.slots, self.spelling = SlotPlan(core, kept.first.slots), Spelling(core)
        self.boards, self.snippets, self.emoji = Boards(core), Snippets(core), EmojiHabits(core)
        self.faces = AccountPictures(path.with_suffix(".faces"), core.client, thumbnails)
        self._make_offered(core)
        self._watch = Watch(core, self._sources(runs_here=runs_here))
        self.notices = Notices(core, lambda: self._book.listed, self.media.uploads, runs_here=runs_here)
        self._parts = Supervisor(core)

    @cached_property
    def csv(self) -> "CsvExchange":
        from app.workspace.exchange.csv_exchange import CsvExchange

        return CsvExchange(
            self._core,
            self._commands,
            self.media,
            self.boards,
            self.tiktok,
            self.finishing,
            lambda: self.accounts,
        )

    def _make_offered(self, core: Core) -> None:
        """Make the parts for what services may offer beyond the specification."""

        def offers() -> frozenset[str]:
            return self._sync.offers

        self.tiktok = TikTok(core, offers, self._sync.explanations.take_inboxes)
        self.published = Published(core, offers)
        self.analytics = Analytics(core, self.published, offers)
        self.webhooks, self.setups = Webhooks(core, offers), Setups(core, offers)
        self.packs, self.usage = Packs(core, offers), UsageBook(core, offers)

    def _make_media(self, core: Core, kept: Kept, path: Path, thumbnails: Thumbnails) -> Media:
        return Media(
            core,
            self._link,
            self.catalogues,
            kept.uploads,
            kept.imports,
            lambda: self.accounts,
            pictures=path.with_suffix(".pictures"),
            copies=path.with_suffix(".copies"),
            thumbnails=thumbnails,
            lists_files=lambda: "media" in self._sync.offers,
            attached=self._attached_uploads,
        )

    async def _attached_uploads(self, with_composer: bool) -> list[Collection[str]]:
        """Return the IDs of the uploads of each draft. Raises Problem."""
        composer = await self._composer.load() if with_composer else None
        contents = [*(draft.content for draft in self.drafts.all()), *([composer] if composer else [])]
        return [content.uploads for content in contents]

    @classmethod
    async def open(
        cls,
        client: ServiceClient,
        path: Path,
        *,
        name: str,
        practice: bool = False,
        runs_here: bool = False,
        clock: Clock = wall_clock,
        pace: Pace | None = None,
        first: FirstRows | None = None,
        open_database: OpenDatabase = Database,
        new_id: Callable[[], UUID] = uuid4,
    ) -> Self:
        """Open or create the file at ``path`` and start syncing with the service.

        All stored data is loaded when this returns; it's read in threads. A damaged file is replaced, and a
        message says so. The client is closed with the workspace. ``runs_here``: the service sleeps when this
        computer does. ``first`` are rows that were just read from the file, which has been locked since.
        ``new_id`` names new posts. Raises Problem with kind damaged, disk_full or failed.
        """
        try:
            database, kept = await open_kept(path, first, open_database)
        except (DatabaseError, OSError) as error:
            raise problem_of(error) from error
        mirror = Mirror(kept.timeline, steady=asyncio.get_running_loop().time)
        core = Core(client, database, clock, pace or Pace(), mirror, new_id=new_id)
        workspace = cls(core, kept, path, name=name, practice=practice, runs_here=runs_here)
        workspace._start()
        return workspace

    def _start(self) -> None:
        self.versions.forget_old()

        def is_known() -> bool:
            return self._sync.last_synced is not None

        parts = self._outbox, self._sync, self._sync.stream, self.media.uploads
        running: list[Run] = [
            *(part.run for part in parts),
            self._server_limits.run,
            partial(self._watch.run, is_known),
            partial(self.notices.run, is_known),
            self.media.forget_copies,
            self.media.alt_texts.begin,
            self.samples.load,
            self.spending.load,
        ]
        self._parts.start(running)

    def _sources(self, *, runs_here: bool) -> Sources:
        """The data that warnings are based on."""
        return Sources(
            accounts=lambda: self._book.listed,
            uploads=self.media.uploads,
            drafts=self.drafts,
            asked=LimitsAsked(self._core, self.usage, self._link, lambda: self._sync.offers),
            tiktok=self.tiktok,
            attendance=Attendance(self._core) if runs_here else None,
        )

    def _link_changed(self) -> None:
        self._core.changes.tell(Changes(sync=True))
        self.media.uploads.wake()

    def _in_contact(self) -> None:
        self._outbox.wake()
        self._server_limits.wake()
        self.media.uploads.wake()
        self.media.alt_texts.wake()

    def _saved(self) -> None:
        self._outbox.wake()
        if not self._journal.unsaved:
            self._core.changes.tell(Changes(sync=True))

    def key_of(self, service_id: UUID) -> str:
        """Return the local key of a post of the service, even if it isn't stored yet."""
        return self._core.mirror.key_of(service_id)

    @property
    def posts(self) -> Timeline:
        return self._core.mirror.timeline

    @property
    def accounts(self) -> Mapping[str, Account]:
        """By key, in the order of their connection."""
        return MappingProxyType(self._book.listed)

    @property
    def base_url(self) -> str:
        return self._core.client.base_url

    @property
    def practice(self) -> bool:
        """Whether the platforms behind the service are stand-ins."""
        return self._book.practice

    @property
    def sync(self) -> SyncStatus:
        return self._sync.status(saving=self._journal.unsaved)

    @property
    def warnings(self) -> PlanWarnings:
        """The warnings about planned posts, as of a moment ago."""
        return self._watch.found

    @property
    def inboxes(self) -> frozenset[str]:
        """Keys of the accounts with scheduled posts that go to the user's inbox on the platform."""
        return self.tiktok.inboxes

    def is_inbox_full(self, account_key: str, at: int, replaced: str = "") -> bool:
        """Whether a post at ``at``, in ms, would be one too many in an account's inbox.

        ``replaced`` is the key of the post whose place it takes; "" for none.
        """
        return is_inbox_full(account_key, at, self.posts, replaced)

    def usual_time(self, key: str) -> int | None:
        """Return the first time after a post's own, within a week, when this computer is usually on."""
        return self._watch.usual_time(key)

    async def put_aside(self, warnings: Iterable[PlanWarning]) -> None:
        """Dismiss warnings that may be intended; ``show_again`` reverts it. Raises Problem."""
        await self._watch.put_aside(warnings)

    async def show_again(self) -> None:
        """Show dismissed warnings again. Raises Problem."""
        await self._watch.show_again()

    @property
    def undo_label(self) -> str | None:
        return self._core.history.undo_label

    @property
    def redo_label(self) -> str | None:
        return self._core.history.redo_label

    @property
    def history(self) -> list[Entry]:
        """The steps done here, newest first: those that can be redone, then those that can be undone."""
        return self._core.history.entries()

    @property
    def conflicts(self) -> list[Conflict]:
        """Posts that were changed both here and elsewhere; nothing of them is sent until the user chooses."""
        return self._conflicts.all()

    def listen(self, listener: Callable[[Changes], None]) -> Callable[[], None]:
        """Subscribe to changes; call the result to unsubscribe."""
        return self._core.changes.add(listener)

    def listen_messages(self, listener: Callable[[Message], None]) -> Callable[[], None]:
        """Subscribe to messages; call the result to unsubscribe. The first subscriber gets earlier ones."""
        unsubscribe = self._core.messages.add(listener)
        unsaid, self._unsaid = self._unsaid, []
        for message in unsaid:
            listener(message)
        self._refusals.tell()
        return unsubscribe

    def refusal(self, key: str, at: int, *, again: bool = False) -> str | None:
        """Return why a move, or with ``again`` scheduling a cancelled post, would be refused, or None.

        Fast enough for a drag.
        """
        return self._commands.refusal(key, at, again=again)

    def move(self, times: Mapping[str, int]) -> None:
        """Move posts to new times in ms, as one undo step.

        Posts that can't be moved there, and cancelled ones, stay; a message names them.
        """
        self._commands.move(times)

    def schedule_again(self, times: Mapping[str, int]) -> list[str]:
        """Schedule cancelled posts again, as one undo step; return the keys of those scheduled.

        A message names posts that can't be published at their time.
        """
        return self._commands.schedule_again(times)

    def plan(self, posts: Sequence[NewPost]) -> list[str]:
        """Plan posts, as one undo step, and return their keys. If it raises Problem, none is planned.

        Posts without a time wait for a few seconds, in which they can be taken back.
        """
        return self._held(posts, self._commands.plan(posts))

    def replace(self, key: str, posts: Sequence[NewPost]) -> list[str]:
        """Plan posts instead of another one, which is cancelled once the service has the first of them.

        If the user cancels that one before it's sent, the other one is cancelled immediately.
        Raises Problem; of the kind ``not_replaceable`` if the existing post is published or removed.
        """
        return self._held(posts, self._commands.plan(posts, instead_of=key))

    def take_back(self, keys: Iterable[str]) -> list[str]:
        """Remove new posts of which nothing was sent yet; return the keys of those removed."""
        gone = self._commands.unsent(keys)
        self._commands.take_back(gone)
        return gone

    def unsent(self, keys: Iterable[str]) -> list[str]:
        """Return the keys of those new posts of which nothing was sent yet."""
        return self._commands.unsent(keys)

    async def take_back_as_draft(self, keys: Sequence[str], draft: ComposerDraft, made_from: str) -> bool:
        """Turn new posts of which nothing was sent yet into a draft with a new ID.

        ``made_from`` is the ID of their own draft. If it can't be written, both stay as they were, a message
        says so, and False is returned.
        """
        return await self._text_moves.take_back(keys, draft, made_from)

    def cancel(self, keys: Iterable[str]) -> None:
        """Cancel posts, as one undo step; undoing or ``schedule_again`` resumes them."""
        self._commands.cancel(keys)

    def undo(self) -> None:
        """Undo the newest step; a message says what couldn't be undone."""
        self._commands.undo()

    def redo(self) -> None:
        """Redo the last undone step."""
        self._commands.redo()

    def undo_step(self, step_id: int) -> None:
        """Undo a step of ``history`` if it's the newest one; otherwise a message says where to undo it."""
        self._commands.undo_step(step_id)

    def go_to_step(self, step_id: int) -> None:
        """Undo or redo until a step of ``history`` is the newest one done; 0 undoes all."""
        self._commands.go_to(step_id)

    def keep_here(self, keys: Iterable[str]) -> None:
        """Resolve conflicts in favour of this app's changes, and send them."""
        self._conflicts.keep_here(keys)
        self._outbox.wake()

    def keep_there(self, keys: Iterable[str]) -> None:
        """Resolve conflicts in favour of the other changes."""
        self._conflicts.keep_there(keys)

    async def detail(self, key: str) -> PostDetail:
        """Return a complete post; without the service, ``attempts`` is None. Raises Problem if it's gone."""
        return await self._reader.detail(key)

    async def stored_detail(self, key: str) -> PostDetail:
        """Return a post without its attempts, which doesn't wait for the service. Raises Problem."""
        return await self._reader.stored_detail(key)

    @property
    def tells_attempts(self) -> bool:
        """Whether the service lists attempts to publish, which name a post's page."""
        return "attempts" in self._sync.offers

    @property
    def takes_outcomes(self) -> bool:
        """Whether the service can be told what became of a post whose outcome is unknown."""
        return "outcomes" in self._sync.offers

    async def report_outcome(self, key: str, *, is_live: bool) -> None:
        """Report what the user found on the platform after a lost answer. Raises Problem."""
        await self._sync.explanations.report(key, is_live=is_live)

    async def texts(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the whole texts of posts, by key. Raises Problem."""
        return await self._reader.texts(keys)

    async def search(self, typed: str, most: int = 50) -> SearchHits:
        """Search posts, drafts and files by prefixes of words, ignoring case and accents. Raises Problem."""
        return await self._reader.search(typed, most)

    async def matching(self, typed: str) -> frozenset[str] | None:
        """Return the keys of all posts with these words, for ``PostFilter.select``; None for no words."""
        return await self._reader.matching(typed)

    def use_key(self, api_key: str) -> None:
        """Use another, tested API key of the same service."""
        self._core.client.use_key(api_key)

    def go_another_way(self) -> None:
        """Reconnect immediately, because the proxy has changed."""
        self._core.client.go_another_way()
        self._link.retry_now()

    def look_again(self) -> None:
        """Contact the service immediately, because it has just started."""
        self._link.retry_now()
        self._in_contact()

    async def refresh(self) -> None:
        """Sync everything now; raises Problem."""
        await self._sync.everything()

    def check_service(self) -> None:
        """Find out soon whether the service still answers, because it refused or missed another call."""
        self._sync.check_soon()

    def set_active(self, active: bool) -> None:
        """Set whether the window is active: then the service is polled every few seconds."""
        self._sync.set_active(active)

    async def load_composer(self) -> ComposerDraft | None:
        """Return the draft saved in an earlier run; None if it's already planned. Raises Problem."""
        return await self._composer.load()

    def save_composer(self, draft: ComposerDraft | None) -> None:
        """Save the composer's draft; None deletes it. May be called several times per second."""
        self._composer.save(draft)

    def empty_composer(self, scheduled: ComposerDraft, keys: Iterable[str]) -> None:
        """Empty the composer, whose draft was scheduled as these posts.

        Its text stays on disk as a draft until they are.
        """
        self._text_moves.empty_composer(scheduled, keys)

    @property
    def is_writing_kept(self) -> bool:
        """Whether the composer's draft and all other drafts are on disk."""
        return self._writing.is_kept

    def unsaved_texts(self) -> list[UnsavedText]:
        """Return texts that couldn't be written to disk; they'd be lost if the workspace was closed now."""
        found = [text_of_post(row) for row in self._journal.unsaved_posts()]
        if self._writing.is_failing:
            kept = self._composer.unsaved()
            for draft in (*([kept] if kept else ()), *(one.content for one in self.drafts.unsaved())):
                found += texts_of_draft(draft)
        return found

    def unsaved_posts(self) -> int:
        """Return the number of new posts among `unsaved_texts`."""
        return len(self._journal.unsaved_posts())

    async def close(self) -> None:
        """Stop sending, write everything pending, and close the file and the connections."""
        await self.flows.close()
        await self._parts.stop()
        self._link.close()
        self._salvage.tell()
        await self.media.close()
        await self.faces.close()
        await self._journal.flush()
        await self._text_moves.close()
        try:
            await self._writing.flush()
            await self._sync.save()
        except DatabaseError:
            _log.exception("the last changes could not be kept")
        self.spelling.close()
        await self._keepsake.close()
        await asyncio.to_thread(self._core.database.close)
        await self._core.client.close()

    def _held(self, posts: Sequence[NewPost], keys: list[str]) -> list[str]:
        immediate = [key for post, key in zip(posts, keys, strict=True) if post.at is None]
        self._outbox.hold(immediate, self._core.pace.publish_hold)
        return keys
