"""The gate of every package: the frozen app must pass its self-test."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from setup.project import SetupError

from release import freeze


def check() -> Path:
    """Run the frozen app's self-test. Raises SetupError if it fails."""
    if not freeze.BUNDLE.is_dir():
        freeze.make()
    program = freeze.BUNDLE / ("kalends.exe" if sys.platform == "win32" else "kalends")
    environ = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    with tempfile.TemporaryFile() as kept:  # child processes would keep a pipe open
        done = subprocess.run([program, "--selftest"], env=environ, stdout=kept, stderr=kept, check=False)
        kept.seek(0)
        said = kept.read().decode("utf-8", "replace")
    print(said, end="", flush=True)
    if done.returncode:
        raise SetupError(f"The frozen app failed its self-test with code {done.returncode}.")
    return freeze.BUNDLE
