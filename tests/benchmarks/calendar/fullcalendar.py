"""FullCalendar in Chromium, installed into a scratch folder."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

from tests.benchmarks.calendar.plan import now_ms, planned
from tests.benchmarks.calendar.stage import MissingError, Stage, told

_PACKAGES: Final = ("fullcalendar@7.1.0", "temporal-polyfill@1", "puppeteer-core@24")
PROGRAMS: Final = ("node", "npm")
_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
_ASSETS: Final = ("fullcalendar.html", "fullcalendar.mjs")


def measure(stage: Stage) -> dict[str, float]:
    """Return the script's figures for month and week. Raises MissingError."""
    folder = stage.scratch / "fullcalendar"
    folder.mkdir()
    browser = _bring(folder)
    (folder / "posts.json").write_text(json.dumps(_events(stage.posts)))
    shown = "headless" if stage.screen.picture is None else "on screen"
    command = ["node", "fullcalendar.mjs", browser, shown]
    found: dict[str, float] = told(command, stage.screen.environment, cwd=folder)
    return found


def _bring(folder: Path) -> str:
    """Install the packages into the folder, and return the browser's command."""
    for needed in PROGRAMS:
        if shutil.which(needed) is None:
            raise MissingError(f"{needed} is not installed here")
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        raise MissingError("Chromium is not installed here")
    for name in _ASSETS:
        shutil.copy(Path(__file__).with_name(name), folder)
    command = ["npm", "install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", *_PACKAGES]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MissingError(f"npm install failed: {done.stderr.strip()[-300:]}")
    return browser


def _events(count: int) -> list[dict[str, Any]]:
    return [
        {"id": str(one.number), "start": one.at, "title": one.headline, "platform": one.platform}
        for one in planned(count, now_ms())
    ]
