"""npm packages as peers in tests: installed into a scratch folder, called in one run."""

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Peer:
    """A script in a folder with packages. It reads JSON from stdin and writes JSON to stdout."""

    node: str
    folder: Path

    def ask(self, question: object) -> Any:
        """Return the script's result. Raises AssertionError with its last output if it fails."""
        done = subprocess.run(
            [self.node, "peer.mjs"],
            check=False,
            cwd=self.folder,
            input=json.dumps(question),
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def installed(
    folder: Path, script: str, packages: Sequence[str], overrides: Mapping[str, str] | None = None
) -> Peer:
    """Install packages, or skip the test with a reason."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip(f"{packages[0]} needs node and npm")
    package = {"private": True, "type": "module", "overrides": dict(overrides or {})}
    (folder / "package.json").write_text(json.dumps(package))
    (folder / "peer.mjs").write_text(script)
    command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", *packages]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"the registry did not give {packages[0]} in time")
    if done.returncode != 0:
        pytest.skip(f"{packages[0]} cannot be had: {done.stderr.strip()[-200:]}")
    return Peer(node, folder)
