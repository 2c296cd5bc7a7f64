"""One click on a card shows its details beside the calendar, and takes nothing else away."""

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.calendar.controller import State
from app.desktop.composer import ComposerPanel
from app.desktop.inspector import Inspector, SelectedPosts
from app.desktop.widgets import ElidedLabel
from tests.desktop.running import run, workspace
from tests.desktop.shell.person import Person, at_home, tomorrow
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

LEFT = Qt.MouseButton.LeftButton


def card(person: Person, key: str) -> QPoint:
    view = person.controller.calendar.grid.view
    post = person.workspace.posts.get(key)
    assert post is not None
    found = view.page.card_of(post)
    assert found is not None
    return view.on_viewport(found[0]).center()


def inspected(person: Person) -> str:
    side = person.window.side
    return side.key if isinstance(side, Inspector) else ""


def click(person: Person, key: str, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.mouseClick(person.controller.calendar.grid.view.viewport(), LEFT, modifier, card(person, key))


def test_one_click_shows_the_details_and_the_focus_stays(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    first, second = (service.add_post(account, tomorrow(hour), str(hour)) for hour in (8, 9))

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            view = person.controller.calendar.grid.view
            click(person, first)
            assert view.selection.keys == {first}
            await until(lambda: inspected(person) == first)
            assert view.hasFocus()
            panel = person.window.side
            click(person, first)
            await until(lambda: not person.controller.peeking.is_waiting)
            assert person.window.side is panel, "it is there already"
            click(person, second)
            await until(lambda: inspected(person) == second)
            assert view.selection.keys == {second}
            assert view.hasFocus()

    run(qapp, work)


def test_the_card_of_an_opened_post_is_marked_wherever_it_was_opened(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    first, second = (service.add_post(account, tomorrow(hour), str(hour)) for hour in (8, 9))

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            selection = person.controller.calendar.grid.view.selection
            person.controller.panels.inspect(first)
            assert selection.keys == {first}
            selection.choose([first, second], first)
            person.controller.panels.inspect(second)
            assert selection.keys == {second}, "the panel and the selection agree"

    run(qapp, work)


def listed(person: Person) -> list[str]:
    """The title of the list of selected posts, and their texts; empty without that list."""
    side = person.window.side
    if not isinstance(side, SelectedPosts):
        return []
    rows = (label for label in side.findChildren(ElidedLabel) if label.isVisibleTo(side))
    return [side.title.text(), *(label.text() for label in rows)]


def test_a_list_replaces_the_panel_of_one_post_while_several_are_selected(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    first, second, third = (service.add_post(account, tomorrow(hour), str(hour)) for hour in (8, 9, 10))
    control = Qt.KeyboardModifier.ControlModifier

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            view = person.controller.calendar.grid.view
            click(person, first)
            await until(lambda: inspected(person) == first)
            width = view.width()
            click(person, second, control)
            await until(lambda: listed(person) == ["2 posts selected", "8", "9"])
            assert view.width() == width, "no card moves while the user selects"
            assert view.hasFocus()
            click(person, third, control)
            await until(lambda: listed(person) == ["3 posts selected", "8", "9", "10"])
            opened.move({first: tomorrow(11)})
            await until(lambda: listed(person) == ["3 posts selected", "9", "10", "8"])
            click(person, first, control)
            click(person, second, control)
            await until(lambda: inspected(person) == third)
            assert view.selection.keys == {third}

    run(qapp, work)


def test_the_list_of_selected_posts_stays_open_without_any(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    first, second = (service.add_post(account, tomorrow(hour), str(hour)) for hour in (8, 9))

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            view = person.controller.calendar.grid.view
            person.controller.panels.inspect(first)
            view.selection.choose([first, second], first)
            assert listed(person)
            QTest.keyClick(view, Qt.Key.Key_Escape)
            await until(lambda: listed(person) == ["No posts selected"])
            click(person, second)
            await until(lambda: inspected(person) == second)

    run(qapp, work)


def test_choosing_several_and_dragging_show_nothing(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    first, second = (service.add_post(account, tomorrow(hour), str(hour)) for hour in (8, 9))

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            view = person.controller.calendar.grid.view
            click(person, first)
            waited = person.controller.peeking.is_waiting
            click(person, second, Qt.KeyboardModifier.ControlModifier)
            assert (waited, person.controller.peeking.is_waiting) == (True, False)
            assert view.selection.keys == {first, second}
            at = card(person, first)
            QTest.mousePress(view.viewport(), LEFT, pos=at)
            QTest.mouseMove(view.viewport(), at + QPoint(0, 60))
            QTest.mouseMove(view.viewport(), at + QPoint(0, 5))
            assert person.controller.calendar.mouse.state is State.DRAGGING
            QTest.mouseRelease(view.viewport(), LEFT, pos=at + QPoint(0, 5))
            assert not person.controller.peeking.is_waiting
            assert person.window.side is None

    run(qapp, work)


def test_a_double_click_means_the_card_that_was_clicked_first(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    key = service.add_post(account, tomorrow(8), "Open me")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            said: list[str] = []
            person.controller.calendar.postOpened.connect(said.append)
            at = card(person, key)
            click(person, key)
            await until(lambda: inspected(person) == key)  # the days are narrower now
            QTest.mouseDClick(person.controller.calendar.grid.view.viewport(), LEFT, pos=at)
            assert said == [key]

    run(qapp, work)


def test_what_is_being_written_is_left_open(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    key = service.add_post(account, tomorrow(8), "There already")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.controller.panels.compose(tomorrow(9))
            composer = await person.composer()
            click(person, key)
            assert person.controller.peeking.is_waiting
            await until(lambda: not person.controller.peeking.is_waiting)
            assert person.window.side is composer
            assert isinstance(composer, ComposerPanel)

    run(qapp, work)
