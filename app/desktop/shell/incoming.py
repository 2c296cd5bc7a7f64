"""Starts posts from dropped files and from drafts."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from app.desktop.aio import TaskScope
from app.desktop.carried import Carried
from app.desktop.shell.undoable import Undoable
from app.desktop.shell.window import MainWindow
from app.language import tr, trn
from app.workspace.clock import wall_clock
from app.workspace.editing.accounts import unusable
from app.workspace.editing.draft import ComposerDraft
from app.workspace.media.library import refusals
from app.workspace.media.local_file import LocalFile
from app.workspace.media.upload import Upload
from app.workspace.messages import Message, MessageAction
from app.workspace.slots.slots import Place, free_slots, one_a_day, spread
from app.workspace.time.wall import WallClock
from app.workspace.workspace import Workspace

if TYPE_CHECKING:
    from app.desktop.composer import ComposerPanel
    from app.desktop.drafts import Planned

FORGET = "forget_drafts"
"""The verb of a message that removes new drafts; its subject is their IDs."""
PUT_BACK = "put_back_draft"
"""The verb of a message that restores a draft; its subject is the ID."""
_UploadFiles = Callable[[Sequence[LocalFile]], Awaitable[list[Upload]]]
_BY_SLOTS = tr("Each file gets the next free slot of an account that accepts it.")
_BY_DAYS = tr(
    "No posting times are set, so each file gets a day of its own. Choose the accounts in each draft."
)


class Incoming:
    """Makes drafts. ``compose`` opens the composer at a time on the saved draft."""

    def __init__(
        self,
        window: MainWindow,
        workspace: Workspace,
        zone: ZoneInfo,
        compose: "Callable[[int | None], ComposerPanel]",
        scope: TaskScope,
        undoable: Undoable,
    ) -> None:
        self._window = window
        self._workspace = workspace
        self._zone = zone
        self._compose = compose
        self._scope = scope
        self.undoable = undoable

    async def take(self, found: Carried, at: int | None) -> None:
        """Start a post from something dropped on a time. Raises Problem.

        Several files are spread over free times after a preview; of several drafts, the first one opens.
        """
        if found.drafts:
            await self.open_draft(found.drafts[0], at)
        elif found.media:
            await self._take_stored(found.media, at)
        elif len(found.files) > 1:
            files = await self._workspace.media.look_at(found.files)
            self._show_spread(files, at, self._workspace.media.queue)
        elif found.files:
            (upload,) = await self._workspace.media.add_files(found.files)
            await self._begin_new(at, upload_id=upload.id)
        else:
            await self._begin_new(at, text=found.text)

    async def begin_with(self, text: str, files: Sequence[Path], at: int | None) -> None:
        """Start a post with a text and a file; several files become one post each. Raises Problem."""
        if len(files) > 1:
            await self.take(Carried(files=tuple(files)), at)
            return
        uploads = await self._workspace.media.add_files(list(files))
        await self._begin_new(at, text=text, upload_id=uploads[0].id if uploads else "")

    async def begin(self, draft: ComposerDraft, at: int | None) -> "ComposerPanel":
        """Open the composer on a draft; its previous content becomes a draft."""
        self._window.close_side()  # saves its content
        kept = await self._workspace.load_composer()
        if kept is not None and not kept.is_empty and kept.draft_id != draft.draft_id:
            self._workspace.drafts.keep(kept)
            self._window.messages.tell(Message("info", tr("Your post was saved to Drafts.")))
        self._workspace.save_composer(draft)
        self._window.go("calendar")
        return self._compose(at)

    async def open_draft(self, draft_id: str, at: int | None = None) -> None:
        """Continue a draft, at its own time or another. It leaves the list once the composer has it."""
        draft = self._workspace.drafts.get(draft_id)
        kept = await self._workspace.load_composer()
        if kept is not None and kept.draft_id == draft_id:
            self._window.go("calendar")
            self._compose(at)
            return
        if draft is None:
            self._window.messages.tell(Message("info", tr("This draft no longer exists.")))
            return
        await self.begin(draft.content if at is None else replace(draft.content, at=at), at)
        self._workspace.drafts.remove([draft_id])

    def undo_of(self, draft_ids: Sequence[str]) -> MessageAction:
        """Return a message's action that removes new drafts again."""
        self.undoable.new_drafts.update({id_: self._workspace.drafts.get(id_) for id_ in draft_ids})
        return MessageAction(tr("Undo"), FORGET, " ".join(draft_ids))

    async def forget(self, draft_ids: Sequence[str]) -> None:
        """Remove new drafts and cancel their uploads, except those edited since. Raises Problem."""
        there = [draft for id_ in draft_ids if (draft := self._workspace.drafts.get(id_))]
        drafts = [draft for draft in there if draft == self.undoable.new_drafts.get(draft.id)]
        if kept := len(there) - len(drafts):
            text = trn("{n} draft was edited and stays.", "{n} drafts were edited and stay.", kept)
            self._window.messages.tell(Message("info", text))
        self._workspace.drafts.remove([draft.id for draft in drafts])
        for draft in drafts:
            for upload in self._unfinished(draft.content):  # other drafts may use stored files
                await self._workspace.media.cancel(upload.id)

    async def offer_back(self, draft: ComposerDraft) -> None:
        """Offer to restore a deleted draft, and cancel its uploads. Raises Problem.

        The offer comes first, because it must not depend on a disk that may be full.
        """
        unfinished = {upload.id: upload.path for upload in self._unfinished(draft)}
        self.undoable.deleted_drafts[draft.draft_id] = draft, unfinished
        action = MessageAction(tr("Restore"), PUT_BACK, draft.draft_id)
        self._window.messages.tell(Message("info", tr("Draft deleted."), action=action))
        for upload_id in unfinished:
            await self._workspace.media.cancel(upload_id)

    async def put_back(self, draft_id: str) -> None:
        """Restore a deleted draft and restart its uploads. Raises Problem."""
        thrown = self.undoable.deleted_drafts.pop(draft_id, None)
        if thrown is None:
            self._window.messages.tell(Message("info", tr("This draft no longer exists.")))
            return
        draft, unfinished = thrown
        self._workspace.drafts.keep(draft)
        known = self._workspace.media.uploads
        if gone := {id_: path for id_, path in unfinished.items() if known.get(id_) is None}:
            uploads = await self._workspace.media.add_files(list(gone.values()))
            restarted = {old: upload.id for old, upload in zip(gone, uploads, strict=True)}
            self._workspace.drafts.keep(draft.with_uploads(restarted))

    def _unfinished(self, draft: ComposerDraft) -> list[Upload]:
        """Return the unfinished uploads of a draft."""
        found = (self._workspace.media.uploads.get(id_) for id_ in draft.uploads)
        return [upload for upload in found if upload is not None and not upload.is_done]

    async def _begin_new(self, at: int | None, *, text: str = "", upload_id: str = "") -> None:
        """Start a post for the accounts of the last one."""
        kept = await self._workspace.load_composer()
        accounts = kept.account_keys if kept is not None else ()
        draft = ComposerDraft(text, accounts, at=at, zone=self._zone.key, upload_id=upload_id)
        await self.begin(draft, at)

    async def _take_stored(self, paths: Sequence[str], at: int | None) -> None:
        uploads = [await self._workspace.media.library.upload_of(path) for path in paths]
        if len(uploads) == 1:
            await self._begin_new(at, upload_id=uploads[0].id)
            return
        there = {_as_local(upload): upload for upload in uploads}

        async def find(files: Sequence[LocalFile]) -> list[Upload]:
            return [there[file] for file in files]

        self._show_spread(list(there), at, find)

    def _show_spread(self, files: Sequence[LocalFile], at: int | None, upload: _UploadFiles) -> None:
        """Preview which file gets which time; ``upload`` returns the uploads of the accepted files."""
        now = wall_clock()
        places = iter(self._places([file for file in files if not file.problem], at or now, now))
        planned = [self._planned(file, None if file.problem else next(places)) for file in files]
        note = _BY_SLOTS if self._workspace.slots.all() else _BY_DAYS
        from app.desktop.drafts import SpreadSheet

        sheet = SpreadSheet(self._window, planned, self._zone, note)
        sheet.accepted.connect(lambda good: self._scope.start(self._make(good, upload)))
        sheet.present(sheet.make)

    def _places(self, files: Sequence[LocalFile], start: int, now: int) -> Sequence[Place | None]:
        clock, slots = WallClock(self._zone), self._workspace.slots.all()
        if not slots:
            return one_a_day(len(files), clock, start, now)
        drafts = [
            Place(draft.content.at, key)
            for draft in self._workspace.drafts.all()
            if draft.content.at is not None
            for key in draft.content.account_keys
        ]
        free = free_slots(slots, clock, self._workspace.posts, drafts, max(start, now))
        return spread(files, free, self._takes)

    def _takes(self, file: LocalFile, account_key: str) -> bool:
        account = self._workspace.accounts.get(account_key)
        return (
            account is not None
            and not unusable(account, file.post_type)
            and not refusals(account, file.post_type, file.facts)
        )

    def _planned(self, file: LocalFile, place: Place | None) -> "Planned":
        from app.desktop.drafts import Planned

        account = self._workspace.accounts.get(place.account_key) if place is not None else None
        return Planned(file, place, account.name if account is not None else "")

    async def _make(self, planned: "Sequence[Planned]", upload_files: _UploadFiles) -> None:
        """Create all drafts or none; one click removes them again."""
        uploads = await upload_files([one.file for one in planned])
        ids = []
        for one, upload in zip(planned, uploads, strict=True):
            if one.place is not None:
                accounts = (one.place.account_key,) if one.place.account_key else ()
                at, zone = one.place.at, self._zone.key
                draft = ComposerDraft(account_keys=accounts, at=at, zone=zone, upload_id=upload.id)
                ids.append(self._workspace.drafts.keep(draft).id)
        if all(upload.is_done for upload in uploads):
            made = trn("{n} draft created.", "{n} drafts created.", len(ids))
        else:
            made = trn(
                "{n} draft created; its file is uploading.",
                "{n} drafts created; their files are uploading.",
                len(ids),
            )
        self._window.messages.tell(Message("info", made, action=self.undo_of(ids)))


def _as_local(upload: Upload) -> LocalFile:
    """Return a stored file like a local one; its path is the storage path."""
    return LocalFile(
        path=Path(upload.storage_path),
        name=upload.name,
        size=upload.size,
        content_type=upload.content_type,
        post_type=upload.post_type,
        width=upload.width,
        height=upload.height,
    )
