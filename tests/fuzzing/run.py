"""Runs all phases of schemathesis with the service's API description."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.fuzzing.target import Target

# Excluded: a schema can't express everything (a time must be in the future, a cursor must be ours), and
# unsupported methods return 404 here, as decided.
_EXCLUDED = "positive_data_acceptance,unsupported_method"


def fuzz(target: Target, prefix: str, examples: int, scratch: Path) -> tuple[int, str]:
    """Return the exit code and report of one run; 0 means no findings."""
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", target.description(prefix),
        "--header", f"Authorization: Bearer {target.service.key}",
        "--tls-verify", target.service.ca_file,
        "--phases", "examples,coverage,fuzzing,stateful",
        "--max-examples", str(examples),
        "--exclude-checks", _EXCLUDED,
        "--exclude-operation-id", "stream_events",  # it never ends, and has its own tests
        "--continue-on-failure", "--no-color", "--warnings", "off",
    ]  # fmt: skip
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        command,
        cwd=scratch,
        env={
            **os.environ,
            "PYTHONPATH": str(root),
            "SCHEMATHESIS_HOOKS": "tests.fuzzing.hooks",
            "FUZZED_ACCOUNTS": json.dumps(target.accounts),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr
