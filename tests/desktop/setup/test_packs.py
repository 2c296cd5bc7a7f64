"""Setup packs in the panel: what's shown before anything is stored, and what's refused."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel

from app.contract.enums import ConnectionPlatform
from app.contract.packs import PackSummary
from app.desktop.setup import SetupPanel
from app.desktop.setup.make_pack import MakePackPage
from app.desktop.setup.use_pack import UsePackPage
from app.workspace.connections.packs import OpenedPack
from app.workspace.messages import Message
from tests.desktop.running import run, shown, workspace
from tests.desktop.setup.model import SetUps
from tests.desktop.setup.test_panel import listed, told
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

LINKEDIN, X = ConnectionPlatform.LINKEDIN, ConnectionPlatform.X


def packed(platform: str = "linkedin", **changed: Any) -> dict[str, Any]:
    return {
        "platform": platform,
        "name": {"linkedin": "LinkedIn", "x": "X"}[platform],
        "client_id": "app-7",
        "scopes": ["openid", "w_member_social"],
        "redirect_uri": "http://127.0.0.1:17217/callback/linkedin",
        "returns": True,
        "has_secret": True,
        "secret_needed": True,
        "replaces": False,
        "changeable": True,
        **changed,
    }


def opened(*apps: dict[str, Any], **changed: Any) -> OpenedPack:
    """A pack that the service has checked."""
    summary = {
        "maker": "Okafor Studio",
        "note": "",
        "made_at": "2026-11-28T12:00:00Z",
        "fingerprint": "ab12 cd34 ef56 7890 1234",
        "standing": "new",
        "passphrase_needed": True,
        "apps": list(apps or (packed(),)),
        **changed,
    }
    return OpenedPack("kalends-pack 1", PackSummary.model_validate(summary))


def texts(page: UsePackPage) -> str:
    return "\n".join(label.text() for label in page.findChildren(QLabel))


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("pack", "sentence"),
    [
        (opened(), "Setup pack by Okafor Studio"),
        (opened(), "Key: ab12 cd34 ef56 7890 1234"),
        (opened(), "Anyone can use this name: ask the maker for the key, and compare the key."),
        (opened(standing="changed"), "it was signed with another key"),
        (opened(standing="known"), "Signed with the same key as the pack you used before."),
        (opened(standing="of tomorrow"), "compare the key."),
        (opened(note="Ask Ada."), "Ask Ada."),
        (opened(), "Asks for these permissions: openid and w_member_social."),
        (opened(), "The apps belong to Okafor Studio. Everyone who uses this pack shares their limits."),
        (
            opened(packed("x")),
            "X charges Okafor Studio for each of your posts: $0.015, or $0.20",
        ),
        (opened(packed(has_secret=False)), "You have to enter it afterwards."),
        (opened(packed(replaces=True)), "Replaces the app that's set up now."),
        (opened(packed(changeable=False)), "configured in service.toml"),
        (
            opened(packed(returns=False, redirect_uri="https://okafor.example/back")),
            "the browser opens okafor.example, which can see that sign-in",
        ),
    ],
)
def test_a_pack_says_everything_before_it_is_used(pack: OpenedPack, sentence: str) -> None:
    assert sentence in texts(UsePackPage(pack))


@pytest.mark.usefixtures("qapp")
def test_only_chosen_platforms_are_set_up() -> None:
    page = UsePackPage(opened(packed(), packed("x", has_secret=False, changeable=True)))
    wanted: list[tuple[list[ConnectionPlatform], str]] = []
    page.wanted.connect(lambda *given: wanted.append(given))
    assert page.use.text() == "Set up 2 platforms"

    page.use.click()
    assert page.passphrase.error().startswith("Enter the passphrase")
    page.boxes[LINKEDIN].click()
    assert page.use.text() == "Set up 1 platform"
    assert page.passphrase.isHidden()
    page.use.click()
    page.boxes[X].click()
    assert not page.use.isEnabled()

    assert wanted == [([X], "")]


@pytest.mark.usefixtures("qapp")
def test_an_app_in_the_settings_file_cannot_be_chosen() -> None:
    page = UsePackPage(opened(packed(changeable=False)))
    assert not page.boxes[LINKEDIN].isEnabled()
    assert not page.use.isEnabled()


class PackService:
    """Answers for ``ModelService.parts``: makes a pack, and refuses to read one."""

    def __init__(self) -> None:
        self.made: list[dict[str, Any]] = []
        self.takes = True
        """Whether packs can be used."""

    def answer(self, request: httpx.Request) -> httpx.Response | None:
        if request.url.path == "/companion/v1/packs":
            self.made.append(json.loads(request.content))
            return httpx.Response(200, json={"content": "kalends-pack 1\n\xff", "fingerprint": "ab12"})
        if request.url.path == "/companion/v1/packs/read" or (
            request.url.path == "/companion/v1/packs/use" and not self.takes
        ):
            issue = {"field": "content", "message": "isn't a setup pack", "type": "not_a_pack"}
            error = {"code": "validation_error", "message": "no", "details": {"errors": [issue]}}
            return httpx.Response(400, json={"error": error, "request_id": "r"})
        if request.url.path == "/companion/v1/packs/use":
            return httpx.Response(200, json={"data": [told("x", credentials=True)]})
        return None


@pytest.fixture
def packs(service: ModelService) -> PackService:
    set_ups = SetUps(told("linkedin", credentials=True), told("x", credentials=True, maker="Ada"))
    made = PackService()
    service.parts += [made.answer, set_ups.answer]
    service.practice, service.offers = False, ("platforms", "packs")
    return made


def choose(panel: SetupPanel, file: Path) -> None:
    (dialog,) = panel.window().findChildren(QFileDialog)
    dialog.filesSelected.emit([str(file)])
    dialog.reject()


def test_a_pack_is_made_and_saved(
    qapp: QApplication, tmp_path: Path, service: ModelService, packs: PackService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as studio:
            await until(lambda: studio.packs.offered)
            async with shown(SetupPanel(studio)) as panel:
                await listed(panel)
                assert panel.pack_row is not None
                panel.pack_row.make.click()
                page = panel.pack_page
                assert isinstance(page, MakePackPage)
                assert [box.text() for box in page.boxes.values()] == ["linkedin", "X (app of Ada)"]
                assert [box.isChecked() for box in page.boxes.values()] == [True, False]
                page.line.setText("short")
                page.save.click()
                assert page.fields["passphrase"].error() == "Use at least 12 characters."
                page.line.setText("")
                page.maker.setText(" ")
                page.save.click()
                assert page.fields["maker"].error().startswith("Enter a name")
                page.maker.setText("Okafor Studio")
                page.boxes[LINKEDIN].click()
                page.save.click()
                assert page.strip.text() == "Choose at least one platform."
                page.boxes[LINKEDIN].click()
                page.save.click()
                choose(panel, tmp_path / "okafor.kalends-pack")
                await until(lambda: "Tell members your key" in page.strip.text())
                page.back.click()
                assert panel.pack_page is None
                assert panel.rows["linkedin"].isVisible()

    run(qapp, work)
    assert packs.made == [{"maker": "Okafor Studio", "note": "", "platforms": ["linkedin"]}]
    assert (tmp_path / "okafor.kalends-pack").read_bytes() == b"kalends-pack 1\n\xff"


@pytest.mark.usefixtures("packs")
def test_a_pack_that_is_read_slowly_waits_until_the_open_page_is_left(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    pack = opened()

    async def work() -> None:
        async with workspace(tmp_path, service) as studio:
            await until(lambda: studio.packs.offered)
            async with shown(SetupPanel(studio)) as panel:
                await listed(panel)
                said: list[Message] = []
                panel.told.connect(said.append)
                panel.open("x")
                page, packed_page = panel.page, UsePackPage(pack)
                panel.packs.offer(packed_page)
                assert page is not None
                assert page.isVisible()
                assert [one.text for one in said] == ["The setup pack opens when you leave this page."]
                page.back.click()
                assert panel.pack_page is packed_page
                assert packed_page.isVisible()
                packed_page.back.click()
                assert panel.rows["x"].isVisible()

    run(qapp, work)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG", "This file isn't a setup pack of Kalends."),
        (b"", "This file isn't a setup pack of Kalends."),
        (b"x" * 70_000, "This file is too large for a setup pack."),
        (None, "okafor.kalends-pack can't be read: No such file or directory."),
    ],
)
@pytest.mark.usefixtures("packs")
def test_another_file_is_refused_in_the_list(
    qapp: QApplication, tmp_path: Path, service: ModelService, content: bytes | None, said: str
) -> None:
    file = tmp_path / "okafor.kalends-pack"
    if content is not None:
        file.write_bytes(content)

    async def work() -> None:
        async with workspace(tmp_path, service) as studio:
            await until(lambda: studio.packs.offered)
            async with shown(SetupPanel(studio)) as panel:
                await listed(panel)
                row = panel.pack_row
                assert row is not None
                row.use.click()
                choose(panel, file)
                await until(row.strip.text)
                assert row.strip.text() == said
                assert panel.pack_page is None

    run(qapp, work)
