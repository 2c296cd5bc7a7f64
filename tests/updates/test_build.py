"""Only an installed frozen app updates itself, and only with a feed and a key in the build."""

import json
import re
from pathlib import Path

import pytest

from app import resources
from app.updates.build import MANAGED, UNINSTALLER, Kind, Version, channel, installed_as


def test_an_appimage_replaces_itself_where_its_folder_can_be_written(tmp_path: Path) -> None:
    image = tmp_path / "Kalends.AppImage"
    image.touch()
    assert installed_as(tmp_path, {"APPIMAGE": str(image)}, "linux") is Kind.APPIMAGE
    assert installed_as(tmp_path, {"APPIMAGE": str(tmp_path / "gone")}, "linux") is None


def test_a_folder_of_a_package_does_not(tmp_path: Path) -> None:
    assert installed_as(tmp_path, {}, "linux") is None


def test_the_mark_of_a_package_turns_updates_off_everywhere(tmp_path: Path) -> None:
    image = tmp_path / "Kalends.AppImage"
    app = tmp_path / "Kalends.app" / "Contents" / "MacOS"
    app.mkdir(parents=True)
    for file in (image, tmp_path / UNINSTALLER):
        file.touch()
    for folder in (tmp_path, app):
        (folder / MANAGED).write_text("deb")
    assert installed_as(tmp_path, {"APPIMAGE": str(image)}, "linux") is None
    assert installed_as(tmp_path, {}, "win32") is None
    assert installed_as(app, {}, "darwin") is None


def test_on_windows_only_what_the_installer_put_there(tmp_path: Path) -> None:
    assert installed_as(tmp_path, {}, "win32") is None
    (tmp_path / UNINSTALLER).touch()
    assert installed_as(tmp_path, {}, "win32") is Kind.NSIS


def test_on_macos_only_a_bundle(tmp_path: Path) -> None:
    assert installed_as(tmp_path, {}, "darwin") is None
    assert installed_as(tmp_path / "Kalends.app" / "Contents" / "MacOS", {}, "darwin") is Kind.DMG


def test_a_checkout_has_no_updates() -> None:
    assert channel() is None


def test_the_settings_of_the_build_can_be_read() -> None:
    settings = json.loads(resources.path("updates.json").read_text("utf-8"))
    assert set(settings) == {"feed", "keys"}
    assert settings["feed"] == "" or settings["feed"].startswith("https://")


@pytest.mark.parametrize("text", ["1.2", "1.2.3.4", "1.2.3rc1", "v1.2.3", "1.2.-3", "1.2.٣", "1.2.3\n"])
def test_only_plain_versions_are_read(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text)):
        Version.read(text)


def test_versions_are_compared_by_number() -> None:
    assert Version.read("0.10.0") > Version.read("0.9.9")
