"""Which language the app speaks."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import language
from app.desktop.speech import settings_in, speak, spoken_for


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    yield
    language.use("en")


@pytest.mark.parametrize(("chosen", "spoken"), [("de", "de"), ("en", "en"), ("tlh", "en")])
def test_the_choice_is_spoken_and_english_where_there_is_no_such_language(
    tmp_path: Path, chosen: str, spoken: str
) -> None:
    settings = settings_in(tmp_path)
    settings.setValue("language", chosen)
    settings.sync()
    speak(tmp_path)
    assert language.current() == spoken == spoken_for(chosen)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere the system asks no environment")
@pytest.mark.parametrize(("system", "spoken"), [("de_AT.UTF-8", "de"), ("fr_FR.UTF-8", "en"), ("C", "en")])
def test_without_a_choice_it_is_the_systems(tmp_path: Path, system: str, spoken: str) -> None:
    told = "import pathlib, sys; from app import language; from app.desktop.speech import speak\n"
    told += "speak(pathlib.Path(sys.argv[1])); print(language.current())"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    done = subprocess.run(
        [sys.executable, "-c", told, str(tmp_path)],
        env=kept | {"LANG": system, "LC_ALL": system},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == spoken
