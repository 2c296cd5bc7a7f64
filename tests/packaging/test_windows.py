"""The Windows installer, portable folder and icon."""

import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from PIL import Image
from release import icons, windows
from setup.project import ROOT

from app.contract.media_kinds import KINDS
from app.desktop import jump_list, options
from tests.packaging.wine import prefix
from tests.packaging.wine.cycle import Cycle, make_setups

SCRIPT = (ROOT / "packaging" / "windows" / "kalends.nsi").read_text("utf-8")


def test_every_kind_of_file_that_is_taken_can_be_opened_with_kalends() -> None:
    named = re.findall(r"insertmacro \$\{do\} (\w+)", SCRIPT)
    assert named == [ending for kind in KINDS for ending in kind.extensions]


def test_the_start_menu_and_the_app_have_the_same_application_id() -> None:
    assert re.findall(r'^!define APP_ID "(.+?)"', SCRIPT, re.MULTILINE) == [jump_list.APP_ID]
    assert '!insertmacro SetAppId "$SMPROGRAMS\\Kalends\\Kalends.lnk"' in SCRIPT


def test_every_sentence_is_in_both_languages() -> None:
    names = re.findall(r"^LangString (\w+) \$\{LANG_(\w+)\}", SCRIPT, re.MULTILINE)
    assert names
    assert {name for name, language in names if language == "GERMAN"} == {
        name for name, language in names if language == "ENGLISH"
    }


def test_nothing_is_written_for_the_whole_computer() -> None:
    assert not re.search(r"\b(HKLM|HKCR|SHCTX|HKEY_LOCAL_MACHINE)\b|SetShellVarContext all", SCRIPT)
    assert "RequestExecutionLevel user" in SCRIPT


@pytest.mark.parametrize(
    ("version", "numbers"),
    [("0.1.0", "0.1.0.0"), ("1.2", "1.2.0.0"), ("1.2.3rc1", "1.2.3.0"), ("2.0.0.dev4+local", "2.0.0.0")],
)
def test_a_version_has_four_numbers(version: str, numbers: str) -> None:
    assert windows.four_numbers(version) == numbers


def test_the_icons_can_be_read(tmp_path: Path) -> None:
    with Image.open(icons.write_ico(tmp_path / "kalends.ico")) as icon:
        assert icon.info["sizes"] == {(side, side) for side in (16, 32, 48, 64, 128, 256)}
        assert icon.convert("RGBA").getbbox() is not None
    with Image.open(icons.write_icns(tmp_path / "kalends.icns")) as icon:
        assert {size[0] * size[2] for size in icon.info["sizes"]} >= {32, 128, 256, 512}
        assert icon.convert("RGBA").getbbox() is not None


def test_the_portable_folder_says_that_it_is_portable(tmp_path: Path) -> None:
    (tmp_path / "app" / "_internal").mkdir(parents=True)
    (tmp_path / "app" / "kalends.exe").write_bytes(b"MZ")
    (tmp_path / "app" / "_internal" / "ü.dll").write_bytes(b"1" * 5_000)

    made = windows.make_portable(tmp_path / "app", tmp_path / "kalends.zip")

    with zipfile.ZipFile(made) as packed:
        assert packed.testzip() is None
        assert sorted(packed.namelist()) == [
            "Kalends/_internal/ü.dll",
            "Kalends/kalends.exe",
            f"Kalends/{options.PORTABLE_MARK}",
        ]
    assert windows.size_kb(tmp_path / "app") == 4


@pytest.mark.skipif(not shutil.which("makensis"), reason="needs makensis")
@pytest.mark.parametrize("code", [0, 1])
def test_the_uninstaller_and_then_the_installer_are_signed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    (tmp_path / "app" / "_internal").mkdir(parents=True)
    (tmp_path / "app" / "kalends.exe").write_bytes(b"MZ")
    signed = tmp_path / "signed"
    sign = tmp_path / "sign.sh"
    sign.write_text(f'head -c 2 "$1" >> {signed}; test $(stat -c %s "$1") -gt 9000 && exit {code}')
    monkeypatch.setenv("KALENDS_SIGN_COMMAND", f"sh {sign}")
    installer = windows.Installer(tmp_path / "app", "1.2.3", tmp_path / "kalends-1.2.3-setup.exe")

    if code:
        with pytest.raises(subprocess.CalledProcessError):
            windows.make_installer(installer)
        return
    windows.make_installer(installer)
    assert signed.read_bytes() == b"MZMZ"


@pytest.mark.skipif(bool(prefix.missing()), reason=f"needs {', '.join(prefix.missing())}")
def test_a_stand_in_is_installed_upgraded_and_removed_under_wine(tmp_path: Path) -> None:
    """Same as `python -m tests.packaging.wine`."""
    setups = make_setups(tmp_path / "setups")
    with prefix.booted(tmp_path) as windows_of_its_own:
        Cycle(windows_of_its_own, setups).run()
