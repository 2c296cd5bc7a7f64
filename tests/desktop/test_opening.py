"""Pages for the browser: which are opened, and that nothing secret is seen by other users."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl

from app.desktop import opening
from tests.desktop.browsing import Browser, page_behind

PAGE = "https://service.example/sign-in?link=" + "s" * 40 + "&then=%22x%22"


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "smb://a.example/x", "vscode://a", "http://a.example/", "https://[", ""]
)
def test_only_web_pages_are_opened(browser: Browser, address: str) -> None:
    assert not opening.open_page(address)
    assert not opening.open_page(address, is_secret=True)
    assert browser.opened == []


def test_a_page_of_another_place_than_the_service_is_not_opened(browser: Browser) -> None:
    assert not opening.open_page(PAGE, service="https://other.example")
    assert opening.open_page(PAGE, service="https://service.example/")
    assert browser.opened == [PAGE]


def test_a_secret_page_is_reached_through_a_private_file(browser: Browser) -> None:
    assert opening.open_page(PAGE, is_secret=True)

    assert browser.opened == [PAGE]
    (file,) = browser.files
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert file.stat().st_uid == os.getuid()


def test_no_argument_of_a_program_tells_a_secret_page(tmp_path: Path) -> None:
    """A real program opens it here: `xdg-open` writes down what it was called with."""
    told = tmp_path / "told"
    opener = tmp_path / "xdg-open"
    opener.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{told}.part\nmv {told}.part {told}\n')
    opener.chmod(0o755)
    story = (
        "import sys, time, pathlib\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from app.desktop import opening\n"
        "app = QApplication([])\n"
        f"print(opening.open_page({PAGE!r}, is_secret=True))\n"
        f"told = pathlib.Path({str(told)!r})\n"
        "while not told.exists(): time.sleep(0.01)\n"
        "print(pathlib.Path(told.read_text().strip().removeprefix('file://')).read_text())\n"
    )
    outcome = subprocess.run(
        ["xvfb-run", "-a", sys.executable, "-c", story],
        env=os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "QT_QPA_PLATFORM": "xcb"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    opened, _, content = outcome.stdout.partition("\n")
    assert opened == "True", outcome.stderr
    assert "service.example" not in told.read_text()
    file = Path(QUrl(told.read_text().strip()).toLocalFile() or told.read_text().strip())
    assert not file.parent.exists()  # it went with the program
    assert page_behind(content) == PAGE
