"""The lifetime of the service, and the event loop that programs run on."""

import asyncio
import gc
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from app.children import replaced
from app.service import lifetime
from app.service.lifetime import Lifetime, attend_until_over, run, work_until_over


class Busy:
    """Publishes for some looks, then has a pause."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    async def run(self) -> None:
        """Publishes elsewhere."""

    async def stop(self) -> None:
        """Nothing to let go of."""

    def is_quiet(self, _span: timedelta) -> bool:
        self.looks -= 1
        return self.looks < 0


@pytest.mark.parametrize(("looks", "left"), [(0, -1), (2, -1), (50, 47)])
async def test_it_waits_for_a_pause_but_not_for_ever(
    looks: int, left: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, busy = tmp_path / "kalends", Busy(looks)
    program.write_bytes(b"old")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(replaced, "LOOK_S", 0.01)
    monkeypatch.setattr(lifetime, "_LONGEST_WAIT_S", 3)

    living = Lifetime()
    watch = asyncio.create_task(living.end_when_replaced([busy]))
    new = program.with_name("new")
    new.write_bytes(b"another")
    new.replace(program)
    await asyncio.wait_for(living.over.wait(), 30)
    await watch
    assert living.is_replaced
    assert busy.looks == left


async def test_other_workers_do_not_end_a_program_that_is_publishing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, busy = tmp_path / "kalends", Busy(1_000_000)
    program.write_bytes(b"old")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(replaced, "LOOK_S", 0.01)

    living = Lifetime()
    running = [
        asyncio.create_task(attend_until_over([], living)),
        asyncio.create_task(work_until_over([busy], living)),
    ]
    new = program.with_name("new")
    new.write_bytes(b"another")
    new.replace(program)
    while busy.looks == 1_000_000:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    assert not living.over.is_set()
    living.over.set()
    await asyncio.wait_for(asyncio.gather(*running), 30)
    assert not living.is_replaced


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
