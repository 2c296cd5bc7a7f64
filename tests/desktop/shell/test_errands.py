"""Links and files of others, in the open window."""

from datetime import date, datetime
from pathlib import Path
from urllib.parse import quote

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from app.desktop.links import LinkSheet, understood
from app.workspace.editing.draft import ComposerDraft
from tests.desktop.composer.composing import stored
from tests.desktop.running import run, workspace
from tests.desktop.shell.person import DAY, DAYS, LISBON, Person, at_home, tomorrow
from tests.workspace.media.samples import picture
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until


async def asked(person: Person, link: str) -> LinkSheet:
    person.controller.run_errands(understood([link]))
    await until(lambda: person.window.findChildren(LinkSheet))
    return person.window.findChildren(LinkSheet)[-1]


def iso(at: int) -> str:
    return datetime.fromtimestamp(at / 1_000, LISBON).replace(tzinfo=None).isoformat()


def test_a_link_begins_a_post_once_the_person_agrees(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            opened.save_composer(ComposerDraft("Half written"))
            link = f"kalends://new?text={quote('From a page')}&at={iso(tomorrow(15))}"
            sheet = await asked(person, link)
            words = [label.text() for label in sheet.findChildren(QLabel)]
            assert "From a page" in words
            assert any("15:00" in each for each in words)
            assert person.window.side is None
            QTest.mouseClick(sheet.begin, Qt.MouseButton.LeftButton)
            composer = await person.composer()
            assert composer.text_box.text() == "From a page"
            assert composer.when.at() == tomorrow(15)
            assert [draft.content.text for draft in opened.drafts.all()] == ["Half written"]
            assert not service.posts

    run(qapp, work)


def test_links_ask_one_after_the_other_and_take_no_keys_from_somebody_who_is_typing(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            first = await asked(person, "kalends://new?text=One")
            person.controller.run_errands(understood(["kalends://new?text=Two"]))
            for key in (Qt.Key.Key_Space, Qt.Key.Key_Return):
                focused = person.window.focusWidget()
                assert focused is not None
                QTest.keyClick(focused, key)
            assert first.isVisible()
            assert person.window.findChildren(LinkSheet) == [first]
            QTest.mouseClick(first.leave, Qt.MouseButton.LeftButton)
            await until(lambda: any(sheet.isVisible() for sheet in person.window.findChildren(LinkSheet)))
            (second,) = (sheet for sheet in person.window.findChildren(LinkSheet) if sheet.isVisible())
            assert "Two" in [label.text() for label in second.findChildren(QLabel)]
            QTest.keyClick(second, Qt.Key.Key_Escape)
            assert person.window.side is None

    run(qapp, work)


def test_a_link_that_is_refused_changes_nothing(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account()
    file = picture(tmp_path)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            opened.save_composer(ComposerDraft("Half written"))
            sheet = await asked(person, f"kalends://new?text=Buy&file={quote(str(file))}")
            assert any(file.name in label.text() for label in sheet.findChildren(QLabel))
            QTest.keyClick(sheet, Qt.Key.Key_Escape)
            kept = await opened.load_composer()
            assert kept is not None
            assert kept.text == "Half written"
            assert person.window.side is None
            assert opened.media.uploads.all() == []

    run(qapp, work)


def test_a_time_that_is_over_is_left_out(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            sheet = await asked(person, f"kalends://new?text=Late&at={iso(tomorrow() - 2 * DAY)}")
            assert [label.text() for label in sheet.findChildren(QLabel) if ":" in label.text()] == []

    run(qapp, work)


def test_links_lead_to_a_post_and_to_a_day(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    post = service.add_post(account, tomorrow(), "Here I am")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            await until(lambda: len(opened.posts) == 1)
            person.window.go("media")
            person.controller.run_errands(understood([f"kalends://post/{post}"]))
            assert person.window.side is not None
            person.window.close_side()
            day = date.fromordinal(DAYS.day_of(tomorrow()) + 400)
            person.controller.run_errands(understood([f"kalends://day/{day.isoformat()}"]))
            await until(lambda: person.controller.calendar.grid.shows(day.toordinal()))
            person.controller.run_errands(understood(["kalends://post/8c2b1f0e-6a7d-4a54-9d0f-2f1c8f6f3b11"]))
            assert "no longer exists" in person.said()

    run(qapp, work)


def test_a_file_of_the_file_manager_is_a_post_at_once(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account()
    file = picture(tmp_path)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.controller.run_errands(understood([str(file)]))
            composer = await person.composer()
            assert composer.file.name.text() == file.name
            await until(lambda: stored(composer))

    run(qapp, work)
