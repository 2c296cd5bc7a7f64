"""The composer panel: text, accounts and time; saved automatically, scheduled on request."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from uuid import uuid4
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtGui import QAccessible, QDragEnterEvent, QDropEvent, QHideEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.desktop.aio import TaskScope
from app.desktop.carried import Carried
from app.desktop.commands import Command, CommandSet
from app.desktop.composer.accounts import AccountPicker
from app.desktop.composer.alt_text_field import AltTextField, Describing
from app.desktop.composer.attachment import Attachment
from app.desktop.composer.autosave import Autosave
from app.desktop.composer.by_hand_field import ByHandField
from app.desktop.composer.causes import CauseList
from app.desktop.composer.cost import CapQuestion, CostLine
from app.desktop.composer.file_field import FileField
from app.desktop.composer.frame import ComposerFrame
from app.desktop.composer.guide import ObstacleGuide
from app.desktop.composer.platform_options import OptionsFields, PinFields, TikTokFields
from app.desktop.composer.preview import Preview, Sketch
from app.desktop.composer.repairs import RepairOffer, RepairRow
from app.desktop.composer.sending import Replacing, Waiting
from app.desktop.composer.spell_check import SpellCheck
from app.desktop.composer.text_box import attachable
from app.desktop.composer.text_menus import EarlierTexts, SavedTexts
from app.desktop.composer.times import TimeChips
from app.desktop.composer.when import WhenField
from app.desktop.composer.writing import Writing
from app.desktop.connections.connecting import Connecting
from app.desktop.emoji.picker import EmojiPicker
from app.desktop.network_options import visibility_words
from app.desktop.theme import theme
from app.desktop.widgets import Menu, MessageStrip, announce, order_tabs
from app.desktop.widgets.screen_reader import spoken_as
from app.desktop.words import day_and_time
from app.language import figure, tr, trn
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes
from app.workspace.clock import Clock, wall_clock
from app.workspace.drafts.versions import Version
from app.workspace.editing.draft import ComposerDraft
from app.workspace.editing.model import DraftChange, DraftModel
from app.workspace.editing.schedule import Schedule, in_zone, suggested
from app.workspace.messages import Message, Problem
from app.workspace.notices.notice import not_scheduled
from app.workspace.workspace import Workspace

_LOW = 620
"""The height in logical pixels below which the preview starts folded."""


@spoken_as(QAccessible.Role.ComplementaryContent)
class ComposerPanel(QWidget):
    """Writes a text for several accounts, with separate versions if wanted.

    Args:
        workspace: schedules posts and stores the draft.
        zone: the calendar's zone.
        at_ms: when to publish the post, in milliseconds since 1970 UTC; None for the draft's own time.
        suggested_at: the same, but only for a new text: an unfinished one keeps its own time.
        now: the clock.
    """

    closed = Signal()
    planned = Signal(list)
    """The keys of the posts that were planned."""
    publishing = Signal(list, object)
    """The keys of posts that are about to be published, and the ComposerDraft that they were made from."""
    targetChanged = Signal(object, int)  # noqa: N815  Qt's spelling, as the calendar's signals
    """When the posts would go out (milliseconds since 1970 UTC, or None) and how many they are."""
    told = Signal(object)
    """A Message for whoever leaves."""

    def __init__(
        self,
        workspace: Workspace,
        zone: ZoneInfo,
        at_ms: int | None = None,
        *,
        suggested_at: int | None = None,
        now: Clock = wall_clock,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace, self._zone, self._now, self._asked_at = workspace, zone, now, at_ms
        self._ordered_for: tuple[str, ...] = ()
        self._loaded = self._done = False
        self._suggested_at = suggested_at
        self.model = DraftModel(
            workspace.media.uploads,
            Schedule.of(at_ms or suggested_at or suggested(now(), zone), zone),
            now=now,
            asks_tiktok=lambda: workspace.tiktok.offered,
            is_inbox_full=workspace.is_inbox_full,
            alt_text_excess=workspace.media.alt_texts.excess,
        )
        self.model.set_accounts(workspace.accounts)
        self.setProperty("edits", True)  # so that Undo doesn't cancel a post of the calendar
        self._make_fields()
        self._make_helpers()
        self._lay_out()
        self._show_accounts()
        theme.follow(self._fit)
        self.text_box.editor.setReadOnly(True)
        self._connect()
        self._refresh()
        self._scope.start(self._restore())

    def go_to_text(self) -> None:
        """Focus the text. A focus proxy would make Tab stop there twice."""
        self.text_box.editor.setFocus()

    def close_panel(self) -> None:
        """Save the content and close."""
        self._keep()
        self.closed.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Save the content, whatever hides the panel."""
        self._keep()
        is_left = not event.spontaneous() and self.window().isVisible()  # else the window goes to the tray
        if is_left and (given_up := self.waiting.given_up()):
            self.waiting.stop()
            self.attachment.stop()
            self.told.emit(Message("warning", given_up))
        super().hideEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave enough space for the text."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Shorten the preview, and let more parts scroll, if the text would have too little space."""
        self._fit_preview()
        if self.frame.fit(self.height()):
            self._order_tabs()

    def _fit_preview(self) -> None:
        """Leave as much space to the text and its options as they need."""
        room = self.frame.spare_height() + self.preview.height()
        self.preview.fit(room, is_low=self.height() < theme.current().grown(_LOW))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files anywhere on the panel."""
        if self.frame.is_open and attachable(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Attach the file."""
        if found := attachable(event.mimeData()):
            self._take_carried(found)
            event.acceptProposedAction()

    def submit(self, *, at_once: bool = False) -> None:
        """Schedule the posts, or go to the first cause that prevents it."""
        if not self._loaded or self._done:
            return
        again = partial(self.submit, at_once=at_once)
        if self.waiting.for_arrival("publish" if at_once else "schedule", again):
            return
        self.describing.keep()
        self._take_time()  # the field tells nobody of a day while it is being typed
        self.guide.is_tried = True
        self._refresh()
        tell_away = self._tell_away if self.waiting.is_due else lambda _why: None
        if obstacles := self.model.obstacles(at_once=at_once):
            self.guide.refuse(obstacles)
            tell_away(" ".join(one.text for one in obstacles))
            return
        if not self.cap.may_go(again, at_once=at_once, asked=tell_away):
            return
        if self.model.awaited is not None:
            self.waiting.for_upload(len(self.model.chosen), again, at_once=at_once)
            return
        try:
            keys = self.replacing.plan(self.model.new_posts(at_once=at_once))
        except Problem as problem:
            self._report(problem)
            tell_away(problem.text)
            if problem.kind == "not_replaceable":
                self.replacing.keep_old()
            return
        draft = self.model.draft
        self._done = True
        self.autosave.stop()
        self._workspace.empty_composer(draft, keys)
        window = self.window()
        self.planned.emit(keys)
        self.closed.emit()
        if at_once:
            self.publishing.emit(keys, draft)
        else:
            announce(window, trn("{n} post scheduled.", "{n} posts scheduled.", len(keys)))

    def _tell_away(self, why: str) -> None:
        """Notify a user who doesn't see the composer that a post wasn't scheduled as promised."""
        if why and not (self.isVisible() and self.window().isActiveWindow()):
            self._workspace.notices.tell(not_scheduled(why))

    def save_as_draft(self) -> None:
        """Save the content as a draft, and close."""
        if not self._loaded or self._done or self.waiting.for_arrival("draft", self.save_as_draft):
            return
        draft = self.model.draft
        if not draft.is_empty:
            self._workspace.drafts.keep(draft)
        self._done = True
        self.autosave.stop()
        self._workspace.save_composer(draft.emptied())
        window = self.window()
        self.closed.emit()
        announce(window, tr("Saved to Drafts.") if not draft.is_empty else tr("Nothing was written."))

    def save_copy(self) -> None:
        """Save a copy as a draft, and continue with this one."""
        if not self._loaded or self.waiting.for_arrival("copy", self.save_copy):
            return
        if not (draft := self.model.draft).is_empty:
            self._workspace.drafts.keep(replace(draft, draft_id=str(uuid4()), replaces=""))
            self.frame.say(MessageStrip("info", tr("A copy was saved to Drafts.")))

    def discard(self) -> None:
        """Empty the composer; the content can be restored while it's open."""
        draft = self.model.draft
        if not self._loaded or draft.is_empty:
            return
        self._put_draft(draft.emptied())
        strip = MessageStrip("info", tr("Post discarded."), action=tr("Undo"))
        strip.acted.connect(lambda: self._restore_discarded(draft))
        self.frame.unsay()
        self.frame.strips.offer(strip)

    def more(self) -> Menu:
        """Return the menu of rarely used actions."""
        menu, has_text = Menu(self.frame.more), not self.model.draft.is_empty
        menu.add(tr("Save a copy to Drafts"), self.save_copy, icon="copy", enabled=has_text)
        menu.add(tr("Earlier texts…"), self.earlier.open, icon="history")
        menu.addSeparator()
        menu.add(tr("Discard post"), self.discard, icon="trash-2", enabled=has_text)
        return menu

    def schedule(self) -> None:
        """Schedule the posts at the selected time."""
        self.submit()

    async def _restore(self) -> None:
        try:
            draft = await self._workspace.load_composer()
        except Problem as problem:
            self._offer_restore(problem)
            return
        self._loaded = True
        self.text_box.editor.setReadOnly(False)
        self.frame.set_open(is_open=True)
        if draft is not None:
            is_new = draft.is_empty and self._suggested_at is not None
            self.model.load(draft, keeps_time=self._asked_at is None and not is_new)
        self.spelling.begin(self.model.language)
        self.autosave.begin(self.model.draft)
        self._refresh()
        self.attachment.ready.set()
        if self.isVisible():
            self.text_box.editor.setFocus()

    def _offer_restore(self, problem: Problem) -> None:
        """Say why the unfinished post isn't shown. Nothing can be changed, because it would replace it."""
        self.frame.set_open(is_open=False)
        text = tr("Couldn't open your unfinished post, so you can't write here yet.")
        strip = MessageStrip(
            "error", f"{text} {problem.text}", problem.details, action=tr("Try again"), closable=False
        )
        strip.acted.connect(self._restore_again)
        self.frame.say(strip)

    def _restore_again(self) -> None:
        self.frame.unsay()
        self._scope.start(self._restore())

    def _keep(self) -> None:
        """Save the content unless it's saved."""
        self.autosave.keep()
        self.describing.keep()

    def _put_draft(self, draft: ComposerDraft) -> None:
        """Replace the draft with another one, and save it."""
        self.waiting.stop()
        self.attachment.stop()
        self.guide.is_tried = False
        self.model.load(draft)
        self.autosave.edited()
        self._keep()
        self.text_box.editor.setFocus()

    def _restore_discarded(self, draft: ComposerDraft) -> None:
        """Bring a discarded post back; what was written since becomes a draft."""
        written = self.model.draft
        self._put_draft(draft)
        if not written.is_empty:
            self._workspace.drafts.keep(written)
            self.frame.say(MessageStrip("info", tr("Your post was saved to Drafts.")))

    def _show_more(self) -> None:
        button = self.frame.more
        self.more().open_below(button)

    def _write_earlier(self, version: Version) -> None:
        """Restore an earlier text; the current one becomes an earlier text."""
        self._workspace.versions.keep(self.model.draft)
        self.model.rewrite(version.text, version.title, version.account_key)
        self.text_box.editor.setFocus()

    def _take_time(self) -> None:
        self.model.set_schedule(self.when.schedule())

    def _take_slot(self, at: int) -> None:
        self.model.set_time(at)
        self.when.show_schedule(self.model.schedule)  # also in place of a day that is being typed

    def _while_open(self, act: Callable[[], None]) -> Callable[[], None]:
        """Return a command that does nothing while the unfinished post can't be opened."""
        return lambda: act() if self.frame.is_open else None

    def _take_carried(self, found: Carried) -> None:
        self.attachment.take_carried(found)
        if found.count > 1:
            self.frame.say(
                MessageStrip("info", tr("A post can have only one file. The first one was attached."))
            )

    def _refuse_text(self, length: int) -> None:
        words = tr(
            "{n} characters are too many for a post, so nothing was pasted. Copy a shorter part of the text.",
            n=figure(f"{length:,}"),
        )
        self.frame.say(MessageStrip("warning", words))

    def _follow_cursor(self) -> None:
        if self.text_box.editor.hasFocus():
            self.frame.reveal_area(self.text_box, self.text_box.cursor_area())

    def _follow(self, change: DraftChange) -> None:
        """Update everything after a change of the draft, and save it."""
        if self._done:
            return
        if change.edited and self._loaded:
            self.waiting.change(is_file=change.file)
            self.autosave.edited()
        if change.accounts:
            self._show_accounts()
        if change.file or change.version or change.uploads:
            self.attachment.refresh(is_loaded=change.loaded)
        self.writing.refresh(is_other=change.version)
        if change == DraftChange(version=True):
            self.guide.show()
            self._judge_file()
        else:
            self._refresh()
        if change.version:
            self.preview.show_account(self.model.version)
        if change.uploads:
            self.waiting.look()
        if change.file and change.edited:
            self._keep()  # at once: the upload is under way

    def _refresh(self) -> None:
        """Update everything that depends on text and accounts."""
        model, chosen = self.model, self.model.chosen
        self.accounts.refresh()
        for part in (self.pin, self.tiktok, self.options, self.by_hand, self.replacing, self.cost):
            part.refresh()
        if not self.when.schedule().is_same_time(model.schedule):  # else a day that is typed would be lost
            self.when.show_schedule(model.schedule)
        self.when.say(model.inbox_problem())
        said = self.guide.show()
        is_practice = any(one.practice for one in chosen)
        is_uploading = model.awaited is not None or bool(self.attachment.arriving)
        self.frame.set_state(len(said), len(chosen), practice=is_practice, uploading=is_uploading)
        self._judge_file()
        at = model.schedule.at
        self.times.show_for(model.accounts.chosen, at)
        time = day_and_time(in_zone(at, self._zone)) if at is not None else ""
        self.preview.show_posts([self._sketch(account) for account in chosen], time)
        if model.accounts.chosen != self._ordered_for:
            self._ordered_for = model.accounts.chosen
            self._order_tabs()  # boards and versions have come or gone
        self.targetChanged.emit(at, len(chosen))

    def _sketch(self, account: Account) -> Sketch:
        post = self.model.post_for(account)
        picture, options = self.attachment.picture_for(account.key), post.options
        warning = (options.content_warning if options else None) or ""
        return Sketch(account, post.title, post.text, picture, warning, visibility_words(options))

    def _judge_file(self) -> None:
        """Show what the selected platforms require of the file."""
        accounts = self.model.concerned_by_file
        self.repairs.show_for(accounts)
        self.describing.show_for(accounts)

    def _show_accounts(self) -> None:
        self.accounts.show_accounts()
        self._order_tabs()

    def _order_tabs(self) -> None:
        frame = self.frame
        writing = self.accounts, self.writing.tabs, self.writing
        options = self.pin, self.tiktok, self.options
        fields = self.problems, self.cost, *options, self.by_hand, self.when, self.times, self.preview
        order_tabs(frame.keep_old, *writing, *fields, *frame.buttons)

    def _changed(self, changes: Changes) -> None:
        is_inbox_changed = bool(self.model.inbox_problem()) is not self.when.has_said
        if changes.slots or is_inbox_changed or self.tiktok.is_outdated or self.by_hand.is_outdated:
            self._refresh()
        if changes.catalogues:
            self.describing.refresh()
        if changes.accounts or changes.reset:
            before = self.model.accounts.chosen
            self.model.set_accounts(self._workspace.accounts)
            if before != self.model.accounts.chosen:
                self.waiting.lose_account()

    def _reconnect(self, key: str) -> None:
        if (account := self.model.accounts.known.get(key)) is not None:
            self._scope.start(self._connecting.connect(account.platform))

    def _publish_by_hand(self, key: str) -> None:
        """Let the user publish an account's post by hand, and show where that's chosen."""
        self.model.choose_by_hand(key, is_on=True)
        self.by_hand.box(key).setFocus()
        self.frame.reveal_focus()

    def _report(self, problem: Problem) -> None:
        self.frame.say(MessageStrip("error", problem.text, problem.details))

    def _make_fields(self) -> None:
        """Create the fields, and what shows their results."""
        model, workspace = self.model, self._workspace
        self.accounts, self.writing, self.repair = AccountPicker(model), Writing(model), RepairRow()
        self.problems = CauseList(self.repair)
        self.text_box = self.writing.text_box
        self.file, self.alt_text = FileField(self.text_box.picture), AltTextField()
        self.pin, self.tiktok = PinFields(model, workspace.boards), TikTokFields(model, workspace.tiktok)
        self.options, self.by_hand = OptionsFields(model), ByHandField(model, workspace.finishing)
        self.when = WhenField(self._zone, model.schedule.at or self._now(), now=self._now)
        self.cost = CostLine(workspace, model)
        self.times = TimeChips(workspace, self._zone, self._now)
        self.preview = Preview()

    def _make_helpers(self) -> None:
        """Create the helpers of the fields."""
        workspace, box, media, model = self._workspace, self.text_box, self._workspace.media, self.model
        self._scope = TaskScope(self, self._report)
        self.emoji = EmojiPicker(box.emoji, box.editor, workspace.emoji, self._report)
        self.spelling = SpellCheck(box.editor, box.highlighter, workspace.spelling, self._report)
        self.saved = SavedTexts(box.saved, box.editor, workspace.snippets, self._report)
        self.earlier = EarlierTexts(box.earlier, workspace.versions, model, self._zone, self._report)
        self.attachment = Attachment(self.file, model, media, self._report)
        self.repairs = RepairOffer(self.repair, model, self.attachment, media, self._report)
        self.describing = Describing(self.alt_text, model, media, self._report)
        self._connecting = Connecting(self, workspace)
        self.autosave = Autosave(self, workspace, lambda: model.draft)

    def _lay_out(self) -> None:
        self.frame = ComposerFrame(self)
        self.guide = ObstacleGuide(self)
        self.frame.add_to_head(self.accounts)
        self.frame.add_tabs(self.writing.tabs)
        self.text_box.add_inside(self.file)
        self.text_box.add_inside(self.alt_text)
        self.file.add_words(self.alt_text.described)
        self.file.add_words(self.alt_text.describe)
        options = self.pin, self.tiktok, self.options
        for section in (self.writing, self.problems, self.cost, *options, self.by_hand):
            self.frame.add(section)
        self.frame.add_below(self.when, self.times, self.preview)

    def _connect(self) -> None:
        model = self.model
        self.repair.left.connect(self.file.focus_problem)
        self.text_box.editor.carried.connect(self._take_carried)
        self.text_box.editor.refused.connect(self._refuse_text)
        self.text_box.cursor_moved.connect(self._follow_cursor)
        self.text_box.editor.pictured.connect(self.attachment.take_picture)
        self.setAcceptDrops(True)
        self.frame.body.changed.connect(self._fit_preview)
        self.attachment.pictured.connect(self._refresh)
        self.attachment.moved.connect(self._refresh)
        self.alt_text.alt_text.written.connect(self._refresh)
        self.waiting = Waiting(self.frame, model, self.attachment, self)
        self.waiting.broken.connect(self._tell_away)
        self.accounts.rearranged.connect(self._order_tabs)
        self.problems.rearranged.connect(self._order_tabs)
        self.when.changed.connect(self._take_time)
        self.spelling.language_chosen.connect(model.set_language)
        self.times.taken.connect(self._take_slot)
        self.accounts.reconnect.connect(self._reconnect)
        self.cost.version_wanted.connect(self.writing.write_for)
        self.cost.by_hand_wanted.connect(self._publish_by_hand)
        self.cap = CapQuestion(self._workspace, model, self.cost, self.frame, self._scope)
        self.autosave.saved.connect(lambda saved: self.frame.set_saved(saved=saved))
        self.frame.close.clicked.connect(self.close_panel)
        self.frame.more.clicked.connect(self._show_more)
        self.frame.schedule.clicked.connect(self.schedule)
        self.earlier.chosen.connect(self._write_earlier)
        self.frame.keep.clicked.connect(self.save_as_draft)
        self.replacing = Replacing(self.frame, model, self._workspace, self._zone, self.go_to_text)
        self.frame.publish.clicked.connect(lambda: self.submit(at_once=True))
        model.listen(self._follow)
        self.destroyed.connect(lambda _panel=None: model.close())
        unsubscribe = self._workspace.listen(self._changed)
        self.destroyed.connect(unsubscribe)
        CommandSet(self, within=True).add(*self._commands())

    def _commands(self) -> list[Command]:
        """Return the composer's commands."""
        group = tr("Writing")
        return [
            Command(tr("Schedule this post"), group, self.schedule, keys=("Ctrl+Return",), icon="send"),
            Command(tr("Save as draft"), group, self.save_as_draft, keys=("Ctrl+S",), icon="file-pen-line"),
            Command(
                tr("Insert an emoji…"),
                group,
                self._while_open(self.emoji.open),
                keys=("Ctrl+E",),
                icon="smile",
            ),
            self.spelling.command(group),
            Command(
                tr("Insert a saved text…"),
                group,
                self._while_open(self.saved.open),
                keys=("Ctrl+J",),
                icon="hash",
            ),
            Command(
                tr("Add a file…"),
                group,
                self._while_open(self.attachment.ask),
                keys=("Ctrl+O",),
                icon="image-plus",
            ),
            Command(tr("Save a copy to Drafts"), group, self.save_copy, icon="copy"),
            Command(tr("Discard post"), group, self.discard, icon="trash-2"),
            Command(tr("Close the composer"), group, self.close_panel, keys=("Esc",), icon="x"),
        ]
