"""A worker of Procrastinate that sends what its jobs say. Its commands are those of ``bullmq.mjs``.

Procrastinate polls for jobs whose time has come, every five seconds unless told otherwise. Here it polls
every 50 ms, so that the comparison isn't about that default.
"""

import asyncio
import json
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import aiohttp
import procrastinate

_POLL_S = 0.05
_INSERT = (
    "INSERT INTO procrastinate_jobs (queue_name, task_name, args, scheduled_at)"
    " VALUES ('default', 'publish', %s, %s)"
)
_IS_NEW = "SELECT to_regclass('procrastinate_jobs') IS NULL AS is_new"


class Worker:
    """The queue, and this process's worker while it's wanted."""

    def __init__(self, url: str, calls: int) -> None:
        connector = procrastinate.PsycopgConnector(conninfo=url)
        self.queue = procrastinate.App(connector=connector)
        self._calls = calls
        self._connector = connector
        self._http: aiohttp.ClientSession | None = None
        self._working: asyncio.Task[None] | None = None
        self.failed = 0
        self.queue.task(name="publish")(self._publish)

    async def prepare(self) -> None:
        """Create the tables if this is the first process."""
        async with self._connector.pool.connection() as connection:
            await connection.execute("SELECT pg_advisory_lock(1)")
            if (await self._connector.execute_query_one_async(_IS_NEW))["is_new"]:
                await self.queue.schema_manager.apply_schema_async()
            await connection.execute("SELECT pg_advisory_unlock(1)")

    async def add(self, jobs: list[tuple[int, dict[str, Any]]]) -> None:
        rows = [(json.dumps(call), datetime.fromtimestamp(at / 1_000, UTC)) for at, call in jobs]
        async with self._connector.pool.connection() as connection, connection.cursor() as cursor:
            await cursor.executemany(_INSERT, rows)

    async def work(self, *, wanted: bool) -> None:
        if wanted and self._working is None:
            self._http = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=self._calls))
            worker = self.queue.run_worker_async(
                concurrency=self._calls, fetch_job_polling_interval=_POLL_S, install_signal_handlers=False
            )
            self._working = asyncio.create_task(worker)
        elif not wanted and self._working is not None:
            assert self._http is not None
            self._working.cancel()
            with suppress(asyncio.CancelledError):
                await self._working
            await self._http.close()
            self._working = None

    async def _publish(self, url: str, headers: dict[str, str], body: str) -> None:
        assert self._http is not None
        async with self._http.post(url, headers=headers, data=body.encode()) as answer:
            await answer.read()
            if answer.status >= 300:
                self.failed += 1


async def main(url: str, calls: int) -> None:
    worker = Worker(url, calls)
    async with worker.queue.open_async():
        await worker.prepare()
        while line := await asyncio.to_thread(sys.stdin.readline):
            command = json.loads(line)
            if "add" in command:
                await worker.add(command["add"])
            if "work" in command:
                await worker.work(wanted=command["work"])
            print(json.dumps({"failed": worker.failed}), flush=True)
        await worker.work(wanted=False)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
