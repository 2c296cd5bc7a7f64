"""The window in German, from the calendar to Qt's own texts."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po
from words import LOCALE

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def told() -> Mapping[str, Any]:
    """The texts of the window."""
    program = [sys.executable, "-m", "tests.language", "de"]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def english() -> frozenset[str]:
    """The strings that differ in German."""
    with (LOCALE / "de" / "LC_MESSAGES" / "kalends.po").open("rb") as file:
        messages = [message for message in read_po(file, locale="de") if message.id]
    pairs = ((_first(message.id), _first(message.string)) for message in messages)
    return frozenset(said for said, german in pairs if said != german)


def test_the_window_speaks_german(told: Mapping[str, Any]) -> None:
    wanted = {
        "Kalender",
        "Entwürfe",
        "Einstellungen",
        "Suche",
        "Heute",
        "Neuer Beitrag",
        "Nach Konto, Plattform, Status, Art oder Text filtern",
        "Monat",
    }
    assert wanted - set(told["window"]) == set()


@pytest.mark.parametrize("part", ["calendar", "window", "commands"])
def test_nothing_in_sight_is_english(told: Mapping[str, Any], english: frozenset[str], part: str) -> None:
    assert [text for text in told[part] if text in english] == []


def test_posts_are_read_out_in_german(told: Mapping[str, Any]) -> None:
    failed, planned = told["posts"]
    assert failed.startswith("Nobody saw this., ")
    assert ", fehlgeschlagen" in failed
    assert planned.endswith(", geplant")
    days = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag")
    assert any(f", {day}, " in planned for day in days)


def test_days_are_read_as_germans_write_them(told: Mapping[str, Any]) -> None:
    assert told["days"] == {
        "morgen": "2026-11-22",
        "nächsten Freitag": "2026-11-27",
        "3. März 2027": "2027-03-03",
        "zu 1. Okt.": "2026-10-01",
        "24.12.": "2026-12-24",
        "next friday": "2026-11-27",
        "dezember": "2026-12-01",
    }


def test_posts_are_typed_with_their_time_as_germans_write_it(told: Mapping[str, Any]) -> None:
    assert told["plans"] == {
        "Freitag 15 Uhr Neues Lied": ["Neues Lied", "2026-11-27", 900],
        "Neues Lied am 3. März um 9": ["Neues Lied", "2027-03-03", 540],
        "Fr 15:00 Neues Lied": ["Neues Lied", "2026-11-27", 900],
    }


def test_qt_speaks_german_too(told: Mapping[str, Any]) -> None:
    assert told["locale"] == "de_DE"
    assert told["of Qt"] == "Abbrechen"


def _first(text: str | Sequence[str] | None) -> str:
    return text if isinstance(text, str) else (text or [""])[0]
