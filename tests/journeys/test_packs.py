"""A pack made in one data folder sets up another, without a key being typed there."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from app.client import ServiceClient
from app.desktop.setup import SetupPanel
from app.desktop.setup.make_pack import MakePackPage
from app.desktop.setup.use_pack import UsePackPage
from app.workspace.messages import Message
from app.workspace.workspace import Workspace
from tests.desktop.running import shown
from tests.journeys.conftest import Play
from tests.workspace.opened import until
from tests.workspace.programs import enrol, program

PASSPHRASE = "seven brown sheep"
SECRET = "a-test-secret"
KEYS = ("linkedin", "app-7", SECRET), ("x", "app-x", "")


@dataclass
class Person:
    """Somebody with a data folder of their own, in front of the panel of the platforms."""

    panel: SetupPanel
    client: ServiceClient
    typed: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def write(self, editor: QLineEdit, text: str) -> None:
        """Type a text, key by key."""
        editor.setFocus()
        editor.clear()
        QTest.keyClicks(editor, text)
        self.typed.append(text)

    def click(self, widget: QWidget) -> None:
        assert widget.isVisible()
        assert widget.isEnabled()
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)

    async def choose_file(self, file: Path) -> None:
        """Choose a file in the dialog that has just opened."""
        await until(lambda: self.panel.window().findChildren(QFileDialog))
        (dialog,) = self.panel.window().findChildren(QFileDialog)
        dialog.filesSelected.emit([str(file)])
        dialog.reject()
        await until(lambda: not self.panel.window().findChildren(QFileDialog))

    async def open_pack(self, file: Path) -> None:
        assert self.panel.pack_row is not None
        self.click(self.panel.pack_row.use)
        await self.choose_file(file)


@asynccontextmanager
async def person(folder: Path) -> AsyncIterator[Person]:
    await asyncio.to_thread(folder.mkdir)
    _, key = enrol(folder)
    with program(folder.with_suffix(".log"), "app.service", "serve", "--data", folder) as ready:
        trust = ssl.create_default_context(cafile=ready["ca_file"])
        client = ServiceClient(ready["base_url"], key, ssl_context=trust)
        opened = await Workspace.open(
            client, folder / "workspace.db", name=folder.name.title(), practice=False
        )
        try:
            await until(lambda: opened.packs.offered)
            async with shown(SetupPanel(opened), (460, 900)) as panel:
                await until(lambda: panel.pack_row)
                one = Person(panel, client)
                panel.told.connect(lambda message: one.told.append(_text(message)))
                yield one
        finally:
            await opened.close()


def _text(message: Message) -> str:
    return message.text


async def set_up(one: Person, platform: str, client_id: str, secret: str) -> None:
    panel = one.panel
    one.click(panel.rows[platform])
    await until(lambda: panel.page)
    assert panel.page is not None
    panel.page.steps.open(2)
    keys = panel.page.keys
    assert keys is not None
    one.write(keys.client_id, client_id)
    if secret:
        one.write(keys.secret, secret)
    one.click(keys.save)
    await until(lambda: panel.page and panel.page.setup.credentials)
    panel.show_all()


async def make(one: Person, file: Path) -> MakePackPage:
    assert one.panel.pack_row is not None
    one.click(one.panel.pack_row.make)
    page = one.panel.pack_page
    assert isinstance(page, MakePackPage)
    assert [box.text() for box in page.boxes.values()] == ["LinkedIn", "X"]
    one.write(page.maker, "Okafor Studio")
    one.write(page.line, PASSPHRASE)
    one.click(page.save)
    await one.choose_file(file)
    await until(page.strip.text)
    assert page.strip.kind() == "info", page.strip.text()
    return page


async def use(one: Person, file: Path, fingerprint: str) -> None:
    await one.open_pack(file)
    await until(lambda: one.panel.pack_page)
    page = one.panel.pack_page
    assert isinstance(page, UsePackPage)
    assert page.pack.summary.fingerprint == fingerprint
    assert not any(setup.credentials for setup in await one.client.platforms())

    one.write(page.line, "eight brown sheep")
    one.click(page.use)
    await until(page.passphrase.error)
    assert page.passphrase.error() == "That isn't the passphrase of this pack. Nothing was set up."
    assert not any(setup.credentials for setup in await one.client.platforms())

    one.write(page.line, PASSPHRASE)
    one.click(page.use)
    await until(lambda: one.panel.pack_page is None)


@pytest.mark.variation
def test_a_pack_sets_up_another_data_folder_without_a_key_being_typed(play: Play, tmp_path: Path) -> None:
    file, changed = tmp_path / "okafor.kalends-pack", tmp_path / "changed.kalends-pack"
    found: dict[str, str] = {}

    async def agency() -> None:
        async with person(tmp_path / "agency") as one:
            for platform, client_id, secret in KEYS:
                await set_up(one, platform, client_id, secret)
            page = await make(one, file)
            found["text"] = page.strip.text()

    async def member() -> None:
        raw = file.read_bytes()
        changed.write_bytes(raw.replace(b"app-7", b"app-8"))
        fingerprint = found["text"].rpartition(": ")[2].rstrip(".")
        async with person(tmp_path / "member") as one:
            await one.open_pack(changed)
            row = one.panel.pack_row
            assert row is not None
            await until(row.strip.text)
            assert row.strip.text() == (
                "This pack was changed after it was signed. Ask its maker for a new copy."
            )
            await use(one, file, fingerprint)

            ready = {
                setup.platform.value: setup for setup in await one.client.platforms() if setup.credentials
            }
            assert list(ready) == ["linkedin", "x"]
            assert {setup.maker for setup in ready.values()} == {"Okafor Studio"}
            assert not any(setup.by_hand for setup in ready.values())
            assert one.told == ["2 platforms were set up. Connect your accounts next."]
            assert one.typed == ["eight brown sheep", PASSPHRASE]

    async def both() -> None:
        await agency()
        await member()

    play(both())
    assert SECRET.encode() not in file.read_bytes()
    for log in tmp_path.glob("*.log"):
        assert SECRET not in log.read_text()
        assert PASSPHRASE not in log.read_text()
