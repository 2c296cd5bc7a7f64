"""Errors on the welcome screen: a helpful sentence, and nothing is lost."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget

from app.desktop.application import Application
from app.workspace.homes.certificates import PresentedCertificate, presented_certificate
from tests.journeys.conftest import Play
from tests.journeys.stage import ZONE, Stage, now_ms
from tests.journeys.test_plan_and_publish import a_week_from_now, plan
from tests.journeys.wiretap import Wiretap
from tests.ports import free_port

WRONG_KEY = "stp_rest_" + "0" * 64


def said(widget: QWidget) -> str:
    """Return all texts of a widget."""
    return " | ".join(label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget))


async def at_the_door(
    stage: Stage, address: str, key: str, trusted: PresentedCertificate | None = None
) -> tuple[Application, str]:
    """Start the app without a calendar, enter a URL and a key, and return the shown texts."""
    application = Application(stage.folder / "fresh", ZONE)
    application.take_folder()
    application.window.show()
    await application.begin()
    welcome = application.show_welcome()
    await application.begin_service(address, key, trusted)
    return application, said(welcome)


def test_a_wrong_key_is_said_to_be_refused(stage: Stage, play: Play) -> None:
    async def journey() -> None:
        shown = await presented_certificate(stage.wire.base_url)
        application, words = await at_the_door(stage, stage.wire.base_url, WRONG_KEY, shown)
        assert "doesn't recognize this key" in words
        assert WRONG_KEY not in words
        assert application.visit is None
        await application.close()

    play(journey())


def test_the_key_is_sent_to_nobody_before_its_certificate_is_trusted(stage: Stage, play: Play) -> None:
    async def journey() -> None:
        shown = await presented_certificate(stage.wire.base_url)
        application, words = await at_the_door(stage, stage.wire.base_url, WRONG_KEY)
        assert shown.fingerprint in words.replace("\n", ":")
        assert stage.wire.requests == []
        assert application.visit is None
        await application.close()

    play(journey())


def test_a_service_that_is_not_there_is_said_to_be_out_of_reach(stage: Stage, play: Play) -> None:
    async def journey() -> None:
        application, words = await at_the_door(stage, "https://127.0.0.1:9", WRONG_KEY)
        assert "No response from 127.0.0.1:9" in words
        await application.close()

    play(journey())


def test_another_certificate_than_the_pinned_one_is_never_spoken_to(stage: Stage, play: Play) -> None:
    port = free_port()  # one of the system's own choice may go to another program before the impostor comes
    stage.wire.close()
    stage.wire = Wiretap(stage.service.base_url, Path(stage.service.ca_file), stage.folder, port=port)

    async def journey() -> None:
        async with stage.app() as actor:
            account = await actor.connect("linkedin")
            await plan(actor, account, "Still here", a_week_from_now(9, 0))
            known = await presented_certificate(stage.wire.base_url)
        stage.wire.close()
        impostor = Wiretap(stage.service.base_url, Path(stage.service.ca_file), stage.folder, port=port)
        stage.wire = impostor
        async with stage.app() as actor:
            await actor.until(lambda: "certificate" in (actor.workspace.sync.problem or ""))
            assert actor.post("Still here")
            assert (await presented_certificate(impostor.base_url)).fingerprint != known.fingerprint
            assert impostor.requests == []

    play(journey())


def test_a_past_time_is_refused_and_the_post_stays(stage: Stage, play: Play) -> None:
    async def journey() -> None:
        async with stage.app() as actor:
            account = await actor.connect("x")
            key = await plan(actor, account, "Not yesterday", a_week_from_now(9, 0))
            yesterday = now_ms() - 86_400_000
            assert "passed" in (actor.workspace.refusal(key, yesterday) or "")
            actor.workspace.move({key: yesterday})
            assert actor.post("Not yesterday").at == a_week_from_now(9, 0)
            assert stage.wire.sent("PATCH") == []
            panel = actor.controller.panels.compose(yesterday)
            await actor.until(lambda: not panel.text_box.editor.isReadOnly())
            panel.accounts.toggle(account).setChecked(True)
            QTest.keyClicks(panel.text_box.editor, "Too late")
            QTest.mouseClick(panel.frame.schedule, Qt.MouseButton.LeftButton)
            assert "That time has passed" in said(panel)
            assert panel.text_box.text() == "Too late"

    play(journey())


def test_a_damaged_calendar_file_is_set_aside_and_built_again(stage: Stage, play: Play) -> None:
    async def journey() -> None:
        async with stage.app():
            pass
        damaged = next((stage.folder / "app" / "homes").glob("*/workspace.db"))
        for leftover in damaged.parent.glob("workspace.db-*"):
            leftover.unlink()
        damaged.write_bytes(b"no database " * 500)
        application = Application(stage.folder / "app", ZONE)
        application.take_folder()
        application.window.show()
        await application.begin()
        said = application.window.messages.texts()
        assert any("damaged and moved to" in text for text in said)
        aside = [file for file in damaged.parent.iterdir() if file.read_bytes() == b"no database " * 500]
        assert len(aside) == 1
        assert aside[0] != damaged
        assert application.controller is not None
        await application.close()

    play(journey())


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of four megabytes."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount a small disk")
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("this machine allows no mounts")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.logs_error("disk is full")
def test_a_full_disk_takes_a_move_back_and_loses_nothing(stage: Stage, small_disk: Path, play: Play) -> None:
    stage.folder = small_disk

    async def journey() -> None:
        async with stage.app() as actor:
            account = await actor.connect("linkedin")
            key = await plan(actor, account, "No room", a_week_from_now(9, 0))
            _fill(small_disk)
            actor.workspace.move({key: a_week_from_now(11, 0)})
            await actor.until(
                lambda: any("disk is full" in text for text in actor.application.window.messages.texts())
            )
            await actor.until(lambda: actor.post("No room").at == a_week_from_now(9, 0))
            (small_disk / "filler").unlink()
            actor.workspace.move({key: a_week_from_now(12, 0)})
            await actor.until(lambda: actor.workspace.sync.waiting == 0)
            assert actor.post("No room").at == a_week_from_now(12, 0)

    play(journey())


def _fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as filler:
        for size in (65_536, 512, 1):
            try:
                while True:
                    filler.write(b"\0" * size)
            except OSError:
                continue
