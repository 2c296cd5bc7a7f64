"""Every request to Pinterest through Prism, a validating mock server that is not ours.

    python -m tests.platforms.specs.prism [--folder DIR]

Needs Node and the npm registry: Prism is installed into the folder. The requests are recorded against the
practice program and sent again to Prism, which gets the same excerpt of Pinterest's document as the tests.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from app.contract.enums import ConnectionPlatform
from tests.platforms.specs import errands
from tests.platforms.specs.excerpts import DATA
from tests.platforms.specs.recording import Exchange
from tests.platforms.world import Practice, program

_PACKAGE: Final = "@stoplight/prism-cli@5.14.2"
_PORT: Final = 4010
_KEPT_HEADERS: Final = frozenset({"authorization", "content-type", "accept"})


def install(folder: Path) -> Path:
    """Prism's command, installed when it is not there yet. Raises RuntimeError where that is not possible."""
    command = folder / "node_modules/.bin/prism"
    if not command.exists():
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError("npm is not installed.")
        arguments = [npm, "install", "--prefix", str(folder), "--no-fund", "--no-audit", _PACKAGE]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"Prism could not be installed: {done.stderr.strip()[-300:]}")
    return command


@contextmanager
def running(command: Path) -> Iterator[httpx.Client]:
    """Prism with Pinterest's document, and a client for it."""
    arguments = [str(command), "mock", "-p", str(_PORT), str(DATA / "pinterest.json")]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if "is listening" in line:
                    break
            with httpx.Client(base_url=f"http://127.0.0.1:{_PORT}", timeout=30, trust_env=False) as client:
                yield client
        finally:
            process.terminate()


def recorded(folder: Path) -> list[Exchange]:
    """What the adapter sends to Pinterest's API."""
    with (
        program(folder / "practice") as url,
        httpx.Client(base_url=url, timeout=30, trust_env=False) as http,
    ):
        every = errands.run(Practice(url, http), ConnectionPlatform.PINTEREST)
    return [call for call in every if call.path.startswith("/v5/")]


def violations(client: httpx.Client, call: Exchange) -> list[dict[str, Any]]:
    """What Prism has against a request; what it has against its own answers does not count."""
    path = call.path.removeprefix("/v5")
    answer = client.request(
        call.method,
        f"{path}?{call.raw_query}" if call.raw_query else path,
        headers={name: value for name, value in call.headers.items() if name in _KEPT_HEADERS},
        content=call.body,
    )
    found = json.loads(answer.headers.get("sl-violations", "[]"))
    about_request = [one for one in found if one["location"][0] == "request"]
    return about_request or (
        [{"status": answer.status_code}] if answer.status_code in {401, 404, 415} else []
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Check the requests to Pinterest with Prism.")
    parser.add_argument("--folder", type=Path, help="where to install Prism (default: a temporary folder)")
    with tempfile.TemporaryDirectory() as temporary:
        folder = parser.parse_args().folder or Path(temporary)
        try:
            command = install(folder)
        except RuntimeError as error:
            print(error)
            return 2
        calls = recorded(Path(temporary))
        with running(command) as client:
            bad = [(str(call), found) for call in calls for found in violations(client, call)]
    for name, found in bad:
        print(name, json.dumps(found))
    print(json.dumps({"requests": len(calls), "violations": len(bad)}))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
