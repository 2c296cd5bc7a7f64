"""What the system's notifications show, and what comes back of them; over a real D-Bus."""

import asyncio
import gc

import pytest
from PySide6.QtWidgets import QApplication

from app import resources
from app.desktop.notices import SystemNotices
from app.workspace.messages import MessageAction
from app.workspace.notices.notice import Notice, NoticeKind
from tests.desktop.notices_center import bus, center, needs_dbus
from tests.desktop.running import run
from tests.workspace.opened import until

SEE_WHY = MessageAction("See why", "show_post", "post-1")
FAILED = Notice(NoticeKind.FAILED, "Not published on X", "Q & A <b>live</b>\nPermission missing.", SEE_WHY)


@needs_dbus
@pytest.mark.parametrize("clicked", ["go", "default"])
def test_a_notice_is_shown_and_its_action_comes_back(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, clicked: str
) -> None:
    async def work() -> None:
        done: list[MessageAction] = []
        async with center("actions", "body") as desk:
            system = SystemNotices(done.append)
            assert await system.show(FAILED)
            (shown,) = desk.shown
            assert (shown.title, shown.body) == (FAILED.title, FAILED.text)
            assert shown.actions["go"] == "See why"
            assert shown.icon == resources.path("icons/kalends-128.png").as_uri()
            desk.click(1, clicked)
            await until(lambda: done == [SEE_WHY])
            await system.close()

    with bus(monkeypatch):
        run(qapp, work)


@needs_dbus
def test_what_people_write_is_no_markup(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = Notice(NoticeKind.PUBLISHED, "A\x00B\nC", "<img src='x'> \x1b[2J\ud800 &amp;", SEE_WHY)

    async def work() -> None:
        async with center("actions", "body", "body-markup") as desk:
            system = SystemNotices(lambda _action: None)
            assert await system.show(FAILED)
            assert await system.show(odd)
            assert desk.shown[0].body == "Q &amp; A &lt;b&gt;live&lt;/b&gt;\nPermission missing."
            assert desk.shown[1].title == "AB C"
            assert desk.shown[1].body == "&lt;img src='x'&gt; [2J &amp;amp;"
            await system.close()

    with bus(monkeypatch):
        run(qapp, work)


@needs_dbus
def test_what_nobody_could_act_on_any_more_is_taken_back(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with center("actions", "body") as desk:
            system = SystemNotices(lambda _action: None)
            for _ in range(3):
                await system.show(FAILED)
            desk.dismiss(2, 2)
            await asyncio.sleep(0.05)
            await system.close()
            assert desk.taken_back == [1, 3]

    with bus(monkeypatch):
        run(qapp, work)


@needs_dbus
def test_a_desktop_that_comes_later_is_found(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        system = SystemNotices(lambda _action: None)
        assert not await system.show(FAILED)
        for _ in range(2):
            async with center("actions", "body") as desk:
                assert await system.show(FAILED)
                assert len(desk.shown) == 1
        assert not await system.show(FAILED)
        await system.close()

    with bus(monkeypatch):
        run(qapp, work)
    gc.collect()  # a connection that is left open says so then


@pytest.mark.parametrize("address", [None, "unix:path=/nonexistent/bus", "no address"])
def test_without_a_bus_nothing_is_shown_and_nothing_is_wrong(
    qapp: QApplication,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    address: str | None,
) -> None:
    if address is not None:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    monkeypatch.delenv("DISPLAY", raising=False)

    async def work() -> None:
        system = SystemNotices(lambda _action: None)
        assert not await system.show(FAILED)
        assert not await system.show(FAILED)
        await system.close()

    run(qapp, work)
    assert [record for record in caplog.records if record.levelname != "DEBUG"] == []
    gc.collect()
