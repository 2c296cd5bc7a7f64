"""The proxy in the settings: what is chosen is in force and kept, what is wrong is said at its field."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop.settings.network import NetworkSection, NetworkSheet, ProxyPanel
from app.desktop.theme import theme
from app.desktop.welcome import WelcomeScreen
from app.workspace.homes import Home, HomeKind, embedded
from app.workspace.homes.credentials import SecretStore
from app.workspace.messages import Message
from app.workspace.network import FormField, Network, ProxyUse
from tests.client.test_through_proxy import BASE, HOST, behind
from tests.desktop.running import run, shown
from tests.network.small_proxy import PASSWORD, USER, SmallProxy, running
from tests.workspace.opened import until


@pytest.fixture(autouse=True)
def light(qapp: QApplication) -> None:
    theme.apply(qapp, "light")


@contextmanager
def elsewhere(proxy: SmallProxy, folder: Path) -> Iterator[Path]:
    """The proxy and a service behind it, on a loop of their own; gives the file of its authority."""
    loop, over, ready = asyncio.new_event_loop(), asyncio.Event(), threading.Event()

    async def serve() -> None:
        async with behind(folder) as service:
            proxy.places[f"{HOST}:443"] = service.port
            async with running(proxy):
                ready.set()
                await over.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    assert ready.wait(30)
    try:
        yield folder / "ca.pem"
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


@asynccontextmanager
async def opened(folder: Path, home: Home | None = None) -> AsyncIterator[tuple[ProxyPanel, Network]]:
    network = Network(folder, SecretStore(folder))
    async with shown(NetworkSection(network, home, folder / "home")) as section:
        section.came_to_view()
        await until(lambda: section.proxy.use.value() == network.settings.use.value)
        yield section.proxy, network


def test_an_own_proxy_is_in_force_and_kept_once_its_button_is_pressed(
    qapp: QApplication, tmp_path: Path
) -> None:
    async def work() -> None:
        async with opened(tmp_path) as (panel, network):
            panel.use.set_value("own")
            assert network.settings.use is ProxyUse.SYSTEM
            assert panel.address.hasFocus()
            QTest.keyClicks(panel.address, "http://proxy.example:3128")
            QTest.keyClicks(panel.user, USER)
            QTest.keyClicks(panel.password, "a phrase")
            QTest.keyClicks(panel.exceptions, "intranet.example")
            panel.go.click()
            await until(lambda: network.settings.use is ProxyUse.OWN and not panel.password.text())
            assert network.settings.exceptions == ("intranet.example",)
            assert "Saved" in panel.password.placeholderText()
            assert "Applied to all new connections" in panel.strip.text()
        async with opened(tmp_path) as (panel, network):
            await until(lambda: panel.address.text() == "http://proxy.example:3128")
            assert (await network.way.proxy_for("a.example", secure=True)).password == "a phrase"  # type: ignore[union-attr]
            assert not panel.password.text()
            panel.use.set_value("none")
            await until(lambda: network.settings.use is ProxyUse.NONE)
            assert not panel.go.isVisible()
            assert not panel.address.isVisible()

    run(qapp, work)


@pytest.mark.parametrize(
    ("address", "user", "exceptions", "where"),
    [
        ("proxy.example", "", "", FormField.ADDRESS),
        ("http://proxy.example:1", "a:b", "", FormField.USER),
        ("http://proxy.example:1", "", "a/b", FormField.EXCEPTIONS),
    ],
)
@pytest.mark.parametrize("trying", [False, True])
def test_what_is_wrong_is_said_at_its_field(
    qapp: QApplication,
    tmp_path: Path,
    address: str,
    user: str,
    exceptions: str,
    where: FormField,
    trying: bool,
) -> None:
    async def work() -> None:
        async with opened(tmp_path) as (panel, network):
            panel.use.set_value("own")
            for editor, text in (
                (panel.address, address),
                (panel.user, user),
                (panel.exceptions, exceptions),
            ):
                QTest.keyClicks(editor, text)
            (panel.try_button if trying else panel.go).click()
            await until(lambda: bool(panel.fields[where].error()))
            assert panel.fields[where].editor.hasFocus()
            assert network.settings.use is ProxyUse.SYSTEM
            QTest.keyClicks(panel.fields[where].editor, "x")
            assert not panel.fields[where].error()

    run(qapp, work)


def test_a_trial_tells_what_came_of_it_and_puts_nothing_in_force(qapp: QApplication, tmp_path: Path) -> None:
    proxy = SmallProxy(wants=(USER, PASSWORD))
    (tmp_path / "tls").mkdir()

    with elsewhere(proxy, tmp_path / "tls") as authority:
        home = Home(kind=HomeKind.REMOTE, name="Office", base_url=BASE, ca_file=authority)

        async def work() -> None:
            async with opened(tmp_path, home) as (panel, network):
                panel.use.set_value("own")
                panel.address.setText(proxy.address)
                panel.user.setText(USER)
                panel.password.setText("wrong")
                panel.try_button.click()
                await until(lambda: "rejected the username or password" in panel.strip.text())
                panel.password.setText(PASSWORD)
                panel.try_button.click()
                await until(lambda: "responded through the proxy" in panel.strip.text())
                assert network.settings.use is ProxyUse.SYSTEM

        run(qapp, work)
    assert proxy.asked == [f"{HOST}:443"]


def test_names_are_left_to_the_systems_proxy_at_once(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as (panel, network):
            panel.names.click()
            await until(lambda: network.settings.names_at_proxy)
            assert network.settings.use is ProxyUse.SYSTEM

    run(qapp, work)


def test_the_sheet_of_the_welcome_screen_stays_within_a_small_window(
    qapp: QApplication, tmp_path: Path
) -> None:
    async def work() -> None:
        window = QWidget()
        window.resize(1024, 640)
        async with shown(window):
            sheet = NetworkSheet(window, Network(tmp_path, SecretStore(tmp_path)))
            sheet.ask()
            low = sheet.panel.height()
            sheet.proxy.use.set_value("own")
            await until(lambda: low < sheet.panel.height() <= 640 - 48)
            assert sheet.close_button.isVisible()
            sheet.dismiss()

    run(qapp, work)


def test_the_welcome_screen_leads_to_the_proxy(qapp: QApplication) -> None:
    async def work() -> None:
        wanted: list[bool] = []
        async with shown(WelcomeScreen()) as screen:
            screen.proxy_wanted.connect(lambda: wanted.append(True))
            screen.service.click()
            screen.form.proxy.click()
        assert wanted == [True]

    run(qapp, work)


@pytest.mark.parametrize(("kind", "shows"), [(HomeKind.EMBEDDED, True), (HomeKind.REMOTE, False)])
def test_a_calendar_on_this_computer_may_allow_webhooks_at_home(
    qapp: QApplication, tmp_path: Path, kind: HomeKind, shows: bool
) -> None:
    base = "" if kind is HomeKind.EMBEDDED else "https://plan.example.com"
    home = Home(kind=kind, name="Studio", base_url=base)
    folder = tmp_path / "homes" / str(home.id)

    async def work() -> None:
        network = Network(tmp_path, SecretStore(tmp_path))
        async with shown(NetworkSection(network, home, folder)) as section:
            section.came_to_view()
            assert section.home_network.isVisible() is shows
            if not shows:
                return
            assert not section.home_network.isChecked()
            assert not embedded.is_allowed(folder)
            section.home_network.click()
            await until(lambda: embedded.is_allowed(folder))
        async with shown(NetworkSection(network, home, folder)) as section:
            section.came_to_view()
            await until(section.home_network.isChecked)
            section.home_network.click()
            await until(lambda: not embedded.is_allowed(folder))

    run(qapp, work)


def test_a_choice_that_cannot_be_kept_is_said_and_taken_back(qapp: QApplication, tmp_path: Path) -> None:
    home = Home(kind=HomeKind.EMBEDDED, name="Studio")
    (tmp_path / "homes").write_text("a file where a folder should be")

    async def work() -> None:
        network = Network(tmp_path, SecretStore(tmp_path))
        async with shown(NetworkSection(network, home, tmp_path / "homes" / "x")) as section:
            told: list[Message] = []
            section.told.connect(told.append)
            section.home_network.click()
            await until(lambda: told)
            assert told[0].text.startswith("The choice couldn't be saved: ")
            assert not section.home_network.isChecked()

    run(qapp, work)
