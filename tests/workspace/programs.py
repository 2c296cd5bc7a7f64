"""The real service and the real practice platforms, as processes, for workspaces over real TLS."""

import json
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from uuid import UUID

import httpx
from sqlalchemy import Connection

from app.client import ServiceClient
from app.contract.enums import KeyScope
from app.service.accounts.accounts import Plan, create_account, create_key
from app.service.clock import system_clock
from app.service.store.folder import MIGRATIONS, DataFolder
from tests.migrated import lay
from tests.practice.programs import ConsentForm


@contextmanager
def program(log: Path, *arguments: str | Path) -> Iterator[dict[str, Any]]:
    """Runs a program until the block ends, its stderr in ``log``; gives its ready line."""
    command = [sys.executable, "-m", *map(str, arguments), "--exit-with-parent"]
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as errors:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
    assert process.stdin
    assert process.stdout
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(timeout=30)
        process.stdout.close()


def command(*arguments: str | Path) -> dict[str, Any]:
    """Runs a command of the service; gives its answer."""
    words = [sys.executable, "-m", "app.service", *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=180)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


@dataclass
class RealService:
    """A running service with one account and its key."""

    data: Path
    base_url: str
    ca_file: str
    practice_url: str
    key: str
    key_id: str

    def client(self, key: str | None = None) -> ServiceClient:
        trust = ssl.create_default_context(cafile=self.ca_file)
        return ServiceClient(self.base_url, key or self.key, ssl_context=trust)

    def with_new_account(self) -> "RealService":
        """The same service for the key of a new account."""
        key_id, key = enrol(self.data)
        return replace(self, key=key, key_id=str(key_id))

    def ledger(self) -> list[str]:
        """The texts that the practice platforms published."""
        answer = httpx.get(f"{self.practice_url}/ledger", trust_env=False)
        return [entry["text"] for entry in answer.json()["data"]]


@contextmanager
def real_service(folder: Path, *options: str) -> Iterator[RealService]:
    """Starts practice platforms and a service with further ``options``, and an account on it."""
    data = folder / "service"
    _log_everything(data)
    with program(folder / "practice.log", "app.practice", "serve", "--data", folder / "practice") as practice:
        practice_url = practice["base_url"]
        arguments = ("app.service", "serve", "--data", data, "--practice-url", practice_url, *options)
        key_id, key = enrol(data)
        with program(folder / "service.log", *arguments) as ready:
            yield RealService(data, ready["base_url"], ready["ca_file"], practice_url, key, str(key_id))


def enrol(data: Path) -> tuple[UUID, str]:
    """Creates an account and a key without starting a process; gives the key's ID and the key."""
    lay(DataFolder(data).database, MIGRATIONS)

    def work(rows: Connection) -> tuple[UUID, str]:
        now = system_clock()
        account = create_account(rows, "Robin", Plan.LOCAL, now)
        return create_key(rows, account, KeyScope.API_FULL, None, now)

    with closing(DataFolder(data).open_database()) as database:
        return database.write_now(work)


def _log_everything(data: Path) -> None:
    """What is logged at all is searched for secrets afterwards."""
    data.mkdir(parents=True, exist_ok=True)
    (data / "service.toml").write_text('log_level = "DEBUG"\n')


_PATIENCE_S = 60
"""How long a browser waits at least."""


def consent(connect_url: str, decision: str) -> str:
    """Presses a button of the consent page; gives the address to which the browser is sent."""
    with httpx.Client(trust_env=False, timeout=_PATIENCE_S) as browser:
        page = browser.get(connect_url)
        form = ConsentForm(page.text)
        action = urljoin(connect_url, form.action)
        return browser.post(action, data={**form.hidden, "decision": decision}).headers["location"]


def follow(address: str) -> str:
    """Goes where a browser would go; gives the last page."""
    with httpx.Client(trust_env=False, timeout=_PATIENCE_S, follow_redirects=True) as browser:
        return browser.get(address).text
