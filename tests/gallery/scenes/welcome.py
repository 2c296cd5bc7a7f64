"""The first screen, and what it says while and after a service is tried."""

import asyncio
from contextlib import ExitStack

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.desktop.settings.network import NetworkSheet
from app.desktop.welcome import WelcomeScreen
from app.workspace.homes import Home, Homes
from app.workspace.homes.certificates import presented_certificate
from app.workspace.homes.registry import HomeKind
from tests.gallery.hands import click, the
from tests.gallery.scene import Screen
from tests.gallery.servers import Server, server
from tests.gallery.stage import Stage

SCREEN = Screen()


@SCREEN.scene("welcome", has_mockup=True)
async def default(stage: Stage) -> None:
    await _welcome(stage)


@SCREEN.scene("welcome-service", has_mockup=True)
async def service_chosen(stage: Stage) -> None:
    screen = await _welcome(stage)
    click(screen.service)
    QTest.keyClicks(screen.form.address, "https://plan.okafor.studio")


@SCREEN.scene("welcome-proxy")
async def behind_a_proxy(stage: Stage) -> None:
    """What leads to a service that only a proxy reaches, before there is a calendar."""
    app = await stage.application()
    screen = app.show_welcome()
    screen.offer_backup()
    click(screen.service)
    click(screen.form.proxy)
    sheet = await _sheet(stage, app.window)
    sheet.proxy.use.set_value("own")


@SCREEN.scene("welcome-malformed-key")
async def malformed_key(stage: Stage) -> None:
    screen = await _welcome(stage)
    click(screen.service)
    QTest.keyClicks(screen.form.address, "https://plan.okafor.studio")
    QTest.keyClicks(screen.form.key, "stp_rest_b17e")
    click(screen.form.submit)


@SCREEN.scene("welcome-progress")
async def progress(stage: Stage) -> None:
    screen = await _welcome(stage)
    _start(screen, _serve(stage, answers=False))
    await stage.until(screen.cancel.isVisible)


@SCREEN.scene("welcome-wrong-key")
async def wrong_key(stage: Stage) -> None:
    found = _serve(stage, answers=True)
    trusted = (await presented_certificate(found.address)).pem
    home = Home(kind=HomeKind.REMOTE, name="there", base_url=found.address, pinned_certificate=trusted)
    screen = await _welcome(stage)
    await asyncio.to_thread(Homes(stage.folder).keep, home)
    _start(screen, found)
    await stage.until(screen.form.problem)


@SCREEN.scene("welcome-nobody-there")
async def nobody_there(stage: Stage) -> None:
    screen = await _welcome(stage)
    with ExitStack() as short:
        gone = short.enter_context(server(stage.folder, answers=True))
    _start(screen, gone)
    await stage.until(screen.form.problem)


@SCREEN.scene("welcome-certificate")
async def certificate(stage: Stage) -> None:
    found = _serve(stage, answers=True)
    home = Home(
        kind=HomeKind.REMOTE,
        name="plan.okafor.studio",
        base_url=found.address,
        pinned_certificate=found.other_certificate,
    )
    screen = await _welcome(stage)
    await asyncio.to_thread(Homes(stage.folder).keep, home)
    _start(screen, found)
    await stage.until(lambda: not screen.here.isVisible())


async def _sheet(stage: Stage, window: QWidget) -> NetworkSheet:
    await stage.until(lambda: window.findChildren(NetworkSheet))
    return the(NetworkSheet, window)


async def _welcome(stage: Stage) -> WelcomeScreen:
    app = await stage.application()
    await app.begin()
    return the(WelcomeScreen, app.window)


def _serve(stage: Stage, *, answers: bool) -> Server:
    stack = ExitStack()
    found = stack.enter_context(server(stage.folder, answers=answers))

    async def close() -> None:
        await asyncio.to_thread(stack.close)

    stage.keep(close)
    return found


def _start(screen: WelcomeScreen, found: Server) -> None:
    click(screen.service)
    QTest.keyClicks(screen.form.address, found.address)
    QTest.keyClicks(screen.form.key, found.key)
    click(screen.form.submit)
