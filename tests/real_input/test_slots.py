"""Finding and using free posting times with a screen reader."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.real_input.desk import Program, desk, missing, no_reader, reader
from tests.real_input.program import FIRST

pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=f"not installed here: {missing()}"),
    pytest.mark.skipif(bool(no_reader()), reason=f"not installed here: {no_reader()}"),
]
TEN = 10 * 60


def free(number: int) -> str:
    """Return the name of a day's posting time."""
    day = date.fromordinal(FIRST + number)
    return f"Free posting time, {day:%A} {day.day} {day:%B} 10:00, Account 1 on X"


def focus(listening: Program) -> dict[str, Any]:
    return listening.ask("focus") or {"name": ""}


@pytest.mark.variation
def test_free_slots_are_found_heard_and_used_by_keyboard(tmp_path: Path) -> None:
    with desk(tmp_path / "desk") as opened, reader(opened, tmp_path / "reader.log") as listening:
        opened.xdotool("search", "--sync", "--onlyvisible", "--name", "Kalends", "windowfocus")
        opened.until(lambda: listening.ask("cards"))
        opened.ask("post_daily", TEN)
        opened.ask("span", "week")
        for number in range(-2, 5):
            opened.until(lambda number=number: listening.ask("named", free(number)))  # type: ignore[misc]
        slot = listening.ask("named", free(1))
        assert slot["role"] in ("push button", "button")
        assert {"focusable", "showing", "visible"} <= set(slot["states"])
        left, top, width, height = slot["place"]
        x, y = opened.ask("hour", 1, TEN + 10)
        assert left <= x < left + width
        assert top <= y < top + height

        opened.keys("Tab")
        opened.until(lambda: focus(listening)["name"], free(-2))
        for number in (-1, 0, 1):
            opened.keys("Right")
            opened.until(lambda: focus(listening)["name"], free(number))
        opened.keys("Return")
        opened.until(lambda: focus(listening)["name"], "Post text")
        assert opened.ask("composer")[-1] == [1, TEN]
