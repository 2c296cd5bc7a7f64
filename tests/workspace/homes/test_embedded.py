"""The service on this computer: starts by itself, comes back after a crash, ends with the app."""

import asyncio
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from app.client import ServiceClient
from app.contract.enums import ConnectionPlatform
from app.workspace.homes import Home, HomeKind, Homes, programs
from app.workspace.homes.certificates import ssl_context
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.embedded import EmbeddedService
from app.workspace.homes.visit import Visits
from app.workspace.messages import Problem
from app.workspace.network import Network, ProxyForm, ProxyUse
from tests.network.small_proxy import PASSWORD, USER, SmallProxy, running


def silent(_text: str) -> None:
    """Nobody watches the progress."""


async def answers(home: Home, key: str) -> bool:
    client = ServiceClient(home.base_url, key, ssl_context=ssl_context(home))
    try:
        return (await client.usage()).plan == "local"
    finally:
        await client.close()


async def test_a_killed_service_is_started_again_at_the_same_address(tmp_path: Path) -> None:
    homes, credentials = Homes(tmp_path), Credentials(tmp_path)
    embedded = EmbeddedService(homes, credentials, Home(kind=HomeKind.EMBEDDED, name="My calendar"))
    home = await embedded.start(silent)
    key = await credentials.find(home.id)
    assert key is not None
    assert await answers(home, key)

    first = embedded.service_pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    async with asyncio.timeout(120):
        while embedded.service_pid == first or not embedded.is_running:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        assert await answers(home, key)
    await embedded.stop()
    assert not embedded.is_running


@pytest.mark.variation
async def test_a_service_that_was_up_for_a_while_is_started_again_without_a_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.workspace.homes.embedded._RESTART_AFTER_S", 86_400)
    monkeypatch.setattr("app.workspace.homes.embedded._STEADY_S", 0)

    here = EmbeddedService(
        Homes(tmp_path), Credentials(tmp_path), Home(kind=HomeKind.EMBEDDED, name="My calendar")
    )
    await here.start(silent)
    first = here.service_pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    async with asyncio.timeout(120):
        while here.service_pid == first or not here.is_running:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    await here.stop()


async def test_a_service_whose_port_was_taken_meanwhile_tells_its_new_address(tmp_path: Path) -> None:
    homes = Homes(tmp_path)
    here = EmbeddedService(homes, Credentials(tmp_path), Home(kind=HomeKind.EMBEDDED, name="My calendar"))
    before = await here.start(silent)
    moved = asyncio.Event()
    here.on_moved = moved.set
    assert here.service_pid is not None
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        os.kill(here.service_pid, signal.SIGKILL)
        await asyncio.to_thread(take, other, before.service_port)
        async with asyncio.timeout(120):
            await moved.wait()
    assert here.home.base_url != before.base_url
    assert homes.current() == here.home
    await here.stop()


def take(other: socket.socket, port: int) -> None:
    """Listen on a port as soon as nobody else does."""
    for _ in range(1_000):
        try:
            other.bind(("127.0.0.1", port))
        except OSError:
            time.sleep(0.001)
        else:
            other.listen()
            return


async def test_a_service_that_cannot_be_started_again_is_tried_after_a_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.workspace.homes.embedded._RESTART_AFTER_S", 86_400)
    monkeypatch.setattr("app.workspace.homes.embedded._STEADY_S", 0)
    tries: list[str] = []

    def refuse(name: str, *_arguments: object) -> programs.Program:
        tries.append(name)
        raise programs.ProgramEndedError("The disk is full.", name, 1)

    here = EmbeddedService(
        Homes(tmp_path), Credentials(tmp_path), Home(kind=HomeKind.EMBEDDED, name="My calendar")
    )
    await here.start(silent)
    monkeypatch.setattr(programs, "serve", refuse)
    assert here.service_pid is not None
    os.kill(here.service_pid, signal.SIGKILL)
    async with asyncio.timeout(120):
        while not tries:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await asyncio.sleep(1)
    assert tries == ["service"]
    await here.stop()


async def test_a_start_that_is_cancelled_while_the_process_is_made_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve, begun, goes_on = programs.serve, threading.Event(), threading.Event()
    started: list[programs.Program] = []

    def slow(name: str, folder: Path, port: int, *more: str) -> programs.Program:
        begun.set()
        goes_on.wait()
        started.append(serve(name, folder, port, *more))
        return started[-1]

    monkeypatch.setattr(programs, "serve", slow)
    here = EmbeddedService(
        Homes(tmp_path), Credentials(tmp_path), Home(kind=HomeKind.EMBEDDED, name="My calendar")
    )
    starting = asyncio.create_task(here.start(silent))
    await asyncio.to_thread(begun.wait)
    starting.cancel()
    await asyncio.sleep(0.05)
    goes_on.set()
    await asyncio.gather(starting, return_exceptions=True)
    async with asyncio.timeout(120):
        while not started:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await here.stop()
    assert [program.running for program in started] == [False]


@pytest.mark.variation
async def test_a_service_that_is_killed_during_its_start_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve, started = programs.serve, list[int]()

    def serve_and_kill(name: str, folder: Path, port: int, *more: str) -> programs.Program:
        program = serve(name, folder, port, *more)
        started.append(program.pid)
        if len(started) == 1:
            os.kill(program.pid, signal.SIGKILL)
            program.wait()  # so that it can't be told its proxy either
        return program

    monkeypatch.setattr(programs, "serve", serve_and_kill)
    homes, credentials = Homes(tmp_path), Credentials(tmp_path)
    network = Network(homes.data, credentials.secrets)
    here = EmbeddedService(homes, credentials, Home(kind=HomeKind.EMBEDDED, name="My calendar"), network)
    await here.start(silent)
    assert here.service_pid == started[1]
    assert here.is_running
    await here.stop()


async def test_a_practice_home_runs_its_platforms_and_both_end_with_it(tmp_path: Path) -> None:
    visits = Visits(Homes(tmp_path), Credentials(tmp_path))
    visit = await visits.begin_here(practice=True, progress=silent)
    assert visit.workspace.practice
    assert visits.homes.current() == visit.home
    children = psutil.Process().children(recursive=True)
    assert len(children) == 2
    await visit.leave()
    _, alive = psutil.wait_procs(children, timeout=10)
    assert alive == []


@pytest.mark.variation
async def test_a_calendar_whose_service_data_is_damaged_says_so_in_one_sentence(tmp_path: Path) -> None:
    homes, credentials = Homes(tmp_path), Credentials(tmp_path)
    home = Home(kind=HomeKind.EMBEDDED, name="My calendar")
    embedded = EmbeddedService(homes, credentials, home)
    home = await embedded.start(silent)
    await embedded.stop()
    database = homes.folder(home) / "service" / "service.db"
    for leftover in database.parent.glob("service.db-*"):
        leftover.unlink()
    database.write_bytes(b"no database " * 1_000)

    with pytest.raises(Problem, match="damaged"):
        await EmbeddedService(homes, credentials, home).start(silent)
    assert database.read_bytes() == b"no database " * 1_000


async def test_the_service_goes_through_the_proxy_that_is_chosen_while_it_runs(tmp_path: Path) -> None:
    visits = Visits(Homes(tmp_path), Credentials(tmp_path))
    async with running(SmallProxy(wants=(USER, PASSWORD))) as proxy:
        visit = await visits.begin_here(practice=False, progress=silent)
        form = ProxyForm(ProxyUse.OWN, proxy.address, USER, PASSWORD)
        await visits.network.choose(form)
        async with asyncio.timeout(60):
            while "www.linkedin.com:443" not in proxy.asked:
                await visit.workspace.setups.test(ConnectionPlatform.LINKEDIN)
        command_lines = [child.cmdline() for child in psutil.Process().children(recursive=True)]
        await visit.leave()
    assert PASSWORD not in str(command_lines)
    log = (visits.homes.folder(visit.home) / "service.log").read_text(encoding="utf-8")
    assert PASSWORD not in log
    assert proxy.asked


@pytest.mark.variation
@pytest.mark.logs_error("the embedded service did not start")
async def test_a_service_that_cannot_be_run_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    homes, credentials = Homes(tmp_path), Credentials(tmp_path)
    home = Home(kind=HomeKind.EMBEDDED, name="My calendar")
    with monkeypatch.context() as broken:
        broken.setattr(sys, "executable", str(tmp_path / "missing"))
        with pytest.raises(Problem, match="couldn't be started") as raised:
            await EmbeddedService(homes, credentials, home).start(silent)
    assert str(tmp_path / "missing") in raised.value.details
    here = EmbeddedService(homes, credentials, home)
    await here.start(silent)
    await here.stop()


@pytest.mark.variation
@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
@pytest.mark.logs_error("the embedded service did not start")
async def test_a_service_comes_back_after_something_else_was_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For example while an update replaces the files of the program."""
    monkeypatch.setattr("app.workspace.homes.embedded._RESTART_AFTER_S", 0.01)
    homes, credentials = Homes(tmp_path), Credentials(tmp_path)
    here = EmbeddedService(homes, credentials, Home(kind=HomeKind.EMBEDDED, name="My calendar"))
    await here.start(silent)
    first, tries = here.service_pid, tmp_path / "tries"
    assert first is not None
    stranger = tmp_path / "stranger"
    stranger.write_text(f"#!/bin/sh\necho >> {tries}\necho not JSON\nexec cat\n")
    stranger.chmod(0o755)
    async with asyncio.timeout(120):
        with monkeypatch.context() as broken:
            broken.setattr(sys, "executable", str(stranger))
            os.kill(first, signal.SIGKILL)
            while not tries.exists() or len(tries.read_text()) < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        while not here.is_running:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    names = [child.name() for child in psutil.Process().children(recursive=True)]
    await here.stop()
    assert "cat" not in names
