"""When everything is listed again."""

import asyncio
from dataclasses import replace

from app.workspace.sync.relisting import Relisting
from tests.leaping import leap, run_still
from tests.workspace.opened import QUICK

PACE = replace(QUICK, second_look=60, everything_followed=3_600)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _due_after(relisting: Relisting) -> int:
    """Seconds until it is due; it is listed then."""
    seconds = 0
    while not relisting.is_due:
        leap(1)
        seconds += 1
    relisting.listed(_now())
    return seconds


def test_it_is_due_each_hour_from_the_greeting_or_the_last_list_on() -> None:
    async def story() -> None:
        relisting = Relisting(PACE)
        relisting.greeted()
        leap(1_800)
        relisting.greeted()
        assert [_due_after(relisting) for _ in range(3)] == [1_800, 3_600, 3_600]

    run_still(story())


def test_after_nonsense_it_is_due_in_a_minute_and_then_each_hour_again() -> None:
    async def story() -> None:
        relisting = Relisting(PACE)
        relisting.listed(_now())
        leap(1_000)
        relisting.heard_nonsense()
        leap(30)
        relisting.heard_nonsense()
        # The list came within a minute of nonsense, so another one confirms it.
        assert [_due_after(relisting) for _ in range(3)] == [30, 120, 3_600]

    run_still(story())


def test_while_nonsense_goes_on_the_minute_is_doubled_up_to_an_hour() -> None:
    async def story() -> None:
        relisting = Relisting(PACE)
        relisting.listed(_now())
        waits = []
        for _ in range(8):
            leap(61)
            relisting.heard_nonsense()
            waits.append(_due_after(relisting))
        assert waits == [60, 120, 240, 480, 960, 1_920, 3_539, 3_539]

    run_still(story())
