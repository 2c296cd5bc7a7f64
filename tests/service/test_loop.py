"""The loop that programs run on."""

import asyncio
import gc
import sys
from collections.abc import Iterator

import pytest

from app.service.lifetime import run


@pytest.fixture(autouse=True)
def interpreter() -> Iterator[None]:
    """Afterwards the tests' own interpreter is as it was."""
    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    yield
    sys.setswitchinterval(interval)
    gc.set_threshold(*threshold)
    gc.unfreeze()


async def _module_of_the_loop() -> str:
    return type(asyncio.get_running_loop()).__module__


def test_programs_run_on_uvloop_where_it_exists() -> None:
    assert run(_module_of_the_loop()) == ("asyncio" if sys.platform == "win32" else "uvloop")


def test_threads_that_write_rows_wait_shortly_for_the_interpreter() -> None:
    run(asyncio.sleep(0))
    assert sys.getswitchinterval() < 0.001


def test_what_goes_wrong_is_raised() -> None:
    async def fail() -> None:
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there"):
        run(fail())
