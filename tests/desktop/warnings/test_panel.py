"""What the list says, and that each way out really leads out."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.contract.enums import ConnectionPlatform, PostStatus, PostType
from app.desktop.calendar import CalendarPane
from app.desktop.calendar.looks import Look
from app.desktop.theme import theme
from app.desktop.warnings.fixes import Fix
from app.desktop.warnings.panel import WarningPanel
from app.desktop.warnings.row import ConcernRow, PostChip
from app.desktop.warnings.wording import Concern, NamedPost, Wording, spoken, summary
from app.desktop.widgets import Button, Label, TailLabel
from app.workspace.warnings.warning import PlanWarning, PlanWarnings, WarningKind
from tests.desktop.calendar.memory import MemoryWorkspace, account, instant, post
from tests.desktop.running import run, shown, workspace
from tests.gallery.measure.fits import cut_texts
from tests.gallery.measure.texts import texts_of
from tests.workspace.media.samples import picture
from tests.workspace.model_service import HOUR, ModelService
from tests.workspace.opened import opened as opened_workspace
from tests.workspace.opened import until

LISBON = ZoneInfo("Europe/Lisbon")
NINE = instant("2031-06-12T08:00")
"""Nine o'clock in Lisbon."""


def texts(panel: QWidget) -> list[str]:
    return [label.text() for label in panel.findChildren(Label) if label.isVisible()]


def choose(panel: QWidget, words: str) -> None:
    """From the menus of the entries."""
    fixes = [fix for row in panel.findChildren(ConcernRow) for fix in row.fixes]
    next(fix for fix in fixes if fix.words == words).act()


def ignore(panel: QWidget) -> None:
    """With the key."""
    focused = QApplication.focusWidget()
    assert focused is not None
    assert panel.isAncestorOf(focused)
    QTest.keyClick(focused, Qt.Key.Key_I)


async def press(panel: QWidget, words: str) -> None:
    """With the keyboard, once the button is there: the panel follows what is found a moment later."""

    def button() -> QAbstractButton | None:
        shown = (one for one in panel.findChildren(QAbstractButton) if one.isVisible())
        return next((one for one in shown if one.text().startswith(words)), None)

    await until(lambda: button() is not None)
    found = button()
    assert found is not None
    assert found.focusPolicy() & Qt.FocusPolicy.TabFocus
    found.setFocus()
    QTest.keyClick(found, Qt.Key.Key_Space)


def wording(*posts: object, **accounts: object) -> Wording:
    made = MemoryWorkspace(posts, accounts.values())  # type: ignore[arg-type]
    return Wording(made.posts, made.accounts, LISBON)


def test_the_summary_counts_posts_and_not_warnings() -> None:
    ended = PlanWarning(WarningKind.ACCESS_ENDED, "a", 1)
    rule = PlanWarning(WarningKind.RULE, "a", 1)
    close = PlanWarning(WarningKind.TOO_CLOSE, "b", 2)
    assert summary(PlanWarnings.of([ended, rule, close])) == ("1 post will fail", "1 will fail", "1")
    doubtful = summary(PlanWarnings.of([close, close._replace(key="c")]))
    assert doubtful == ("2 posts to check", "2 to check", "2")
    assert not any(summary(PlanWarnings.of([PlanWarning(WarningKind.ASLEEP, "", 1)])))


def test_an_account_is_one_entry_for_all_its_posts() -> None:
    posts = [post(key, NINE + number * HOUR, key) for number, key in enumerate("abcd")]
    ended = [PlanWarning(WarningKind.ACCESS_ENDED, one.key, one.at, "studio") for one in posts]
    [concern] = wording(*posts, studio=account("studio")).concerns(PlanWarnings.of(ended))
    assert concern.title == "Reconnect Name of studio"
    assert concern.text == "LinkedIn ended access to this account."
    assert concern.keys == ("a", "b", "c", "d")


def test_what_is_wrong_with_one_post_is_one_entry() -> None:
    warnings = [
        PlanWarning(WarningKind.RULE, "a", NINE, "studio", message="Too long."),
        PlanWarning(WarningKind.NO_FILE, "a", NINE, "studio", message="Choose the image to publish."),
        PlanWarning(WarningKind.RULE, "gone", NINE, "studio", message="Nobody sees this."),
    ]
    [concern] = wording(post("a", NINE), studio=account("studio")).concerns(PlanWarnings.of(warnings))
    assert concern.title == "Choose the image to publish. Too long"
    assert concern.text == "Launch teaser · Thu 12 Jun, 09:00"


@pytest.mark.parametrize(
    ("minutes", "said"),
    [
        (20, "Two LinkedIn posts 20 minutes apart"),
        (1, "Two LinkedIn posts 1 minute apart"),
        (0, "Two LinkedIn posts at the same time"),
    ],
)
def test_a_gap_is_told_in_minutes(minutes: int, said: str) -> None:
    posts = post("a", NINE, "Sale"), post("b", NINE + minutes * 60_000, "More")
    close = PlanWarning(WarningKind.TOO_CLOSE, "b", posts[1].at, "studio", "a")
    [concern] = wording(*posts, studio=account("studio")).concerns(PlanWarnings.of([close]))
    assert concern.title == said
    assert concern.text.startswith("Sale · Thu 09:00")


def test_the_end_of_access_is_told_with_its_day() -> None:
    ends = datetime(2031, 6, 10, 10, tzinfo=UTC)
    warning = PlanWarning(WarningKind.ACCESS_ENDS, "a", NINE, "studio")
    studio = replace(account("studio"), token_expires_at=ends)
    [concern] = wording(post("a", NINE), studio=studio).concerns(PlanWarnings.of([warning]))
    assert concern.text == "LinkedIn ends access on Tue 10 Jun, 11:00."


def test_every_kind_of_warning_of_a_post_has_words_for_its_card() -> None:
    for kind in WarningKind:
        assert bool(spoken([PlanWarning(kind, "a", NINE)])) is not kind.is_of_plan


def test_full_storage_is_told_with_what_is_needed_and_left() -> None:
    full = PlanWarning(WarningKind.NO_ROOM, "", NINE, needs=3 * 1024**3, free=1024**2)
    assert summary(PlanWarnings.of([full])) == ("Not enough storage", "Not enough storage", "")
    [concern] = wording().concerns(PlanWarnings.of([full]))
    assert concern.text == (
        "Pending uploads need 3 GB, but only 1 MB of storage is left. The first "
        "post without its file is scheduled for Thu 12 Jun, 09:00."
    )
    [concern] = wording().concerns(PlanWarnings.of([full._replace(at=0, free=0)]))
    assert concern.text.endswith("but storage is full.")


@pytest.mark.parametrize("kind", [WarningKind.SUBSCRIPTION, WarningKind.TOO_LATE, WarningKind.USUALLY_OFF])
def test_what_is_wrong_with_many_posts_for_one_reason_is_one_entry(kind: WarningKind) -> None:
    posts = [post(key, NINE + number * HOUR, key) for number, key in enumerate("abcd")]
    warnings = [PlanWarning(kind, one.key, one.at, "studio", message="So it was.") for one in posts]
    [concern] = wording(*posts, studio=account("studio")).concerns(PlanWarnings.of(warnings))
    assert concern.keys == ("a", "b", "c", "d")
    assert concern.has_lines
    [single] = wording(*posts).concerns(PlanWarnings.of(warnings[:1]))
    assert single.keys == ("a",)


def test_a_post_that_is_too_close_goes_to_the_next_quiet_time(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    accounts = service.add_account()
    start = service.clock() + 48 * HOUR
    service.add_post(accounts, start, "one")
    second = service.add_post(accounts, start + 60_000, "two")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await until(lambda: opened.warnings.by_key)
            async with shown(WarningPanel(opened, LISBON)) as panel:
                await press(panel, "Move to")
                moved = opened.posts.get(second)
                assert moved is not None
                assert moved.at == start + HOUR
                await until(lambda: not panel.concerns())
                assert panel._empty.isVisible()
                opened.undo()
                await until(panel.concerns)

    run(qapp, work)


def test_a_pressed_button_and_the_focus_stay_at_their_entry_when_others_arrive(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    accounts = service.add_account()
    start = service.clock() + 48 * HOUR
    service.add_post(accounts, start, "one")
    second = service.add_post(accounts, start + 60_000, "two")

    def entries(panel: WarningPanel) -> list[ConcernRow]:
        return [row for row in panel.findChildren(ConcernRow) if row.isVisible()]

    def earlier(hours: int) -> None:
        for minutes, text in enumerate(("Wool", "Felt")):
            service.add_post(accounts, start - hours * HOUR + minutes * 60_000, f"{text} {hours}")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await until(lambda: opened.warnings.by_key)
            async with shown(WarningPanel(opened, LISBON)) as panel:
                panel.take_focus()
                earlier(12)
                await opened.refresh()
                await until(lambda: len(entries(panel)) == 2)
                assert [row.concern.keys == (second,) for row in entries(panel)] == [False, True]
                assert [row.has_focus for row in entries(panel)] == [False, True]
                button = QApplication.focusWidget()
                assert isinstance(button, QAbstractButton)
                QTest.mousePress(button, Qt.MouseButton.LeftButton)
                earlier(24)
                await opened.refresh()
                await until(lambda: len(opened.warnings.by_key) == 3)
                QTest.mouseRelease(button, Qt.MouseButton.LeftButton)
                moved = opened.posts.get(second)
                assert moved is not None
                assert moved.at == start + HOUR
                await until(lambda: len(entries(panel)) == 2)

    run(qapp, work)


def test_a_calendar_without_scheduled_posts_is_not_called_ready(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(WarningPanel(opened, LISBON)) as panel:
            assert "Nothing scheduled, so nothing to check." in texts(panel)
            service.add_post(service.add_account(), service.clock() + 48 * HOUR, "one")
            await opened.refresh()
            await until(lambda: "Everything on your calendar looks ready." in texts(panel))

    run(qapp, work)


def test_a_warning_that_is_meant_so_is_put_aside_and_shown_again(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    accounts = service.add_account()
    start = service.clock() + 48 * HOUR
    for number, text in enumerate(("one", "two", "three")):
        service.add_post(accounts, start + number * 60_000, text)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await until(lambda: len(opened.warnings.by_key) == 2)
            async with shown(WarningPanel(opened, LISBON)) as panel:
                panel.take_focus()
                ignore(panel)
                await until(lambda: len(panel.concerns()) == 1)
                focused = QApplication.focusWidget()
                assert isinstance(focused, QAbstractButton)
                assert focused.text().startswith("Move to")
                ignore(panel)
                await until(lambda: not panel.concerns())
                await press(panel, "Show 2 ignored warnings")
                await until(lambda: len(panel.concerns()) == 2)

    run(qapp, work)


def test_a_post_beyond_a_full_day_goes_to_the_next_day_with_room(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    accounts = service.add_account("tiktok")
    start = service.clock() + 48 * HOUR
    for number in range(17):
        key = service.add_post(accounts, start + number * HOUR, f"number {number}")
        service.posts[UUID(key)] |= {"platform": "tiktok", "post_type": "video"}

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:

            def full() -> list[str]:
                return [one.key for one in opened.warnings.listed if one.kind is WarningKind.DAY_FULL]

            await until(lambda: len(full()) == 2)
            async with shown(WarningPanel(opened, LISBON)) as panel:
                [both] = [one for one in panel.concerns() if one.kind is WarningKind.DAY_FULL]
                said = "TikTok allows 15 posts per account in 24 hours, and that day is full."
                assert both.title == said.removesuffix(".")
                assert len(both.keys) == 2
                await press(panel, "Move 2 posts")
                await until(lambda: not full())
                moved = [opened.posts.get(key) for key in both.keys]
                assert all(post is not None and post.at >= start + 24 * HOUR for post in moved)
                opened.undo()
                await until(lambda: len(full()) == 2)
                opened.cancel(both.keys[:1])
                await until(lambda: len(full()) == 1)
                await press(panel, "Move to")
                await until(lambda: not full())

    run(qapp, work)


def test_posts_of_an_account_that_is_gone_are_cancelled_together(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account()
    keys = [service.add_post(str(UUID(int=7)), service.clock() + n * 48 * HOUR, f"{n}") for n in (1, 2)]

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await until(lambda: opened.warnings.by_key)
            async with shown(WarningPanel(opened, LISBON)) as panel:
                choose(panel, "Cancel 2 posts")
                await until(lambda: not panel.concerns())
                await until(lambda: {service.posts[UUID(key)]["status"] for key in keys} == {"cancelled"})

    run(qapp, work)


def test_full_storage_leads_to_files_and_drafts(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.tells_usage = True
    service.add_account()
    service.online = False

    async def work() -> None:
        async with opened_workspace(tmp_path, service) as opened:
            await opened.media.add_files([picture(tmp_path)])
            service.room = 10
            service.online = True
            await until(lambda: opened.warnings.listed)
            async with shown(WarningPanel(opened, LISBON)) as panel:
                went: list[str] = []
                panel.went.connect(went.append)
                await press(panel, "Choose files to delete")
                choose(panel, "Show the drafts")
                assert went == ["media", "drafts"]

    run(qapp, work)


def test_the_same_text_is_cancelled_once(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    accounts = service.add_account()
    start = service.clock() + 48 * HOUR
    first, second = (service.add_post(accounts, start + n * 9 * HOUR, "the same") for n in range(2))

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await until(lambda: opened.warnings.by_key)
            async with shown(WarningPanel(opened, LISBON)) as panel:
                rewritten: list[str] = []
                panel.rewritten.connect(rewritten.append)
                await press(panel, "Edit")
                assert rewritten == [second]
                choose(panel, "Cancel this post")
                await until(lambda: not panel.concerns())
        assert service.posts[UUID(first)]["status"] == "scheduled"

    run(qapp, work)


def test_what_is_wrong_with_a_post_is_mended_in_the_composer(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    start = service.clock() + 48 * HOUR
    long = service.add_post(service.add_account(), start, "word " * 80)
    bare = service.add_post(service.add_account("instagram"), start + HOUR, "no picture")
    service.posts[UUID(bare)] |= {"platform": "instagram", "post_type": "image"}

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await until(lambda: len(opened.warnings.by_key) == 2)
            async with shown(WarningPanel(opened, LISBON)) as panel:
                rewritten: list[str] = []
                panel.rewritten.connect(rewritten.append)
                await press(panel, "Edit")
                await press(panel, "Choose a file")
                assert rewritten == [long, bare]

    run(qapp, work)


def test_an_account_is_connected_again_and_its_posts_are_opened(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    accounts = service.add_account(available=False)
    key = service.add_post(accounts, service.clock() + 48 * HOUR, "one")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await until(lambda: opened.warnings.by_key)
            async with shown(WarningPanel(opened, LISBON)) as panel:
                platforms: list[ConnectionPlatform] = []
                opens: list[str] = []
                panel.reconnected.connect(platforms.append)
                panel.opened.connect(opens.append)
                await press(panel, "Reconnect")
                [chip] = panel.findChildren(PostChip)
                assert chip.accessibleName().startswith("one · ")
                chip.click()
                assert (platforms, opens) == ([ConnectionPlatform.X], [key])

    run(qapp, work)


def test_the_calendar_marks_what_is_at_risk_and_says_so(qtbot: QtBot) -> None:
    ahead = post("a", "2031-06-12T08:00", kind=PostType.IMAGE)
    made = MemoryWorkspace([ahead, post("b", "2031-06-12T10:00")], [account("studio")])
    pane = CalendarPane(made, LISBON)
    qtbot.addWidget(pane)
    pane.resize(1_200, 800)
    pane.show()
    cards = pane.grid.view.page.cards
    asked: list[bool] = []
    pane.warningsRequested.connect(lambda: asked.append(True))
    assert not pane.filters.warnings.isVisible()
    made.warn(PlanWarning(WarningKind.ACCESS_ENDED, "a", ahead.at, "studio"))
    assert pane.filters.warnings.text() == "1 post will fail"
    pane.filters.warnings.click()
    assert asked == [True]
    assert cards.look(ahead, ahead.at - 1) is Look.AT_RISK
    assert "account access has expired" in pane.model.described(ahead)
    assert cards.look(ahead._replace(status=PostStatus.FAILED), ahead.at - 1) is Look.FAILED
    made.warn()
    assert not pane.filters.warnings.isVisible()
    assert cards.look(ahead, ahead.at - 1) is Look.PLANNED


@pytest.mark.parametrize("width", [300, 400, 900])
def test_the_post_of_an_entry_is_named_in_the_room_there_is(
    qapp: QApplication, qtbot: QtBot, width: int
) -> None:
    theme.apply(qapp, "light")
    post = NamedPost("The long wool coat is back: same pattern, heavier cloth, and pockets", "Wed 15:30")
    concern = Concern(WarningKind.RULE, "34 characters too long for X", str(post), (post,))
    row = ConcernRow(concern, (), [], is_first=False)
    qtbot.addWidget(row)
    row.resize(width, 160)
    row.show()
    qapp.processEvents()
    (line,) = row.findChildren(TailLabel)
    told, metrics = line.shown_text(), QFontMetrics(line.font())
    assert told.endswith(" · Wed 15:30")
    assert metrics.horizontalAdvance(told) <= line.width()
    assert told == str(post) or metrics.horizontalAdvance(told) > line.width() - 24
    assert line.width() > width - 80


@pytest.mark.parametrize(("width", "is_below"), [(420, False), (300, True)])
def test_buttons_that_leave_a_title_too_little_room_are_below_it(
    qapp: QApplication, qtbot: QtBot, width: int, is_below: bool
) -> None:
    theme.apply(qapp, "light")
    concern = Concern(WarningKind.TOO_CLOSE, "Two posts on X within 20 minutes", "Lookbook")
    row = ConcernRow(concern, (), [Fix("Move to Mon 11:30", lambda: None)] * 2, is_first=False)
    qtbot.addWidget(row)
    row.resize(width, 160)
    row.show()
    qapp.processEvents()
    title = next(label for label in row.findChildren(Label) if label.text() == concern.title)
    verb = next(button for button in row.findChildren(Button) if button.text() == "Move to Mon 11:30")
    top = verb.mapTo(row, verb.rect().topLeft()).y()
    bottom = title.mapTo(row, title.rect().bottomLeft()).y()
    assert (top > bottom) == is_below
    assert title.width() >= 110
    assert not list(cut_texts(texts_of(row)))
