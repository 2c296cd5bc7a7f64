"""The real programs together: practice platforms and a service as processes, each with a data folder."""

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.practice.programs import ConsentForm
from tests.service.programs import Started, answer, serving

ROOT = Path(__file__).parents[2]

# Short waits, so that a test is not mostly waiting; what they mean is the same.
_SETTINGS = """
[publishing]
settle_delay = 0.3
confirm_absence = 1
retry_first = 0.3
"""


@contextmanager
def practice_platforms(data: Path) -> Iterator[httpx.Client]:
    """Run the practice platforms as a separate process."""
    command = [sys.executable, "-m", "app.practice", "serve", "--data", str(data)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            base_url = json.loads(process.stdout.readline())["base_url"]
            with httpx.Client(base_url=base_url, trust_env=False, timeout=20) as client:
                yield client
        finally:
            process.kill()


@dataclass
class Stage:
    """A user with a key and a connected practice account, on a service that can be killed."""

    data: Path
    platforms: httpx.Client
    platform: str
    key: str
    connection: dict[str, Any]

    @classmethod
    def set_up(cls, data: Path, platforms: httpx.Client, platform: str) -> "Stage":
        data.mkdir(mode=0o700)
        (data / "service.toml").write_text(_SETTINGS)
        account = answer("account", "create", "--data", data, "--name", "Robin Marsh")["account_id"]
        key = answer("key", "create", "--data", data, "--account", account)["key"]
        stage = cls(data, platforms, platform, key, {})
        with stage.service() as service, service.client(key) as api:
            begun = api.post("/connections/initiate", json={"platform": platform})
            assert begun.status_code == 201, begun.text
            _allow(platforms, begun.json()["connect_url"])
            (stage.connection,) = api.get("/connections").json()["data"]
        return stage

    @contextmanager
    def service(self) -> Iterator[Started]:
        """Run the service, and kill it (SIGKILL) at the end of the block."""
        with serving(self.data, "--practice-url", str(self.platforms.base_url)) as started:
            yield started

    def order_fault(self, kind: str, operation: str = "publish") -> None:
        order = {"platform": self.platform, "operation": operation, "kind": kind, "times": 1}
        ordered = self.platforms.post("/faults", json=order)
        assert ordered.is_success, ordered.text

    def publish_now(self, api: httpx.Client, text: str) -> str:
        """Publish a text immediately and return the post's ID."""
        body = {
            "social_account_id": self.connection["id"],
            "platform": self.platform,
            "post_type": "text",
            "description": text,
        }
        created = api.post("/posts", json=body)
        assert created.status_code == 201, created.text
        assert created.json()["status"] == "queued"
        return str(created.json()["id"])

    def ledger(self) -> Counter[str]:
        """Return how often each text was published."""
        return Counter(entry["text"] for entry in self.platforms.get("/ledger").json()["data"])


def status(api: httpx.Client, post_id: str) -> str:
    return str(api.get(f"/posts/{post_id}").json()["status"])


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + 90
    while not holds():
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.05)


def _allow(platforms: httpx.Client, connect_url: str) -> None:
    form = ConsentForm(platforms.get(connect_url).text)
    back = platforms.post(form.action, data={**form.hidden, "decision": "allow"})
    closing = httpx.get(back.headers["location"], trust_env=False)
    assert closing.status_code == 200, closing.text
