"""The suite's own run: real practice platforms and two real services, set up by the command line."""

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.conformance.authority import make_authority
from tests.conformance.target import Profile, Target

ROOT = Path(__file__).parents[2]
MAIN = ("--allow-private-network", "--webhook-backoff", "0.2,0.6,1.8", "--rate-limit", "off")
SMALL_BYTES = 50_000
SPARES = 8
RUN_COMMANDS = (
    "import json, sys; from app.service.cli import main; [main(words) for words in json.load(sys.stdin)]"
)


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


def commands(*lines: Sequence[str | Path]) -> list[dict[str, Any]]:
    """Runs commands of the service one after the other in one process; gives their answers."""
    done = subprocess.run(
        [sys.executable, "-c", RUN_COMMANDS],
        cwd=ROOT,
        input=json.dumps([[str(word) for word in line] for line in lines]),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


@contextmanager
def own_target(folder: Path) -> Iterator[Target]:
    """Starts everything and makes every key that the rules can use."""
    main, strict, receiver_ca = folder / "main", folder / "strict", folder / "receiver.pem"
    make_authority(receiver_ca)
    with ExitStack() as stack:

        def run(name: str, *arguments: str | Path) -> dict[str, Any]:
            return stack.enter_context(program(folder / name, *arguments))

        practice = run("practice.log", "app.practice", "serve", "--data", folder / "practice")["base_url"]
        serve = ("app.service", "serve", "--callback-port", "0", "--practice-url", practice, "--data")
        ready = run("main.log", *serve, main, *MAIN, "--extra-ca", receiver_ca)
        ready_strict = run("strict.log", *serve, strict)
        keys, spare_keys = make_keys(main)
        yield Target(
            base_url=ready["base_url"],
            keys={**keys, **make_strict_keys(strict)},
            spare_keys=spare_keys,
            ca_file=Path(ready["ca_file"]),
            practice_url=practice,
            strict_url=ready_strict["base_url"],
            strict_ca_file=Path(ready_strict["ca_file"]),
            receiver_ca=receiver_ca,
            collect=shlex.join([sys.executable, "-m", "app.service", "collect", "--data", str(main)]),
            profile=Profile.KALENDS,
        )


def make_keys(data: Path) -> tuple[Mapping[str, str], Sequence[str]]:
    """Accounts and keys for everything that the rules can use: by the names of the keys, and spare ones."""
    main, other, lapsed, small, *spares = _accounts(data, 4 + SPARES)
    wanted = {
        "main": (main,),
        "second": (main,),
        "other": (other,),
        "no-scope": (main, "--scope", "none"),
        "expired": (main, "--expires-at", "2020-01-01T00:00:00Z"),
        "revoked": (main,),
        "lapsed": (lapsed,),
        "quota": (small,),
        **{spare: (spare,) for spare in spares},
    }
    keys = dict(zip(wanted, _keys(data, *wanted.values()), strict=True))
    commands(
        ("account", "set", "--data", data, "--account", lapsed, "--status", "past_due"),
        ("account", "set", "--data", data, "--account", small, "--storage-cap", str(SMALL_BYTES)),
        ("key", "revoke", "--data", data, "--key-id", keys["revoked"]["key_id"]),
    )
    found = {name: key["key"] for name, key in keys.items()}
    return found, [found.pop(spare) for spare in spares]


def make_strict_keys(data: Path) -> Mapping[str, str]:
    """Two keys of one account of the strict service."""
    (account,) = _accounts(data, 1)
    first, second = _keys(data, (account,), (account,))
    return {"strict": first["key"], "strict-second": second["key"]}


def _accounts(data: Path, count: int) -> list[str]:
    create = ("account", "create", "--data", str(data), "--plan", "studio", "--name")
    return [one["account_id"] for one in commands(*[(*create, f"Account {n}") for n in range(count)])]


def _keys(data: Path, *accounts: Sequence[str]) -> list[dict[str, Any]]:
    create = ("key", "create", "--data", str(data), "--account")
    return commands(*[(*create, *of) for of in accounts])


def _dead(log: Path) -> dict[str, Any]:
    raise RuntimeError(f"A program did not start: {log.read_text('utf-8')[-2000:]}")
