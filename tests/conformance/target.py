"""The service under test, from the command line."""

import argparse
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from tests.conformance.document import sections
from tests.conformance.outcome import NotTriedError

_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
SPARE: Final = "spare "
"""Prefix of the names of spare keys, followed by a number."""


class Profile(StrEnum):
    """Which rules apply: the specification to every service, the decisions only to Kalends."""

    SPECIFICATION = "specification"
    KALENDS = "kalends"


KEY_FILES: Final[Mapping[str, str]] = {
    "other": "a key of another account",
    "second": "another key of the same account",
    "no-scope": "a key without the scope api:full",
    "expired": "a key that has expired",
    "revoked": "a key that was revoked",
    "lapsed": "a key of an account whose subscription has lapsed",
    "quota": "a key of an account with less than 100 kB of storage",
    "strict": "a key for --strict-url",
    "strict-second": "another key of the same account for --strict-url",
}
"""Additional keys for some rules, each passed as ``--NAME-key-file FILE``."""


@dataclass(frozen=True)
class Target:
    """A service to verify.

    Attributes:
        base_url: URL without ``/api/v1``.
        keys: The key under test as "main", and the given ones of ``KEY_FILES``.
        spare_keys: Keys of other accounts, for rules that need their own account to run in parallel.
        ca_file: Authority of the service; None trusts the system's authorities, and on loopback the
            certificate that the service presents.
        practice_url: Practice platforms behind the service, whose consent page the suite submits.
        strict_url: A second installation that limits rates and doesn't reach private addresses.
        strict_ca_file: Its authority.
        receiver_ca: Authority of the suite's own webhook receiver, which the service trusts.
        public_media_url: An image or video that the service can download.
        collect: A command that makes the service collect metrics now.
        patience_s: Timeout for asynchronous results, in s.
        profile: Which rules to verify.
    """

    base_url: str
    keys: Mapping[str, str]
    spare_keys: Sequence[str] = ()
    ca_file: Path | None = None
    practice_url: str | None = None
    strict_url: str | None = None
    strict_ca_file: Path | None = None
    receiver_ca: Path | None = None
    public_media_url: str | None = None
    collect: str | None = None
    patience_s: float = 60.0
    profile: Profile = Profile.SPECIFICATION
    trusted: Mapping[str, ssl.SSLContext] = field(init=False)

    def __post_init__(self) -> None:
        contexts = {
            "main": _trust(self.base_url, self.ca_file),
            "strict": _trust(self.strict_url or "", self.strict_ca_file),
        }
        object.__setattr__(self, "trusted", contexts)

    def key(self, name: str) -> str:
        """Return a key. Raises NotTriedError if the command didn't get it."""
        if name.startswith(SPARE):
            return self.spare_keys[int(name.removeprefix(SPARE))]
        if name not in self.keys:
            raise NotTriedError(f"needs --{name}-key-file: {KEY_FILES[name]}")
        return self.keys[name]


def parser() -> argparse.ArgumentParser:
    """Return the parser of ``python -m tests.conformance``."""
    options = argparse.ArgumentParser(
        prog="python -m tests.conformance",
        description="Verify a service against the specification. Exits with 0 if nothing fails.",
    )
    options.add_argument("--base-url", metavar="URL", help="URL of the service, without /api/v1")
    options.add_argument(
        "--key-file", type=Path, metavar="FILE", help="file with an API key; use a test account"
    )
    options.add_argument("--ca-file", type=Path, metavar="FILE", help="authority of its certificate")
    for name, what in KEY_FILES.items():
        options.add_argument(f"--{name}-key-file", type=Path, metavar="FILE", help=what)
    options.add_argument(
        "--spare-key-file",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="key of another account, for rules that need their own; can be repeated",
    )
    options.add_argument("--practice-url", metavar="URL", help="practice platforms behind the service")
    options.add_argument(
        "--strict-url", metavar="URL", help="another installation, with rate limits and no network"
    )
    options.add_argument("--strict-ca-file", type=Path, metavar="FILE", help="authority of its certificate")
    options.add_argument(
        "--receiver-ca",
        type=Path,
        metavar="FILE",
        help="authority of the suite's own webhook receiver on loopback, created if necessary;"
        " the service must trust it and be able to reach loopback",
    )
    options.add_argument("--public-media-url", metavar="URL", help="image that the service can download")
    options.add_argument("--collect", metavar="COMMAND", help="command that collects metrics now")
    options.add_argument(
        "--patience", type=float, default=60.0, metavar="S", help="longest wait of a rule, in s (60)"
    )
    options.add_argument("--profile", type=Profile, choices=list(Profile), default=Profile.SPECIFICATION)
    options.add_argument("--only", metavar="SECTION", choices=[*sections()], help="only this section's rules")
    options.add_argument("--json", action="store_true", help="print one line of JSON last")
    options.add_argument("--table", action="store_true", help="print docs/conformance.md and exit")
    options.add_argument("--make-receiver-ca", type=Path, metavar="FILE", help="create this file and exit")
    return options


def read_target(options: argparse.Namespace) -> Target:
    """Read the target from the options. Raises OSError if a file can't be read."""
    keys = {"main": _read(options.key_file)}
    for name in KEY_FILES:
        if file := getattr(options, f"{name.replace('-', '_')}_key_file"):
            keys[name] = _read(file)
    return Target(
        base_url=options.base_url.rstrip("/"),
        keys=keys,
        spare_keys=[_read(file) for file in options.spare_key_file],
        ca_file=options.ca_file,
        practice_url=options.practice_url,
        strict_url=options.strict_url,
        strict_ca_file=options.strict_ca_file,
        receiver_ca=options.receiver_ca,
        public_media_url=options.public_media_url,
        collect=options.collect,
        patience_s=options.patience,
        profile=options.profile,
    )


def _read(file: Path) -> str:
    return file.read_text("utf-8").strip()


def _trust(url: str, ca_file: Path | None) -> ssl.SSLContext:
    """Trust the named authority; without one, on this machine, the certificate that the service presents."""
    context = ssl.create_default_context(cafile=ca_file)
    address = urlsplit(url)
    if ca_file is None and address.scheme == "https" and address.hostname in _LOOPBACK:
        shown = ssl.get_server_certificate((address.hostname, address.port or 443), timeout=10)
        context.load_verify_locations(cadata=shown)
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return context
