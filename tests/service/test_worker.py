"""Background workers go on after errors that nobody expected."""

import asyncio
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from app.service.worker import ClaimingWorker, PeriodicWorker, all_done

_SOON = timedelta(milliseconds=1)
_UNEXPECTED = pytest.mark.logs_error("a background worker met an unexpected error")


class Failing(PeriodicWorker):
    """Fails in its first rounds."""

    every = _SOON
    trouble = "known trouble"

    def __init__(self, failures: int) -> None:
        super().__init__()
        self.left = failures
        self.done = asyncio.Event()

    async def _round(self) -> None:
        self.left -= 1
        if self.left >= 0:
            raise OverflowError("Python int too large")
        self.done.set()


@_UNEXPECTED
async def test_a_worker_goes_on_after_an_unexpected_error() -> None:
    worker = Failing(2)
    running = asyncio.create_task(worker.run())
    await asyncio.wait_for(worker.done.wait(), 30)
    await worker.stop()
    await running


class Renewing(ClaimingWorker[str]):
    """Fails to renew its claims once."""

    every = timedelta(seconds=30)
    trouble, broken, named = "known trouble", "broken", "item"

    def __init__(self) -> None:
        super().__init__(grace=timedelta(), renew_every=_SOON)
        self.renewals = 0
        self.renewed = asyncio.Event()

    async def _round(self) -> None:
        self._set_off(uuid4(), "")

    async def _carry(self, item: str) -> bool:
        assert item == ""
        await self.renewed.wait()
        return False

    async def _release_claims(self) -> None:
        """Nothing is claimed."""

    async def _release_others(self, carried: frozenset[UUID]) -> None:
        """Nothing is claimed."""

    async def _renew(self) -> None:
        self.renewals += 1
        if self.renewals == 1:
            raise ValueError("unexpected")
        self.renewed.set()


@_UNEXPECTED
async def test_claims_are_renewed_after_an_unexpected_error() -> None:
    worker = Renewing()
    running = asyncio.create_task(worker.run())
    await asyncio.wait_for(worker.renewed.wait(), 30)
    await worker.stop()
    await running


async def test_an_error_waits_for_the_other_work() -> None:
    done: list[UUID] = []

    async def work(fails: bool) -> UUID:
        if fails:
            raise ValueError("unexpected")
        for _ in range(5):
            await asyncio.sleep(0)
        done.append(uuid4())
        return done[-1]

    with pytest.raises(ValueError, match="unexpected"):
        await all_done([work(True), work(False)])
    assert len(done) == 1
    assert await all_done([work(False), work(False)]) == done[1:]
