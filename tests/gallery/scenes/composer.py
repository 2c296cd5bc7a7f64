"""The composer, open next to the calendar."""

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.contract.enums import PostingPlatform, PostStatus
from app.desktop.composer import ComposerPanel
from app.desktop.emoji.picker import EmojiPopover
from app.desktop.inspector import Inspector
from app.workspace.editing.draft import ComposerDraft
from app.workspace.messages import Problem
from tests.desktop.composer.composing import stored
from tests.gallery.hands import click, the
from tests.gallery.samples import LONG_TEXT, ZONE, full_studio
from tests.gallery.scene import Screen
from tests.gallery.service import account_id, at
from tests.gallery.stage import Stage
from tests.workspace.media.samples import picture
from tests.workspace.model_by_hand import OFFER
from tests.workspace.spelling_samples import FewWords, give

SCREEN = Screen()
_SHORT = "The long wool coat is back: same pattern, heavier cloth. Orders open on Thursday.\n\n#wool"
_LINKED = "The long wool coat is back. Orders open on Thursday: okafor.studio/coat"
_BOTH = (account_id("linkedin"), account_id("x"))
_SAVED = (
    ("Wool & slow fashion", "#wool #slowfashion #madeinlisbon"),
    ("Opening hours", "Tuesday to Saturday, ten to six. Ring the bell twice."),
    ("Signature", "Made by hand in Lisbon."),
)
_FOUR = tuple(account_id(name) for name in ("instagram", "linkedin", "x", "pinterest"))
_BOARDS = ("Winter 2026", "Linen, washed and unwashed, by the metre", "Studio", "Autumn 2025")


@SCREEN.scene("composer", has_mockup=True)
async def too_long(stage: Stage) -> None:
    """As in the mock-up: the text is too long for X."""
    await _compose(stage, ComposerDraft(LONG_TEXT, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))


@SCREEN.scene("composer-ready")
async def ready(stage: Stage) -> None:
    await _compose(stage, ComposerDraft(_SHORT, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))


@SCREEN.scene("composer-empty")
async def empty(stage: Stage) -> None:
    await _compose(stage, None)


@SCREEN.scene("composer-accounts")
async def all_accounts(stage: Stage) -> None:
    """The accounts that have no room in the line, and why some can't be used."""
    panel = await _compose(stage, ComposerDraft(_SHORT, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))
    click(panel.accounts.rest)


@SCREEN.scene("composer-long-text")
async def long_text(stage: Stage) -> None:
    """The box is higher than the panel, which scrolls."""
    text = "\n\n".join([LONG_TEXT] * 6)
    await _compose(stage, ComposerDraft(text, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))


@SCREEN.scene("composer-few-left")
async def few_left(stage: Stage) -> None:
    """Twelve characters are left on X."""
    text = "wool " * 53 + "and"
    await _compose(stage, ComposerDraft(text, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))


@SCREEN.scene("composer-more")
async def more(stage: Stage) -> None:
    """The menu of what is rarely done."""
    panel = await _compose(stage, ComposerDraft(_SHORT, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))
    click(panel.frame.more)
    await stage.until(stage.menus)


@SCREEN.scene("composer-cost")
async def cost(stage: Stage) -> None:
    """A link makes the post on X dearer."""
    await _compose(stage, ComposerDraft(_LINKED, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))


@SCREEN.scene("composer-by-hand")
async def by_hand(stage: Stage) -> None:
    """One of the posts is published by hand, so its link costs nothing."""
    chosen = (account_id("x"),)
    draft = ComposerDraft(_LINKED, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key, by_hand=chosen)
    panel = await _compose(stage, draft, offers=(OFFER, "finishing"))
    await stage.until(panel.by_hand.isVisible)
    panel.frame.reveal(panel.by_hand)


@SCREEN.scene("composer-by-hand-expired")
async def by_hand_expired(stage: Stage) -> None:
    """An account whose access has expired is published to by hand."""
    draft = ComposerDraft(_LINKED, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key)
    panel = await _compose(stage, draft, offers=(OFFER, "finishing"), ended="pinterest")
    await stage.until(panel.by_hand.isVisible)
    panel.frame.reveal(panel.by_hand)


@SCREEN.scene("composer-cap")
async def cap(stage: Stage) -> None:
    """The post would cost more than the month's cap."""
    panel = await _compose(stage, ComposerDraft(_LINKED, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))
    await panel._workspace.spending.set_cap(150)
    click(panel.frame.schedule)
    await stage.until(panel.frame.said)


@SCREEN.scene("composer-discarded")
async def discarded(stage: Stage) -> None:
    panel = await _compose(stage, ComposerDraft(_SHORT, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))
    panel.discard()


@SCREEN.scene("composer-unread")
async def unread(stage: Stage) -> None:
    """The disk couldn't be read, so an earlier text may still be there."""
    panel = await _compose(stage, None)
    panel.text_box.editor.setReadOnly(True)
    panel._offer_restore(Problem("The disk couldn't be read.", kind="failed"))


@SCREEN.scene("composer-zone")
async def zone(stage: Stage) -> None:
    """Another zone is being chosen."""
    panel = await _compose(stage, ComposerDraft(_SHORT, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))
    click(panel.when.zone_button)


@SCREEN.scene("composer-nothing-chosen")
async def nothing_chosen(stage: Stage) -> None:
    """The primary button was pressed too early."""
    panel = await _compose(stage, None)
    click(panel.frame.schedule)


@SCREEN.scene("composer-other-zone")
async def other_zone(stage: Stage) -> None:
    await _compose(stage, ComposerDraft(_SHORT, _BOTH, at=at(4, "14:30", ZONE), zone="America/New_York"))


@SCREEN.scene("composer-past")
async def past(stage: Stage) -> None:
    await _compose(stage, ComposerDraft(_SHORT, _BOTH, at=at(-1, "09:30", ZONE), zone=ZONE.key))


@SCREEN.scene("composer-practice")
async def practice(stage: Stage) -> None:
    draft = ComposerDraft(_SHORT, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key)
    await _compose(stage, draft, is_practice=True)


@SCREEN.scene("composer-versions")
async def versions(stage: Stage) -> None:
    """X has a text of its own."""
    texts = {account_id("x"): "The long wool coat is back. Orders open on Thursday."}
    draft = ComposerDraft(LONG_TEXT, _BOTH, texts, at=at(4, "09:30", ZONE), zone=ZONE.key)
    panel = await _compose(stage, draft)
    panel.model.show_version(account_id("x"))


@SCREEN.scene("composer-pin")
async def pin(stage: Stage) -> None:
    """Four accounts and an image, with a title, a board and a link."""
    panel = await _with_image(stage)
    combo = panel.pin.field(account_id("pinterest")).combo
    await stage.until(lambda: combo.count() == len(_BOARDS))
    combo.setCurrentIndex(combo.findText("Winter 2026"))
    combo.activated.emit(combo.currentIndex())
    panel.writing.tabs.tab(account_id("pinterest")).click()


@SCREEN.scene("composer-pin-fields")
async def pin_fields(stage: Stage) -> None:
    """No board is chosen yet, and the link is none."""
    panel = await _with_image(stage)
    combo = panel.pin.field(account_id("pinterest")).combo
    await stage.until(lambda: combo.count() == len(_BOARDS))
    panel.pin.link.setText("the coat")
    click(panel.frame.schedule)
    await stage.settle()
    panel.frame.reveal(panel.pin)


@SCREEN.scene("composer-pin-offline")
async def pin_offline(stage: Stage) -> None:
    """The service is away: the boards are those of the last time."""
    panel = await _with_image(stage, boards=False)
    await stage.until(panel.pin.field(account_id("pinterest")).again.isVisible)
    panel.frame.reveal(panel.pin)


@SCREEN.scene("composer-own-file")
async def own_file(stage: Stage) -> None:
    """Pinterest has a picture of its own."""
    panel = await _with_image(stage)
    pinterest = account_id("pinterest")
    panel.model.show_version(pinterest)
    panel.attachment.take([picture(stage.folder, "coat-tall.jpg", (1000, 1500))])
    await stage.until(lambda: panel.model.files.ids.differs(pinterest) and stored(panel))
    await stage.until(lambda: not panel.attachment.picture_for(pinterest).isNull())


@SCREEN.scene("composer-linked-file")
async def linked_file(stage: Stage) -> None:
    """The file for all, seen from one account."""
    panel = await _with_image(stage)
    panel.model.show_version(account_id("instagram"))


@SCREEN.scene("composer-replace")
async def replace_post(stage: Stage) -> None:
    """A scheduled post is edited, whose file Kalends no longer has: the new one takes its place."""
    controller = await stage.controller(full_studio())
    controller.window.go("calendar")
    ahead = [post for post in controller.workspace.posts.all() if post.status is PostStatus.SCHEDULED]
    post = next(post for post in ahead if post.platform is PostingPlatform.LINKEDIN)
    controller.panels.inspect(post.key)
    inspector = the(Inspector, controller.window)
    await stage.until(inspector.edit_button.isVisible)
    click(inspector.edit_button)
    await stage.until(lambda: isinstance(controller.window.side, ComposerPanel))
    panel = the(ComposerPanel, controller.window)
    await stage.until(lambda: not panel.text_box.editor.isReadOnly())


@SCREEN.scene("composer-publishing")
async def publishing(stage: Stage) -> None:
    """Publishing can be taken back for some seconds."""
    panel = await _compose(stage, ComposerDraft(_SHORT, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))
    click(panel.frame.publish)


@SCREEN.scene("composer-adding")
async def adding(stage: Stage) -> None:
    """The post was scheduled while its file is still being inspected."""
    panel = await _compose(stage, ComposerDraft(_SHORT, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))
    panel.attachment.ready.clear()
    panel.attachment.take([Path("coat.jpg")])
    click(panel.frame.schedule)


@SCREEN.scene("composer-saved-texts")
async def saved_texts(stage: Stage) -> None:
    """The menu of saved texts and groups of hashtags."""
    panel = await _saved(stage)
    panel.saved.open()


@SCREEN.scene("composer-saved-texts-list")
async def saved_texts_list(stage: Stage) -> None:
    """One of the saved texts was deleted just now."""
    panel = await _saved(stage)
    sheet = panel.saved.show_list()
    click(sheet.rows["Opening hours"][1])


@SCREEN.scene("composer-emoji")
async def emoji(stage: Stage) -> None:
    """The picker with those that were used last, in a tone of skin."""
    panel = await _compose(stage, ComposerDraft(_SHORT, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))
    for text in ("🧶", "👍🏽", "❤️", "🇵🇹", "👩🏽‍🎨"):
        await panel._workspace.emoji.use(text)
    await panel._workspace.emoji.like(3)
    popover = await _emoji(stage, panel)
    click(popover.tabs["People & body"])


@SCREEN.scene("composer-emoji-search")
async def emoji_search(stage: Stage) -> None:
    """Found by name; some are in the text."""
    draft = ComposerDraft("Made by hand 🧵✂️ in Lisbon 🇵🇹", _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key)
    popover = await _emoji(stage, await _compose(stage, draft))
    QTest.keyClicks(popover.line, "heart")
    QTest.keyClick(popover.line, Qt.Key.Key_Down)


@SCREEN.scene("composer-emoji-none")
async def emoji_none(stage: Stage) -> None:
    """Nothing has that name."""
    popover = await _emoji(stage, await _compose(stage, None))
    QTest.keyClicks(popover.line, "flannel")


@SCREEN.scene("composer-emoji-tones")
async def emoji_tones(stage: Stage) -> None:
    """The menu of tones over the picker."""
    popover = await _emoji(stage, await _compose(stage, None))
    popover.tone.click()
    await stage.until(lambda: len(stage.menus()) == 2)


@SCREEN.scene("composer-spelling")
async def spelling(stage: Stage) -> None:
    """Words that the dictionary does not know, and the menu of one of them."""
    controller = await stage.controller(full_studio())
    controller.window.go("calendar")
    await give(controller.workspace, FewWords())
    text = "The wol coat is back, made by hnad in Lisbon. 🧶\n\n#slowfashon @okafor okafor.studio/coat"
    controller.workspace.save_composer(ComposerDraft(text, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))
    panel = controller.panels.compose(None)
    await stage.until(panel.text_box.highlighter.marked)
    panel.spelling.go_to_next()
    await panel.spelling._show_menu(panel.text_box.editor.mapToGlobal(QPoint(40, 24)), 5)


async def _emoji(stage: Stage, panel: ComposerPanel) -> EmojiPopover:
    panel.emoji.open()
    await stage.until(lambda: panel.emoji.popover)
    assert panel.emoji.popover is not None
    return panel.emoji.popover


@SCREEN.scene("composer-earlier-texts")
async def earlier_texts(stage: Stage) -> None:
    panel = await _compose(stage, ComposerDraft(_SHORT, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key))
    for text in (LONG_TEXT, "Much shorter.", _SHORT):
        panel.text_box.editor.setPlainText(text)
        panel._keep()
    panel.earlier.open()
    await stage.until(stage.menus)


async def _saved(stage: Stage) -> ComposerPanel:
    draft = ComposerDraft(_SHORT, _BOTH, at=at(4, "09:30", ZONE), zone=ZONE.key)
    panel = await _compose(stage, draft)
    for name, text in _SAVED:
        await panel._workspace.snippets.keep(name, text)
    return panel


async def _with_image(stage: Stage, *, boards: bool = True) -> ComposerPanel:
    service = full_studio()
    for name in _BOARDS:
        service.add_board(account_id("pinterest"), name)
    controller = await stage.controller(service)
    controller.window.go("calendar")
    (upload,) = await controller.workspace.media.add_files(
        [picture(stage.folder, "coat-back.jpg", (1080, 1350))]
    )
    await stage.until(lambda: (found := controller.workspace.media.uploads.get(upload.id)) and found.is_done)
    if not boards:
        await controller.workspace.boards.ask(account_id("pinterest"))
    service.online = boards
    draft = ComposerDraft(
        _SHORT,
        _FOUR,
        at=at(4, "09:30", ZONE),
        zone=ZONE.key,
        upload_id=upload.id,
        title="The long wool coat",
        link="okafor.studio/coat",
    )
    controller.workspace.save_composer(draft)
    panel = controller.panels.compose(None)
    await stage.until(
        lambda: not panel.text_box.editor.isReadOnly() and not panel.file.tile._picture.isNull()
    )
    await stage.settle()
    return panel


async def _compose(
    stage: Stage,
    draft: ComposerDraft | None,
    *,
    is_practice: bool = False,
    offers: tuple[str, ...] = (),
    ended: str = "",
) -> ComposerPanel:
    """Opens the composer on what was being written when the app was used last.

    The access of the ``ended`` platform's accounts has expired.
    """
    service = full_studio(practice=is_practice)
    service.offers = (*service.offers, *offers)
    for connection in service.connections:
        connection["is_available"] = connection["is_available"] and connection["platform"] != ended
    controller = await stage.controller(service)
    controller.window.go("calendar")
    controller.workspace.save_composer(draft)
    panel = controller.panels.compose(None if draft else at(2, "09:00", ZONE))
    await stage.until(lambda: not panel.text_box.editor.isReadOnly())
    await stage.settle()
    return panel
