"""The set-up of platforms in the app: against a real service with practice platforms, and a model of it."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from app.contract.enums import ConnectionPlatform, PostType
from app.contract.platform_setup import PlatformSetup
from app.desktop.settings.rows import ConfirmSheet
from app.desktop.setup import SetupPanel, wording
from app.desktop.setup.page import KeysForm, PlatformPage
from app.desktop.widgets import LinkButton
from app.workspace.messages import Message
from app.workspace.workspace import Workspace
from tests.desktop.running import run, shown, workspace
from tests.desktop.setup.model import SetUps
from tests.workspace.model_places import keep_places
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until
from tests.workspace.programs import command, real_service


def told(platform: str = "tiktok", **more: Any) -> dict[str, Any]:
    """How a service tells of a platform's set-up."""
    return {
        "platform": platform,
        "name": {"tiktok": "TikTok", "x": "X", "instagram": "Instagram"}.get(platform, platform),
        "credentials": False,
        "redirect_uri": f"http://127.0.0.1:17217/callback/{platform}",
        "by_hand": False,
        "publishes": ["image", "video"],
        "needs_address": ["image"],
        "remarks": ["Until TikTok has audited the app, only the author can see posts."],
        "portal": "https://developers.tiktok.com/apps",
        "steps": ["Create an app.", "Copy its keys."],
        "secret_needed": True,
        "changeable": True,
        **more,
    }


@pytest.fixture
def set_ups(service: ModelService) -> SetUps:
    made = SetUps(told(), told("x", secret_needed=False), told("myspace"))
    service.parts.append(made.answer)
    service.practice, service.offers = False, ("platforms",)
    return made


async def listed(panel: SetupPanel) -> None:
    await until(lambda: panel.rows)


@pytest.mark.usefixtures("set_ups")
def test_networks_appear_once_the_service_is_known_to_have_them(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    """The panel may be opened before the app has asked what the service offers."""

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SetupPanel(opened)) as panel:
            await listed(panel)
            assert list(panel.rows) == ["tiktok", "x"]
            panel.rows["x"].setFocus()
            keep_places(service)
            await opened.refresh()
            await until(lambda: "bluesky" in panel.rows)
            assert list(panel.rows) == ["bluesky", "tiktok", "x"]
            assert panel.rows["x"].hasFocus()

    run(qapp, work)


def test_what_the_platform_gave_goes_to_the_service_and_is_tested(
    qapp: QApplication, tmp_path: Path, service: ModelService, set_ups: SetUps
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SetupPanel(opened)) as panel:
            said: list[Message] = []
            panel.told.connect(said.append)
            await listed(panel)
            assert list(panel.rows) == ["tiktok", "x"]
            panel.rows["tiktok"].click()
            page = panel.page
            assert page is not None
            page.copy.click()
            assert QGuiApplication.clipboard().text() == "http://127.0.0.1:17217/callback/tiktok"
            keys = page.keys
            assert keys is not None
            assert page.portal.isVisible()
            assert not keys.isVisible()
            page.steps.headers[2].click()
            assert keys.isVisible()
            assert not page.portal.isVisible()
            assert keys.secret.echoMode() is QLineEdit.EchoMode.Password
            QTest.keyClicks(keys.client_id, "my-app")
            QTest.keyClicks(keys.secret, "my-test-secret")
            QTest.keyClick(keys.secret, Qt.Key.Key_Return)
            await until(lambda: panel.page is not page and panel.page is not None and panel.page.checks())
            assert set_ups.given == [{"client_id": "my-app", "client_secret": "my-test-secret"}]
            assert said[0].text == "The app for TikTok was saved."
            assert panel.page is not None
            assert panel.page.checks() == [
                "Passed: The app's credentials are set.",
                "Failed: TikTok rejected the app: invalid_client. Copy its ID and secret again.",
                "Not known yet: The first consent shows.",
            ]
            assert panel.page.keys is not None
            assert panel.page.keys.secret.text() == ""
            panel.page.keys.forget.click()
            (sheet,) = panel.window().findChildren(ConfirmSheet)
            assert sheet.cancel.hasFocus()
            QTest.keyClick(sheet, Qt.Key.Key_Escape)
            await asyncio.sleep(0.05)
            assert len(said) == 1
            panel.page.keys.forget.click()
            (sheet,) = (one for one in panel.window().findChildren(ConfirmSheet) if one.isVisible())
            sheet.go.click()
            await until(lambda: len(said) == 2)
            assert said[1].text.startswith("The app for TikTok was removed.")

    run(qapp, work)


def test_what_is_missing_is_said_before_anything_is_sent() -> None:
    form = KeysForm(PlatformSetup.model_validate(told()))
    form.save.click()
    assert form.id_field.error() == "Copy it from the platform's page."
    form.client_id.setText("id")
    form.save.click()
    assert form.secret_field.error() == "Copy it from the platform's page."
    form.secret.setText("secret")
    form.address.setText("kalends://back")
    form.save.click()
    assert form.address_field.error() == "Starts with https://."
    given: list[tuple[object, ...]] = []
    form.given.connect(lambda *all_: given.append(all_))
    form.address.setText("https://back.example/")
    form.save.click()
    assert given == [("id", "secret", "https://back.example/", False)]
    assert form.inbox_only.isHidden(), "the platform has no inbox, as far as its service says"


def test_an_address_that_is_none_is_refused_at_its_field(
    qapp: QApplication, tmp_path: Path, service: ModelService, set_ups: SetUps
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SetupPanel(opened, "x")) as panel:
            await until(lambda: panel.page is not None)
            assert panel.page is not None
            keys = panel.page.keys
            assert keys is not None
            keys.client_id.setText("id")
            keys.address.setText("https://")
            keys.save.click()
            await until(keys.address_field.error)
            assert keys.save.isEnabled()
            assert set_ups.given == []

    run(qapp, work)


def test_what_fails_is_said_and_can_be_tried_again(
    qapp: QApplication, tmp_path: Path, service: ModelService, set_ups: SetUps
) -> None:
    words = {"code": "forbidden", "message": "Only the owner of this service may see this."}
    set_ups.refusal = httpx.Response(403, json={"error": words, "request_id": "r"})

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SetupPanel(opened)) as panel:
            await until(panel.failed.isVisible)
            assert "Only the owner of this service" in panel.failed.text()
            set_ups.refusal = None
            panel.failed.acted.emit()
            await listed(panel)
            panel.open("tiktok")
            assert panel.page is not None
            service.online = False
            panel.page.test.click()
            await until(lambda: panel.page is not None and panel.page.strip.text())
            assert panel.page.strip.text().startswith("The service can't be reached.")
            assert panel.page.test.isEnabled()
            panel.page.back.click()
            assert panel.rows["tiktok"].hasFocus()

    run(qapp, work)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({}, "From this computer, Kalends can post videos to TikTok."),
        ({}, ("Images can't be posted from a private computer: TikTok downloads them from a public address")),
        ({}, "Texts can't be posted to TikTok."),
        ({}, "Until TikTok has audited the app"),
        (
            {"publishes": [], "needs_address": []},
            "TikTok accounts can be connected and viewed, but not posted to.",
        ),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_planned(more: dict[str, Any], sentence: str) -> None:
    abilities = wording.abilities(PlatformSetup.model_validate(told(**more)))
    assert any(one.startswith(sentence) for one in abilities)


@pytest.mark.parametrize(
    ("more", "practice", "state"),
    [
        ({}, False, "No app yet"),
        ({"credentials": True}, False, "App registered"),
        ({"credentials": True, "changeable": False}, False, "Registered in service.toml"),
        ({"credentials": True}, True, "Practice"),
    ],
)
def test_how_it_stands(more: dict[str, Any], practice: bool, state: str) -> None:
    assert wording.state(PlatformSetup.model_validate(told(**more)), practice=practice) == state


@pytest.mark.parametrize("is_saved", [True, False])
def test_saved_keys_can_be_tested_again(qtbot: QtBot, is_saved: bool) -> None:
    page = PlatformPage(PlatformSetup.model_validate(told(credentials=is_saved)), practice=False)
    qtbot.addWidget(page)
    assert page.keys is not None
    assert page.test.isHidden() is not is_saved
    assert page.test.parentWidget() is page.keys.save.parentWidget()


def test_a_network_without_an_app_is_first_and_is_connected_from_here(
    qapp: QApplication, tmp_path: Path, service: ModelService, set_ups: SetUps
) -> None:
    keep_places(service)

    async def work() -> None:
        wanted: list[str] = []
        async with workspace(tmp_path, service) as opened:
            await until(lambda: opened.places.offered)
            async with shown(SetupPanel(opened)) as panel:
                panel.connect_wanted.connect(wanted.append)
                await listed(panel)
                assert list(panel.rows) == ["bluesky", "tiktok", "x"]
                panel.rows["bluesky"].click()
                assert wanted == ["bluesky"]
                assert panel.page is None

    run(qapp, work)
    del set_ups


def test_the_practice_platforms_answer_the_self_test(qapp: QApplication, tmp_path: Path) -> None:
    """A real service: what it tells of every platform is shown, and the test has a platform's own answer."""
    with real_service(tmp_path / "programs") as real:
        accounts = command("account", "create", "--data", real.data, "--name", "O", "--plan", "local")
        key = command("key", "create", "--data", real.data, "--account", accounts["account_id"])["key"]

        async def work() -> None:
            opened = await Workspace.open(
                real.client(key), tmp_path / "workspace.db", name="O", practice=True
            )
            try:
                async with shown(SetupPanel(opened)) as panel:
                    platforms = [one.value for one in ConnectionPlatform]
                    await until(lambda: list(panel.rows) == ["bluesky", "mastodon", *platforms])
                    for platform in platforms:
                        panel.open(platform)
                        assert panel.page is not None
                        assert panel.page.setup.steps
                        assert panel.page.setup.portal.startswith("https://")
                    panel.open("linkedin")
                    page: PlatformPage | None = panel.page
                    assert page is not None
                    assert not page.steps.isVisible()
                    assert page.test.isVisible()
                    assert not page.portal.isVisible()
                    page.test.click()
                    await until(page.checks)
                    assert all(row.isVisible() for row in page._shown)
                    assert any("rejected a made-up code" in check for check in page.checks())
                    assert page.keys is None
            finally:
                await opened.close()

        run(qapp, work)


def test_checks_are_shown_at_their_steps_and_start_by_themselves(
    qapp: QApplication, tmp_path: Path, service: ModelService, set_ups: SetUps
) -> None:
    link = "https://support.google.com/youtube/contact/yt_api_form"
    refused = "X refused your last post. Buy credits there."
    set_ups.platforms["x"]["credentials"] = True
    set_ups.account_checks = [
        {"name": "post", "outcome": "failed", "message": refused, "step": "account", "link": link}
    ]

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SetupPanel(opened)) as panel:
            await listed(panel)
            panel.rows["x"].click()
            page = panel.page
            assert page is not None
            await until(page.checks)
            assert f"Failed: {refused}" in page.checks()
            assert [page.steps.has_failed(place) for place in range(5)] == [False, False, True, True, False]
            assert page.steps.headers[3].accessibleName().endswith("needs a look")
            assert any(
                button.text() == link.removeprefix("https://") for button in page.findChildren(LinkButton)
            )
            set_ups.account_checks = []
            service.add_account("x")
            await opened.refresh()
            await until(lambda: not page.steps.has_failed(3))

    run(qapp, work)


def test_every_kind_of_post_has_a_word() -> None:
    every = told(publishes=[kind.value for kind in PostType], needs_address=[])
    text = wording.abilities(PlatformSetup.model_validate(every))[0]
    assert text == "From this computer, Kalends can post texts, images and videos to TikTok."


def test_an_app_that_was_refused_direct_post_is_set_up_for_the_inbox(
    qapp: QApplication, tmp_path: Path, service: ModelService, set_ups: SetUps
) -> None:
    set_ups.platforms["tiktok"]["inbox_only"] = False

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SetupPanel(opened, "tiktok")) as panel:
            await until(lambda: panel.page is not None)
            assert panel.page is not None
            keys = panel.page.keys
            assert keys is not None
            panel.page.steps.headers[2].click()
            assert keys.inbox_only.isVisible()
            assert keys.inbox_only.text() == "TikTok refused Direct Post to this app"
            assert "Posts go to your TikTok inbox" in keys.inbox_only.accessibleDescription()
            keys.inbox_only.click()
            keys.client_id.setText("my-app")
            keys.secret.setText("my-test-secret")
            keys.save.click()
            await until(lambda: set_ups.given)
            app = {"client_id": "my-app", "client_secret": "my-test-secret", "inbox_only": True}
            assert set_ups.given == [app]

    run(qapp, work)
