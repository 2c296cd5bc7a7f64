"""Posts planned here that the service lost or changed: what the user wrote becomes a draft."""

import asyncio
import logging
import unicodedata
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from itertools import count
from typing import Final
from uuid import NAMESPACE_OID, uuid5

from pydantic import TypeAdapter
from sqlalchemy import Connection

from app.contract.enums import PostStatus
from app.database import DatabaseError
from app.language import tr, trn
from app.workspace.changes import Changes
from app.workspace.core import Core
from app.workspace.drafts.drafts import (
    CONTENT,
    Draft,
    Drafts,
    load_draft,
    load_unedited,
    put_new_drafts,
    remove_drafts,
)
from app.workspace.editing.boards import Board
from app.workspace.editing.draft import ComposerDraft
from app.workspace.editing.options import PostOptions, read_options
from app.workspace.media.upload import Upload, stored_upload
from app.workspace.messages import Message, MessageAction, Problem
from app.workspace.outbox.intention import Intention, wanted_of
from app.workspace.posts.refusal import named
from app.workspace.store import loading
from app.workspace.store.journal import Batch
from app.workspace.store.loading import PostRow
from app.workspace.store.tables import get_setting, put_setting
from app.workspace.tiktok import TikTokDraft, read_choice
from app.workspace.undo import NO_CHANGE

SHOW_DRAFTS: Final = "show_drafts"
"""The verb of a message that leads to the drafts."""
_ROUNDED_MS: Final = 60_000
"""A service may round times by less than this."""
_OVER: Final = frozenset({PostStatus.POSTED, PostStatus.CANCELLED})
_AT_THE_PLATFORM: Final = frozenset({PostStatus.QUEUED, PostStatus.PROCESSING})

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Saved:
    """A draft made of a post, with the upload that it names, if one had to be made.

    ``key`` is the post's. ``changes`` says what the service changed; it is empty for a post that the service
    lost.
    """

    key: str
    draft: ComposerDraft
    upload: Upload | None
    name: str
    changes: tuple[str, ...] = ()
    may_be_live: bool = False

    @property
    def line(self) -> str:
        """The post, and what the service changed."""
        return f"{self.name}: {', '.join(self.changes)}" if self.changes else self.name


@dataclass(frozen=True, slots=True)
class _Known:
    """Columns of a post that the service doesn't return, and the ID of the draft that it became, if any."""

    idempotency_key: str
    board_id: str | None
    board_name: str | None
    link: str | None
    tiktok: str | None
    options: str | None
    draft_id: str = ""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a batch did to drafts: those to show and those added, and what was in those removed."""

    told: Sequence[Saved]
    added: Sequence[Saved]
    removed: Sequence[ComposerDraft]


_UNTOLD: Final = frozenset(field.name for field in fields(_Known)) - {"draft_id"}
_LOST: Final = "lost post "
"""Prefix of the settings with columns of posts that the service lost, by its ID."""
_KNOWN: Final = TypeAdapter(_Known)


class Salvage:
    """Writes what the service said of posts. Nothing planned here is lost on the way.

    ``adopt`` takes uploads of stored files into memory.
    """

    def __init__(self, core: Core, drafts: Drafts, adopt: Callable[[Upload], Awaitable[None]]) -> None:
        self._core = core
        self._drafts = drafts
        self._adopt = adopt
        self._untold: list[Saved] = []
        self._timer: asyncio.TimerHandle | None = None

    async def write(self, batch: Batch) -> None:
        """Write a batch, and in the same transaction the drafts of posts that it removes or changes.

        The draft of a lost post that is back is removed, unless it was edited. Raises DatabaseError.
        """
        if not (batch.rows or batch.removed):
            await self._core.commit(batch.apply)
            return
        now = self._core.clock()
        outcome = await self._core.commit(partial(_write, batch=batch, now=now))
        for one in outcome.added:
            await self._take_upload(one)
        if outcome.added:
            self._drafts.take_in([Draft(one.draft, now, now) for one in outcome.added])
        if outcome.removed:
            self._take_out(outcome.removed)
        self._untold += outcome.told
        if outcome.told and self._timer is None:  # several losses within a moment are one message
            self._timer = asyncio.get_running_loop().call_later(self._core.pace.losses, self.tell)

    def _take_out(self, removed: Sequence[ComposerDraft]) -> None:
        """Forget drafts of posts that are back, and say so, unless nothing was said of their loss yet."""
        self._drafts.take_out(removed)
        ids, untold = {one.draft_id for one in removed}, self._untold
        self._untold = [one for one in untold if one.draft.draft_id not in ids]
        if count := len(ids) - (len(untold) - len(self._untold)):
            text = trn(
                "A lost post is back, so its draft was removed.",
                "{n} lost posts are back, so their drafts were removed.",
                count,
            )
            self._core.messages.tell(Message("info", text))

    async def remove(self, keys: Collection[str]) -> None:
        """Forget posts that the service no longer has. Raises DatabaseError, and then the posts stay.

        If the service lists one again, it's stored under the service's ID. Its undo steps are kept for that.
        """
        mirror = self._core.mirror
        before = [(base, mirror.intentions.get(key)) for key in keys if (base := mirror.base(key))]
        ids = {base.key: mirror.service_id(base.key) for base, _ in before}
        late = [mirror.unanswered(base.key, wanted_of(base)) for base, _ in before]
        mirror.remove(keys)
        history, renamed = self._core.history, NO_CHANGE
        listed_as = {key: str(service_id) for key, service_id in ids.items() if service_id is not None}
        for key, later in listed_as.items():
            renamed |= history.rename(key, later) if key != later else NO_CHANGE
        self._core.changes.tell(Changes(removed=frozenset(keys), undo=renamed != NO_CHANGE, sync=True))
        try:
            await self.write(Batch(removed=tuple(keys), history=renamed))
        except DatabaseError:
            for key in ids:
                history.rename(listed_as.get(key, key), key)
                mirror.identify(key, listed_as.get(key))
            wishes = mirror.intentions  # the service may have listed a post again meanwhile
            now = [(mirror.base(base.key) or base, wishes.get(base.key, wish)) for base, wish in before]
            mirror.put_all(now)
            mirror.await_late(late)
            self._core.changes.tell(Changes(posts=frozenset(ids), undo=renamed != NO_CHANGE, sync=True))
            raise

    def tell(self) -> None:
        """Say what became of posts since the last message."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        untold, self._untold = self._untold, []
        if lost := [one for one in untold if not one.changes]:
            self._tell(f"{_lost_words(len(lost))} {_live_words(lost)}".rstrip(), lost)
        if changed := [one for one in untold if one.changes]:
            text = trn(
                "The service changed a post you scheduled here. Your version was saved to Drafts.",
                "The service changed {n} posts you scheduled here. Your versions were saved to Drafts.",
                len(changed),
            )
            self._tell(text, changed)

    def _tell(self, text: str, saved: Sequence[Saved]) -> None:
        details = "\n".join(one.line for one in saved)
        action = MessageAction(tr("Show drafts"), SHOW_DRAFTS)
        self._core.messages.tell(Message("warning", text, details, action))

    async def _take_upload(self, saved: Saved) -> None:
        if saved.upload is not None:
            try:
                await self._adopt(saved.upload)
            except Problem as problem:  # its row is written; the next start knows it
                _log.warning("a stored file is not known to the drafts yet: %s", problem)


def _lost_words(count: int) -> str:
    return trn(
        "The service no longer has a post you scheduled here. Its text was saved to Drafts.",
        "The service no longer has {n} posts you scheduled here. Their texts were saved to Drafts.",
        count,
    )


def _live_words(lost: Sequence[Saved]) -> str:
    live = sum(one.may_be_live for one in lost)
    if not live:
        return ""
    if len(lost) == 1:
        return tr("It may have been published. Check the platform before you schedule it again.")
    return trn(
        "{n} of them may have been published. Check the platform before you schedule it again.",
        "{n} of them may have been published. Check the platforms before you schedule them again.",
        live,
    )


def _write(connection: Connection, batch: Batch, now: int) -> _Outcome:
    """Write the batch, and drafts.

    Only the first change of a post is shown, because a service may return two versions in turn.
    """
    lost = [_under_free_id(connection, one) for one in _lost(connection, batch, now)]
    changed = list(_changed(connection, batch, now))
    _note_lost(connection, batch, {one.key: one.draft.draft_id for one in lost})
    back = {row.key: known for row in batch.rows if (known := _known(connection, row)) is not None}
    removed = [draft for row in batch.rows if (draft := _superseded(connection, row, back)) is not None]
    remove_drafts(connection, [draft.draft_id for draft in removed])
    replace(batch, rows=tuple(_recognized(row, back) for row in batch.rows)).apply(connection)
    changed = [one for one in changed if not loading.is_scheduled(connection, one.draft.draft_id)]
    worth = {one.draft.draft_id: one for one in (*lost, *changed) if not one.draft.is_empty}
    written = put_new_drafts(connection, [Draft(one.draft, now, now) for one in worth.values()])
    told = [one for draft_id, one in worth.items() if draft_id in written or not one.changes]
    return _Outcome(told, [worth[draft_id] for draft_id in written], removed)


def _under_free_id(connection: Connection, lost: Saved) -> Saved:
    """Return it with the ID of the draft of an equal loss, unless that one was scheduled or edited."""
    content = CONTENT.dump_json(replace(lost.draft, draft_id="")).decode()
    for number in count():
        draft_id = str(uuid5(NAMESPACE_OID, f"{lost.draft.draft_id} {number} {content}"))
        draft = replace(lost.draft, draft_id=draft_id)
        if load_draft(connection, draft_id) not in (None, draft):
            continue
        if not loading.is_scheduled(connection, draft_id):
            return replace(lost, draft=draft)
    raise AssertionError("unreachable")


def _note_lost(connection: Connection, batch: Batch, draft_ids: Mapping[str, str]) -> None:
    """Remember what only the app knows of removed posts, in case the service lists one again."""
    for row in loading.posts_planned_here(connection, batch.removed):
        if row.service_id is not None:
            untold = {name: getattr(row, name) for name in _UNTOLD}
            known = _Known(**untold, draft_id=draft_ids.get(row.key, ""))
            put_setting(connection, _LOST + row.service_id, known, _KNOWN)


def _known(connection: Connection, row: PostRow) -> _Known | None:
    """Return what is remembered of a post of the service, if it was lost and is back."""
    known = get_setting(connection, _LOST + row.key, _KNOWN) if row.key == row.service_id else None
    if known is None or loading.has_idempotency_key(connection, known.idempotency_key):
        return None
    return known


def _recognized(row: PostRow, back: Mapping[str, _Known]) -> PostRow:
    """Return a row of the service with what is remembered of the post, if it was lost and is back."""
    if row.key not in back:
        return row
    known = asdict(back[row.key])
    return replace(row, **{name: known[name] for name in _UNTOLD if getattr(row, name) is None})


def _superseded(connection: Connection, row: PostRow, back: Mapping[str, _Known]) -> ComposerDraft | None:
    """Return the draft of a lost post that is back with the same content, unless the draft was edited."""
    draft = load_unedited(connection, back[row.key].draft_id) if row.key in back else None
    if draft is None or draft.account_keys != (row.account_key,):
        return None
    is_same = (_plain(draft.text), _plain(draft.title)) == (_plain(row.description), _plain(row.title))
    return draft if is_same and bool(draft.upload_id) == bool(row.media_storage_path) else None


def _lost(connection: Connection, batch: Batch, now: int) -> Iterator[Saved]:
    """What goes with the removed posts, unless they are published or were not to be published."""
    wishes = {wish.key: wish for wish in loading.intentions(connection, batch.removed)}
    for row in loading.posts_planned_here(connection, batch.removed):
        wish, status = wishes.get(row.key), PostStatus(row.status)
        is_over = row.posted_at is not None or status in _OVER
        if not is_over and not (wish is not None and wish.wanted.cancelled):
            at = row.at if wish is None else wish.wanted.at
            is_due = row.at <= now or status in _AT_THE_PLATFORM
            yield _saved(connection, row, at, now, may_be_live=row.may_be_live or is_due)


def _changed(connection: Connection, batch: Batch, now: int) -> Iterator[Saved]:
    """What the service says otherwise than it was sent."""
    rows = {row.key: row for row in batch.rows}
    wishes = {wish.key: wish for wish in loading.intentions(connection, rows)}
    for sent in loading.posts_planned_here(connection, list(rows)):
        if changes := tuple(_differences(sent, rows[sent.key], wishes.get(sent.key))):
            yield _saved(connection, sent, _sent_at(sent, wishes.get(sent.key)), now, changes)


def _differences(sent: PostRow, told: PostRow, wish: Intention | None) -> Iterator[str]:
    """What differs, in words. After a repeated call, others may have moved the post already."""
    if _plain(sent.description) != _plain(told.description):
        yield tr("the text")
    if _plain(sent.title) != _plain(told.title):
        yield tr("the title")
    if sent.account_key != told.account_key:
        yield tr("the account")
    if sent.media_storage_path != told.media_storage_path:
        yield tr("the file")
    is_repeated = wish is not None and wish.attempts > 1
    is_created = sent.service_id is None and not (sent.immediate or is_repeated)
    if is_created and abs(told.at - _sent_at(sent, wish)) >= _ROUNDED_MS:
        yield tr("the time")


def _sent_at(sent: PostRow, wish: Intention | None) -> int:
    return sent.at if wish is None or wish.create_at is None else wish.create_at


def _plain(text: str | None) -> str:
    """A text without what services may normalize: Unicode form, line ends, space around it."""
    return unicodedata.normalize("NFC", (text or "").replace("\r\n", "\n")).strip()


def _saved(
    connection: Connection,
    row: PostRow,
    at: int,
    now: int,
    changes: tuple[str, ...] = (),
    *,
    may_be_live: bool = False,
) -> Saved:
    """A post planned here as a draft, under an ID of its own, which is the same however often it's lost."""
    account, path = row.account_key, row.media_storage_path
    upload = stored_upload(connection, path, now) if path else None
    draft = ComposerDraft(
        text=row.description or "",
        title=row.title or "",
        account_keys=(account,),
        at=at,
        upload_id=upload.id if upload is not None else f"lost/{path}" if path else "",
        boards={account: Board(row.board_id, row.board_name or "")} if row.board_id else {},
        link=row.link or "",
        tiktok={account: TikTokDraft.of(choice)} if (choice := read_choice(row.tiktok)) else {},
        options={account: PostOptions.of(options)} if (options := read_options(row.options)) else {},
        by_hand=(account,) if row.by_hand else (),
        draft_id=str(uuid5(NAMESPACE_OID, f"post {row.key if changes else row.service_id or row.key}")),
    )
    return Saved(row.key, draft, upload, named(row.planned()), changes, may_be_live)
