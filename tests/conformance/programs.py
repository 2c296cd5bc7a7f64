"""The suite's own run: real practice platforms and two real services, set up with the command line."""

import json
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import UUID

from tests.conformance.authority import make_authority
from tests.conformance.target import Profile, Target

ROOT = Path(__file__).parents[2]
MAIN = ("--allow-private-network", "--webhook-backoff", "0.2,0.6,1.8", "--rate-limit", "off")
SMALL_BYTES = 50_000
SPARES = 8
RUN_COMMANDS = (
    "import json, sys; from app.service.cli import main; [main(words) for words in json.load(sys.stdin)]"
)


class Program:
    """A program that runs during a block and logs to a file. Creating one doesn't wait for it."""

    def __init__(self, log: Path, *arguments: str | Path) -> None:
        self._log = log
        command = [sys.executable, "-m", *map(str, arguments), "--exit-with-parent"]
        with log.open("wb") as errors:
            self._process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._process.communicate(timeout=30)

    @cached_property
    def ready(self) -> dict[str, Any]:
        """Return its ready line. Raises RuntimeError with its log if it died."""
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"A program did not start: {self._log.read_text('utf-8')[-2000:]}")
        found: dict[str, Any] = json.loads(line)
        return found


def commands(*lines: Sequence[str | Path]) -> list[dict[str, Any]]:
    """Run commands of the service in one process, and return their output."""
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
    """Start everything, and create every key that the rules can use."""
    main, strict, receiver_ca = folder / "main", folder / "strict", folder / "receiver.pem"
    make_authority(receiver_ca)
    with ExitStack() as stack:

        def start(name: str, *arguments: str | Path) -> Program:
            return stack.enter_context(Program(folder / f"{name}.log", *arguments))

        practice = start("practice", "app.practice", "serve", "--data", folder / "practice").ready["base_url"]
        serve = ("app.service", "serve", "--callback-port", "0", "--practice-url", practice, "--data")
        services = (
            start("main", *serve, main, *MAIN, "--extra-ca", receiver_ca),
            start("strict", *serve, strict),
        )
        ready, ready_strict = (one.ready for one in services)
        keys, spare_keys = make_keys(main, strict)
        yield Target(
            base_url=ready["base_url"],
            keys=keys,
            spare_keys=spare_keys,
            ca_file=Path(ready["ca_file"]),
            practice_url=practice,
            strict_url=ready_strict["base_url"],
            strict_ca_file=Path(ready_strict["ca_file"]),
            receiver_ca=receiver_ca,
            collect=shlex.join([sys.executable, "-m", "app.service", "collect", "--data", str(main)]),
            profile=Profile.KALENDS,
        )


def make_keys(data: Path, strict_data: Path) -> tuple[Mapping[str, str], Sequence[str]]:
    """Create accounts and keys for the rules: keys by name, and spare ones."""
    create = ("account", "create", "--plan", "studio", "--name", "Someone", "--data")
    made = commands(*[(*create, data) for _ in range(4 + SPARES)], (*create, strict_data))
    main, other, lapsed, small, *spares, strict = (one["account_id"] for one in made)
    wanted: dict[str, Sequence[str | Path]] = {
        "main": (data, "--account", main),
        "second": (data, "--account", main),
        "other": (data, "--account", other),
        "no-scope": (data, "--account", main, "--scope", "none"),
        "expired": (data, "--account", main, "--expires-at", "2100-01-01T00:00:00Z"),
        "revoked": (data, "--account", main),
        "lapsed": (data, "--account", lapsed),
        "quota": (data, "--account", small),
        "strict": (strict_data, "--account", strict),
        "strict-second": (strict_data, "--account", strict),
        **{spare: (data, "--account", spare) for spare in spares},
    }
    keys = dict(
        zip(wanted, commands(*[("key", "create", "--data", *of) for of in wanted.values()]), strict=True)
    )
    change = ("account", "set", "--data", data, "--account")
    commands(
        (*change, lapsed, "--status", "past_due"),
        (*change, small, "--storage-cap", str(SMALL_BYTES)),
        ("key", "revoke", "--data", data, "--key-id", keys["revoked"]["key_id"]),
    )
    _expire(data, keys["expired"]["key_id"])
    found = {name: key["key"] for name, key in keys.items()}
    return found, [found.pop(spare) for spare in spares]


def _expire(data: Path, key_id: str) -> None:
    """Expire a key directly, because the command can't create expired ones."""
    with closing(sqlite3.connect(data / "service.db")) as rows, rows:
        rows.execute("UPDATE api_keys SET expires_at = 0 WHERE id = ?", (UUID(key_id).hex,))
