"""Kills the frozen app, its window and its service at random while posts are due.

The app starts like for a user, in a folder with practice accounts and scheduled posts. If its window is
killed, it's reopened immediately. At the end, the practice platforms say what was published and when. `Lives`
decides which part of a post's delay counts.
"""

import asyncio
import contextlib
import itertools
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

import psutil

from app.contract.enums import PostingPlatform, PostType
from app.workspace.homes import Homes, consent
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.visit import Visits
from app.workspace.posts.new import NewPost
from tests.workspace.opened import until

PLATFORMS: Final = (PostingPlatform.LINKEDIN, PostingPlatform.X)
VICTIMS: Final = ("window", "service", "both")
LATE_S: Final = 5.0
_POSTS: Final = 120
"""Posts in the whole storm. The platforms accept no more in such a short time."""
_LEAD_S: Final = 30
"""Time before the first post for accepting all posts, in s."""
_PAUSES: Final = (0.1, 2.0)
"""Shortest and longest pause between kills, relative to the app's current start time."""
_SETTLE: Final = 10
"""Time after the last post, in the same unit."""
_PATIENCE_S: Final = 120
_BEFORE_S: Final = 20
"""Kills explain a late post from that long before it was due."""
_STARTS: Final = 3
_POLL_S: Final = 0.02
_SETTINGS: Final = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring", "QT_QPA_PLATFORM": "offscreen"}


@dataclass
class Lives:
    """Tracks when the app had been running long enough to publish.

    Doesn't count time without a window, the first ``start_s`` of each window, and a start of the service that
    was killed before it was ready. Restarting the service after only it was killed counts in full.
    """

    start_s: float
    _out: list[tuple[float, float]] = field(default_factory=list)
    _gone_at: float | None = None

    def window_ended(self, at: float) -> None:
        self._gone_at = at

    def window_started(self, at: float) -> None:
        self._out.append((at if self._gone_at is None else self._gone_at, at + self.start_s))

    def start_ended(self, began: float, at: float) -> None:
        """Record that the service was killed during its start."""
        self._out.append((began, at))

    def counted(self, due: float, published: float) -> float:
        """Return the part of the delay in which the post should have been published, in s."""
        late, since = published - due, due
        for start, end in sorted(self._out):
            begin, stop = max(start, since), min(end, published)
            if stop > begin:
                late, since = late - (stop - begin), stop
        return late


@dataclass
class FrozenStorm:
    """A storm in one folder; ``command`` starts the app."""

    command: tuple[str, ...]
    folder: Path
    random: random.Random
    killed: Counter[str] = field(default_factory=Counter)
    _kills: list[tuple[float, str]] = field(default_factory=list)
    _lives: Lives = field(default_factory=lambda: Lives(0.0))
    _app: "subprocess.Popen[bytes] | None" = None

    def run(self, kills: int) -> dict[str, float]:
        """Kill ``kills`` times.

        Return the number of published posts, their delay, and what was hit how often.

        Raises AssertionError if a post was published twice or not at all.
        """
        asyncio.run(self._connect())
        self._lives = Lives(self._measure_start())
        due = asyncio.run(self._plan(kills))
        self._start()
        try:
            for number in range(1, kills + 1):
                time.sleep(self.random.uniform(*_PAUSES) * self._lives.start_s)
                self._kill(self.random.choice(VICTIMS))
                if not number % 10:
                    print(f"{number} kills", file=sys.stderr, flush=True)
            time.sleep(max(0.0, max(due.values()) - time.time()) + _SETTLE * self._lives.start_s)
        finally:
            self._end()
        return {
            "kills": kills,
            **{f"of_{victim}": self.killed[victim] for victim in (*VICTIMS, "nothing")},
            "start_s": self._lives.start_s,
            **self._judge(due),
        }

    def _judge(self, due: Mapping[str, float]) -> dict[str, float]:
        published = self._published()
        twice = [text for text, count in Counter(text for text, _ in published).items() if count > 1]
        never = sorted(due.keys() - {text for text, _ in published})
        assert not twice, f"published twice: {twice}"
        assert not never, f"never published: {never}"
        cut = self._with_attempts("attempts.unknown_since IS NOT NULL")
        # Ours end with the window. Real platforms don't.
        gone = self._with_attempts("attempts.outcome = 'transient'") - cut
        for text, at in published:
            if text not in cut | gone and self._lives.counted(due[text], at) > LATE_S:
                self._explain(text, due[text], at)

        def late(texts: Collection[str]) -> list[float]:
            return sorted(self._lives.counted(due[text], at) for text, at in published if text in texts)

        clear = late(due.keys() - cut - gone)
        by_clock = sorted(at - due[text] for text, at in published)
        return {
            "published": len(published),
            "doubled": len(twice),
            "lost": len(never),
            **_figures("late_s", clear),
            "over_5_s": sum(each > LATE_S for each in clear),
            "cut_short": len(cut),
            **(_figures("cut_short_late_s", late(cut)) if cut else {}),
            "platform_gone": len(gone),
            **(_figures("platform_gone_late_s", late(gone)) if gone else {}),
            **_figures("by_clock_s", by_clock),
        }

    def _explain(self, text: str, due: float, published: float) -> None:
        """Print what happened to a late post, in s after it was due."""
        (database,) = self.folder.glob("homes/*/service/service.db")
        wanted = """
            SELECT attempts.started_at, attempts.finished_at, attempts.outcome, attempts.platform_message
            FROM attempts JOIN posts ON posts.id = attempts.post_id WHERE posts.description = ? ORDER BY 1
        """
        with closing(sqlite3.connect(database)) as rows:
            attempts = rows.execute(wanted, (text,)).fetchall()
        counted, since = self._lives.counted(due, published), due - _BEFORE_S
        kills = [f"{victim} at {at - due:.1f}" for at, victim in self._kills if since < at < published]
        told = [
            f"{text}: published after {published - due:.1f}, counts {counted:.1f}; killed {kills}",
            *(f"  attempt {attempt}" for attempt in attempts),
        ]
        print("\n".join(told), file=sys.stderr)

    def _with_attempts(self, condition: str) -> frozenset[str]:
        """Return the texts of the posts with such attempts.

        Those whose outcome is unknown were killed during a call, and the platform had to be asked first.
        """
        (database,) = self.folder.glob("homes/*/service/service.db")
        wanted = f"""
            SELECT DISTINCT posts.description FROM posts
            JOIN attempts ON attempts.post_id = posts.id WHERE {condition}
        """  # noqa: S608  constants
        with closing(sqlite3.connect(database)) as rows:
            return frozenset(text for (text,) in rows.execute(wanted))

    def _measure_start(self) -> float:
        """Return the longest of a few starts until the service is ready, in s.

        Each follows a kill of everything but the practice platforms, like in the storm. They end a moment
        later, and the new ones, which the service waits for, can only start then.
        """
        took, before = [], None
        for _ in range(_STARTS + 1):
            began = time.monotonic()
            self._start()
            ready = None
            while ready is None or ready == before:
                assert time.monotonic() - began < _PATIENCE_S, "the service doesn't start"
                time.sleep(_POLL_S)
                ready = self._ready_pid()
            took.append(time.monotonic() - began)
            before = ready
            self._kill_both(ready)
        return max(took[1:])

    def _kill_both(self, service: int) -> None:
        assert self._app is not None
        for victim in (psutil.Process(service), psutil.Process(self._app.pid)):
            victim.kill()
        self._app.wait()

    async def _connect(self) -> None:
        visit = await self._visits().begin_here(practice=True, progress=lambda _text: None)
        for platform in PLATFORMS:
            flow = await visit.workspace.flows.begin(platform)
            await asyncio.to_thread(consent.allow, flow.url)
            await flow.account()
        await visit.leave()

    def _visits(self) -> Visits:
        return Visits(Homes(self.folder), Credentials(self.folder))

    async def _plan(self, kills: int) -> Mapping[str, float]:
        start_s = self._lives.start_s
        every_s = kills * sum(_PAUSES) / 2 * start_s / _POSTS
        print(f"a start takes {start_s:.1f} s, a post is due every {every_s:.1f} s", file=sys.stderr)
        visits = self._visits()
        (home,) = visits.homes.all()
        visit = await visits.open(home, lambda _text: None)
        if visit.starting is not None:
            await visit.starting
        workspace = visit.workspace
        await until(lambda: len(workspace.accounts) == len(PLATFORMS), patience=_PATIENCE_S)
        of = {account.platform.value: account for account in workspace.accounts.values()}
        accounts = [of[platform.value] for platform in PLATFORMS]
        first = time.time() + _LEAD_S
        due = {f"Post {number} of the storm": first + number * every_s for number in range(_POSTS)}
        turns = itertools.cycle(zip(PLATFORMS, accounts, strict=True))
        workspace.plan(
            [
                NewPost(account.key, platform, PostType.TEXT, text, at=int(at * 1_000))
                for (text, at), (platform, account) in zip(due.items(), turns, strict=False)
            ]
        )
        await until(lambda: workspace.sync.waiting == 0, patience=_PATIENCE_S)
        await visit.leave()
        # The service stores milliseconds.
        return {text: int(at * 1_000) / 1_000 for text, at in due.items()}

    def _start(self) -> None:
        command = (*self.command, "--data", str(self.folder))
        environment = {**os.environ, **_SETTINGS}
        self._app = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        self._lives.window_started(time.time())

    def _kill(self, victim: str) -> None:
        assert self._app is not None
        service = self._service(self._app.pid) if victim != "window" else None
        if victim != "window" and service is None:
            victim = "window" if victim == "both" else ""  # it is just restarting
        window = psutil.Process(self._app.pid) if victim in ("window", "both") else None
        with contextlib.suppress(psutil.NoSuchProcess):
            if service is not None:
                was_ready, began = self._ready_pid() == service.pid, service.create_time()
                service.send_signal(signal.SIGKILL)
                if not was_ready:
                    self._lives.start_ended(began, time.time())
        if window is not None:
            window.send_signal(signal.SIGKILL)
            self._lives.window_ended(time.time())
        self.killed[victim or "nothing"] += 1
        self._kills.append((time.time(), victim or "nothing"))
        if victim in ("window", "both"):
            self._app.wait()
            self._start()

    def _ready_pid(self) -> int | None:
        """Return the process ID of the last ready service; None if it has ended cleanly."""
        with contextlib.suppress(ValueError, OSError):
            (told,) = self.folder.glob("homes/*/service/service.json")
            pid: int = json.loads(told.read_bytes())["pid"]
            return pid
        return None

    def _service(self, app: int) -> psutil.Process | None:
        with contextlib.suppress(psutil.NoSuchProcess):
            for child in psutil.Process(app).children():
                if "app.service" in child.cmdline():
                    return child
        return None

    def _end(self) -> None:
        if self._app is not None:
            family = psutil.Process(self._app.pid).children(recursive=True)
            self._app.terminate()
            self._app.wait(_PATIENCE_S)
            psutil.wait_procs(family, timeout=_PATIENCE_S)
            self._lives.window_ended(time.time())

    def _published(self) -> list[tuple[str, float]]:
        """Return the texts that the practice platforms accepted, with times."""
        (database,) = self.folder.glob("homes/*/practice/practice.sqlite3")
        with closing(sqlite3.connect(database)) as rows:
            found = rows.execute("SELECT text, received_at FROM ledger").fetchall()
        return [(text, datetime.fromisoformat(at).timestamp()) for text, at in found]


def _figures(name: str, values: Sequence[float]) -> dict[str, float]:
    """Return the median and maximum of sorted values."""
    return {f"{name}_p50": values[len(values) // 2], f"{name}_max": values[-1]}
