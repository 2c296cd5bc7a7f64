"""The signed update feed, built from the installers in `dist/`.

The private key comes from a file that only its owner can read, never from an argument or the environment.
"""

import argparse
import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from setup.project import ROOT, SetupError

from release import freeze, sums

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

DIST: Final = freeze.BUNDLE.parent
NAME: Final = "kalends-updates.json"
COMMANDS: Final = ("feed", "feed-key")
_INSTALLERS: Final = (
    (re.compile(r"kalends-[\d.]+-windows-x64(-setup)?\.exe", re.IGNORECASE), "windows-x64", "nsis"),
    (re.compile(r"kalends-[\d.]+-macos-arm64\.dmg", re.IGNORECASE), "macos-arm64", "dmg"),
    (re.compile(r"kalends-[\d.]+-x86_64\.AppImage", re.IGNORECASE), "linux-x64", "appimage"),
    (re.compile(r"kalends-[\d.]+-aarch64\.AppImage", re.IGNORECASE), "linux-arm64", "appimage"),
)


def make(key_file: Path, base_url: str, version: str, folder: Path = DIST) -> Path:
    """Sign a feed of the installers in a folder; ``base_url`` is where they can be downloaded."""
    from app.updates import feed

    key = read_key(key_file)
    base = base_url.rstrip("/")
    told = {
        "format": 1,
        "version": version,
        "published_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "installers": [
            {"system": system, "kind": kind, "name": file.name, "url": f"{base}/{file.name}", **_facts(file)}
            for file in sorted(folder.iterdir())
            for pattern, system, kind in _INSTALLERS
            if pattern.fullmatch(file.name) and version in file.name
        ],
    }
    if not told["installers"]:
        raise SetupError(f"There is no installer for {version} in {folder}.")
    body = sealed(json.dumps(told, indent=1).encode(), key)
    feed.read(body, [key.public_key().public_bytes_raw()])  # never write a feed that the app would refuse
    target = folder / NAME
    target.write_bytes(body)
    return target


def sealed(signed: bytes, *keys: "Ed25519PrivateKey") -> bytes:
    """Return the envelope of a feed, signed with each key."""
    from app.updates.feed import CONTEXT

    signatures = [base64.b64encode(key.sign(CONTEXT + signed)).decode() for key in keys]
    return json.dumps({"signed": base64.b64encode(signed).decode(), "signatures": signatures}).encode()


def make_key(key_file: Path) -> str:
    """Write a new private key to a new file and return the public key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = Ed25519PrivateKey.generate()
    try:
        descriptor = os.open(key_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise SetupError(f"{key_file} already exists. Keys are never overwritten.") from None
    with os.fdopen(descriptor, "wb") as file:
        file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()


def read_key(key_file: Path) -> "Ed25519PrivateKey":
    """Read a private key. Raises SetupError if others can read it or it isn't an Ed25519 key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        if sys.platform != "win32" and key_file.stat().st_mode & 0o077:
            raise SetupError(f"Other users can read {key_file}. Run: chmod 600 {key_file}")
        key = load_pem_private_key(key_file.read_bytes(), None)
    except (OSError, ValueError, TypeError) as error:
        raise SetupError(f"{key_file} isn't a readable PEM private key: {type(error).__name__}.") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise SetupError(f"{key_file} doesn't contain an Ed25519 key.")
    return key


def main(arguments: Sequence[str]) -> int:
    """Sign a feed or create a key, and return the exit code."""
    parser = argparse.ArgumentParser(prog="build.py", description="Sign the update feed.")
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument(
        "--key-file", type=Path, required=True, help="private key, readable only by its owner"
    )
    parser.add_argument("--base-url", help="https URL of the folder with the installers")
    options = parser.parse_args(arguments)
    if options.command == "feed" and not options.base_url:
        parser.error("feed needs --base-url")
    if find_spec("cryptography") is None or find_spec("pydantic") is None:
        freeze.provide_tools()
        python = freeze.tool("python.exe" if sys.platform == "win32" else "python")
        return subprocess.call([python, ROOT / "packaging" / "build.py", *arguments])
    sys.path.insert(0, str(ROOT))
    try:
        if options.command == "feed-key":
            public = make_key(options.key_file)
            print(f"Created {options.key_file}. Public key for resources/updates.json: {public}")
        else:
            print(f"Built {make(options.key_file, options.base_url, sums.version())}")
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _facts(file: Path) -> dict[str, int | str]:
    with file.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    return {"size": file.stat().st_size, "sha256": digest}
