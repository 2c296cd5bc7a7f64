"""The service with hanging clients: fewer of them, and even fewer open files allowed."""

import json
import subprocess
import sys

import pytest

from tests.service.programs import unix_only


@pytest.mark.variation
@unix_only
def test_a_service_with_room_for_256_files_serves_and_publishes_while_400_clients_hang() -> None:
    few = ["--silent", "200", "--half", "200", "--seconds", "4", "--files", "256", "--json"]
    command = [sys.executable, "-m", "tests.benchmarks", "hanging", *few]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr  # every call was answered, and every post arrived once
    assert "can't be accepted" not in done.stderr
    assert list(json.loads(done.stdout.splitlines()[-1])) == [
        "hanging_api_ms_p50",
        "hanging_api_ms_max",
        "hanging_late_ms_p50",
        "hanging_late_ms_max",
    ]
