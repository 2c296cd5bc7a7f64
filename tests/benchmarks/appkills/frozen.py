"""The frozen app, its window and its service killed at random while posts fall due.

It is started as a person starts it, on a folder with practice accounts and all posts planned. After a kill of
the window it is opened again at once. In the end the practice platforms say what was published, and when.
"""

import asyncio
import contextlib
import itertools
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
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
"""Of the whole storm: the platforms take no more in so short a time."""
_LEAD_S: Final = 30
"""Before the first post, for the plan to be accepted."""
_PAUSES: Final = (0.1, 2.0)
"""The least and the most between two kills, in times that the app needs to start on this computer now."""
_SETTLE: Final = 10
"""After the last post, in the same measure."""
_PATIENCE_S: Final = 120
_SETTINGS: Final = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring", "QT_QPA_PLATFORM": "offscreen"}


@dataclass
class FrozenStorm:
    """One storm over one folder; ``command`` starts the app."""

    command: tuple[str, ...]
    folder: Path
    random: random.Random
    killed: Counter[str] = field(default_factory=Counter)
    _start_s: float = 0.0
    _app: "subprocess.Popen[bytes] | None" = None

    def run(self, kills: int) -> dict[str, float]:
        """Kill so often; gives how many posts were published, how late, and how often each was hit.

        Raises AssertionError where a post was published twice or not at all.
        """
        due = asyncio.run(self._plan(kills))
        self._start()
        try:
            for number in range(1, kills + 1):
                time.sleep(self.random.uniform(*_PAUSES) * self._start_s)
                self._kill(self.random.choice(VICTIMS))
                if not number % 10:
                    print(f"{number} kills", file=sys.stderr, flush=True)
            time.sleep(max(0.0, max(due.values()) - time.time()) + _SETTLE * self._start_s)
        finally:
            self._end()
        published = self._published()
        late = {text: at - due[text] for text, at in published}
        twice = [text for text, count in Counter(text for text, _ in published).items() if count > 1]
        never = sorted(due.keys() - late.keys())
        assert not twice, f"published twice: {twice}"
        assert not never, f"never published: {never}"
        worst = sorted(late.values())
        return {
            "kills": kills,
            **{f"of_{victim}": self.killed[victim] for victim in VICTIMS},
            "published": len(published),
            "doubled": len(twice),
            "lost": len(never),
            "start_s": self._start_s,
            "late_s_p50": worst[len(worst) // 2],
            "late_s_p99": worst[int(len(worst) * 0.99)],
            "late_s_max": worst[-1],
            "over_5_s": sum(each > LATE_S for each in worst),
        }

    async def _plan(self, kills: int) -> Mapping[str, float]:
        visits = Visits(Homes(self.folder), Credentials(self.folder))
        visit = await visits.begin_here(practice=True, progress=lambda _text: None)
        await visit.leave()
        began = time.monotonic()
        visit = await visits.open(visit.home, lambda _text: None)
        if visit.starting is not None:
            await visit.starting
        self._start_s = time.monotonic() - began
        every_s = kills * sum(_PAUSES) / 2 * self._start_s / _POSTS
        print(f"a start takes {self._start_s:.1f} s, a post is due every {every_s:.1f} s", file=sys.stderr)
        workspace = visit.workspace
        accounts = []
        for platform in PLATFORMS:
            flow = await workspace.flows.begin(platform)
            await asyncio.to_thread(consent.allow, flow.url)
            accounts.append(await flow.account())
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
        # As the service has them: it keeps milliseconds.
        return {text: int(at * 1_000) / 1_000 for text, at in due.items()}

    def _start(self) -> None:
        command = (*self.command, "--data", str(self.folder))
        environment = {**os.environ, **_SETTINGS}
        self._app = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)

    def _kill(self, victim: str) -> None:
        assert self._app is not None
        service = self._service(self._app.pid) if victim != "window" else None
        if victim != "window" and service is None:
            victim = "window" if victim == "both" else ""  # it is only just being started again
        for process in filter(
            None, (service, psutil.Process(self._app.pid) if victim != "service" else None)
        ):
            with contextlib.suppress(psutil.NoSuchProcess):
                if victim:
                    process.send_signal(signal.SIGKILL)
        self.killed[victim or "nothing"] += 1
        if victim in ("window", "both"):
            self._app.wait()
            self._start()

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

    def _published(self) -> list[tuple[str, float]]:
        """The texts that the practice platforms accepted, and when."""
        (database,) = self.folder.glob("homes/*/practice/practice.sqlite3")
        with closing(sqlite3.connect(database)) as rows:
            found = rows.execute("SELECT text, received_at FROM ledger").fetchall()
        return [(text, datetime.fromisoformat(at).timestamp()) for text, at in found]
