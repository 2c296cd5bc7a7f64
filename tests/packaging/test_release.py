"""The content of the packages."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml  # type: ignore[import-untyped]
from release import freeze, linux, trim
from release.version import version
from setup.project import ROOT, SetupError

from app.children import PROGRAMS
from app.updates.build import MANAGED

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def entries(*places: str) -> list[trim.Entry]:
    return [(place, f"/from/{place}", "BINARY") for place in places]


def test_what_the_app_needs_is_kept() -> None:
    needed = entries(
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/Qt/plugins/platforms/libqoffscreen.so",
        "PySide6/Qt/plugins/platforms/libqwayland.so",
        "PySide6/Qt/plugins/imageformats/libqjpeg.so",
        "PySide6/Qt/plugins/tls/libqopensslbackend.so",
        "PySide6/Qt/translations/qtbase_de.qm",
        "PySide6/Qt/lib/libQt6Gui.so.6",
        "PySide6/Qt/lib/libQt6OpenGL.so.6",
        "PySide6\\plugins\\platforms\\qwindows.dll",
        "av.libs/libgnutls-71454fd1.so.30",
        "libpython3.11.so.1.0",
        "libxcb-cursor.so.0",
    )
    assert trim.kept(needed) == needed


@pytest.mark.parametrize(
    "place",
    [
        "PySide6/Qt/plugins/platforms/libqeglfs.so",
        "PySide6\\plugins\\imageformats\\qtiff.dll",
        "PySide6/Qt/plugins/sqldrivers/libqsqlite.so",
        "PySide6/Qt/plugins/platformthemes/libqgtk3.so",
        "PySide6/Qt/translations/qtbase_ja.qm",
        "PySide6/Qt/lib/libQt6Quick.so.6",
        "libstdc++.so.6",
        "libglib-2.0.so.0",
        "libgtk-3.so.0",
        "libdbus-1.so.3",
        "libmvec.so.1",
        "app/_resources/locale/de/LC_MESSAGES/kalends.po",
    ],
)
def test_what_it_does_not_need_is_left_out(place: str) -> None:
    assert trim.kept(entries(place)) == []


def test_every_program_is_a_module_that_can_be_run() -> None:
    for program in PROGRAMS:
        path = ROOT / Path(*program.split("."))
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), program


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="needs desktop-file-utils")
def test_the_menu_entry_is_valid() -> None:
    entry = ROOT / "packaging" / "linux" / "kalends.desktop"
    done = subprocess.run(["desktop-file-validate", entry], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_what_software_centres_show_is_in_both_languages() -> None:
    share = ET.fromstring(linux.metainfo("2026-12-01"))  # noqa: S314  our own
    for part in ("summary", "description/p"):
        assert [one.get(_LANGUAGE) for one in share.findall(part)] == [None, "de"], part
    items = [one.get(_LANGUAGE) for one in share.findall("description/ul/li")]
    assert items == [None, "de"] * (len(items) // 2)


def test_software_centres_show_pictures_that_are_in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KALENDS_HOME_URL", "https://example.org/someone/kalends")
    share = ET.fromstring(linux.metainfo("2026-12-01"))  # noqa: S314  our own
    shown = share.findall("screenshots/screenshot")
    assert [one.get("type") for one in shown] == ["default", *[None] * (len(shown) - 1)]
    for one in shown:
        assert [caption.get(_LANGUAGE) for caption in one.findall("caption")] == [None, "de"]
        beginning, _, path = (one.findtext("image") or "").partition(f"/raw/v{version()}/")
        assert beginning == share.findtext("url[@type='homepage']") == "https://example.org/someone/kalends"
        assert (ROOT / path).is_file()


def test_a_package_built_elsewhere_names_no_address() -> None:
    share = ET.fromstring(linux.metainfo("2026-12-01"))  # noqa: S314  our own
    assert share.findall("screenshots") == share.findall("url") == []


@pytest.mark.parametrize("home", ["", "https://example.org/someone/kalends"])
@pytest.mark.skipif(shutil.which("appstreamcli") is None, reason="needs appstream")
def test_what_software_centres_show_is_valid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    monkeypatch.setenv("KALENDS_HOME_URL", home)
    file = tmp_path / "kalends.metainfo.xml"
    file.write_text(linux.metainfo("2026-12-01"), "utf-8")
    done = subprocess.run(
        ["appstreamcli", "validate", "--no-net", file], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_a_package_leaves_new_versions_to_the_package_manager() -> None:
    told = re.sub(r"\$\{\w+\}", "      []", (ROOT / "packaging/linux/nfpm.yaml").read_text("utf-8"))
    placed = {entry["dst"]: entry["src"] for entry in yaml.safe_load(told)["contents"]}
    program = next(place for place, source in placed.items() if source == "dist/kalends")
    assert (ROOT / placed[f"{program}/{MANAGED}"]).is_file()


def test_without_its_tool_an_appimage_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr("platform.machine", lambda: "riscv64")  # nobody builds one for it
    with pytest.raises(SetupError, match="appimagetool isn't installed"):
        linux.make_appimage()


def test_the_appimage_is_packed_from_the_appdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = tmp_path / "dist" / "kalends"
    bundle.mkdir(parents=True)
    (bundle / "kalends").write_text("#!/bin/sh\necho frozen $1\n")
    (bundle / "kalends").chmod(0o755)
    monkeypatch.setattr(freeze, "BUNDLE", bundle)
    monkeypatch.setattr(linux, "_DIST", bundle.parent)
    tool = tmp_path / "bin" / "appimagetool"
    tool.parent.mkdir()
    # A stand-in: runs what it is given and keeps what that says.
    tool.write_text('#!/bin/sh\nfor last; do :; done\n"$4/AppRun" "$ARCH" > "$last"\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tool.parent), prepend=":")

    made = linux.make_appimage()

    assert made.suffix == ".AppImage"
    assert made.read_text() == f"frozen {os.uname().machine}\n"
    folder = bundle.parent / "Kalends.AppDir"
    assert {"AppRun", "kalends.desktop", "kalends.png", "usr"} == {path.name for path in folder.iterdir()}
