"""The suite's own run: real practice platforms and two real services, set up by the command line."""

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.conformance.authority import make_authority
from tests.conformance.target import Profile, Target

ROOT = Path(__file__).parents[2]
MAIN = ("--allow-private-network", "--webhook-backoff", "0.2,0.6,1.8", "--rate-limit", "off")
SMALL_BYTES = 50_000


@contextmanager
def program(log: Path, *arguments: str | Path) -> Iterator[dict[str, Any]]:
    """Runs a program until the block ends; gives its ready line. What it logs goes to a file."""
    command = [sys.executable, "-m", *map(str, arguments), "--exit-with-parent"]
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        )
    assert process.stdin
    assert process.stdout
    try:
        yield json.loads(process.stdout.readline() or "{}") or _dead(log)
    finally:
        process.stdin.close()
        process.wait(timeout=30)
        process.stdout.close()


def service(*arguments: str | Path) -> dict[str, Any]:
    """Runs a command of the service; gives its answer."""
    words = [sys.executable, "-m", "app.service", *map(str, arguments)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


@contextmanager
def own_target(folder: Path) -> Iterator[Target]:
    """Starts everything and makes every key that the rules can use."""
    main, strict, receiver_ca = folder / "main", folder / "strict", folder / "receiver.pem"
    make_authority(receiver_ca)
    with ExitStack() as stack:
        run = lambda name, *arguments: stack.enter_context(program(folder / name, *arguments))  # noqa: E731
        practice = run("practice.log", "app.practice", "serve", "--data", folder / "practice")["base_url"]
        serve = ("app.service", "serve", "--callback-port", "0", "--practice-url", practice, "--data")
        ready = run("main.log", *serve, main, *MAIN, "--extra-ca", receiver_ca)
        ready_strict = run("strict.log", *serve, strict)
        yield Target(
            base_url=ready["base_url"],
            keys=make_keys(main, strict),
            ca_file=Path(ready["ca_file"]),
            practice_url=practice,
            strict_url=ready_strict["base_url"],
            strict_ca_file=Path(ready_strict["ca_file"]),
            receiver_ca=receiver_ca,
            collect=shlex.join([sys.executable, "-m", "app.service", "collect", "--data", str(main)]),
            profile=Profile.KALENDS,
        )


def make_keys(main: Path, strict: Path) -> Mapping[str, str]:
    """Accounts and keys by the command line, for everything that the rules can use."""
    names = ("Main", "Other", "Lapsed", "Small")
    with ThreadPoolExecutor(4) as pool:
        made = pool.map(lambda name: _account(main, name), names)
        rival = pool.submit(_account, strict, "Strict")
        first, other, lapsed, small = made
        wanted = {
            "main": (main, first),
            "second": (main, first),
            "other": (main, other),
            "no-scope": (main, first, "--scope", "none"),
            "expired": (main, first, "--expires-at", "2020-01-01T00:00:00Z"),
            "revoked": (main, first),
            "lapsed": (main, lapsed),
            "quota": (main, small),
            "strict": (strict, rival.result()),
            "strict-second": (strict, rival.result()),
        }
        keys = dict(zip(wanted, pool.map(lambda of: _key(*of), wanted.values()), strict=True))
    service("account", "set", "--data", main, "--account", lapsed, "--status", "past_due")
    service("account", "set", "--data", main, "--account", small, "--storage-cap", str(SMALL_BYTES))
    service("key", "revoke", "--data", main, "--key-id", keys["revoked"]["key_id"])
    return {name: made["key"] for name, made in keys.items()}


def _account(data: Path, name: str) -> str:
    account_id: str = service("account", "create", "--data", data, "--name", name)["account_id"]
    return account_id


def _key(data: Path, account_id: str, *options: str) -> dict[str, Any]:
    return service("key", "create", "--data", data, "--account", account_id, *options)


def _dead(log: Path) -> dict[str, Any]:
    raise RuntimeError(f"A program did not start: {log.read_text('utf-8')[-2000:]}")
