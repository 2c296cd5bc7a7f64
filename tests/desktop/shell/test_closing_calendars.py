"""Messages, sheets and menus belong to one calendar: none of their buttons acts on the next one."""

from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.contract.enums import PostStatus
from app.desktop import cancelling
from app.desktop.links import BeginPost, LinkSheet
from app.desktop.widgets import Menu
from app.workspace.clock import wall_clock
from app.workspace.messages import Message
from app.workspace.workspace import Workspace
from tests.desktop.running import furnish, run, service_of_today, workspace
from tests.desktop.shell.person import DAY, LISBON, Person, at_home
from tests.workspace.opened import new_post, settled


async def cancelled_post(opened: Workspace) -> tuple[str, Message]:
    """The key of a post that was cancelled in the workspace's second step, and what is said about it."""
    (account,) = opened.accounts
    (key,) = opened.plan([new_post(account, "Not this one", wall_clock() + DAY)])
    told = cancelling.cancel(opened, [key], LISBON)
    assert told is not None
    return key, told


def switch(person: Person, other: Workspace) -> None:
    person.controller.close()
    person.controller = furnish(person.window, other)


def test_no_message_of_a_calendar_is_in_the_next_one(qapp: QApplication, tmp_path: Path) -> None:
    here, there = service_of_today(), service_of_today()
    for service in (here, there):
        service.add_account("x")
    for name in ("here", "there"):
        (tmp_path / name).mkdir()

    async def work() -> None:
        async with workspace(tmp_path / "here", here) as one, workspace(tmp_path / "there", there) as two:
            await settled(one)
            await settled(two)
            async with at_home(tmp_path, one) as person:
                _, told = await cancelled_post(one)
                key, told_there = await cancelled_post(two)
                assert told.action == told_there.action  # so it would undo the other calendar's step
                person.window.messages.tell(told)
                person.window.messages.tell(Message("error", "Not sent.", "Request 7", about="writing"))
                switch(person, two)
                assert person.said() == ""
                assert two.posts.get(key).status is PostStatus.CANCELLED  # type: ignore[union-attr]

    run(qapp, work)


def test_buttons_wait_while_no_calendar_is_open(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    service.add_account("x")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            await settled(opened)
            key, told = await cancelled_post(opened)
            person.window.messages.tell(told)
            person.controller.close(is_rebuilt=True)
            person.press("Undo")
            assert person.said() == told.text
            person.controller = furnish(person.window, opened)
            person.press("Undo")
            assert person.said() == ""
            assert opened.posts.get(key).status is not PostStatus.CANCELLED  # type: ignore[union-attr]

    run(qapp, work)


def test_sheets_and_menus_close_with_their_calendar(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    service.add_account("x")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            menu = Menu(person.window)
            menu.addAction("Another calendar")
            menu.popup(person.window.pos())
            links = [BeginPost("Text of the link", None, ()), BeginPost("Another", None, ())]
            person.controller.run_errands(links)
            (sheet,) = person.window.findChildren(LinkSheet)
            assert sheet.isVisible()
            before = person.controller
            switch(person, opened)
            assert not any(one.isVisible() for one in person.window.findChildren(LinkSheet))
            assert not menu.isVisible()
            assert before.unanswered == links

    run(qapp, work)
