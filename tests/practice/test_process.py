"""The real program: its first line, what survives kill -9, and how it ends."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.practice.cli import main
from tests.practice.programs import LinkedInProgram, XProgram, ledger


@contextmanager
def program(data: Path, *more: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """Run the program; yields it with its ready line, and kills it at the end of the block if necessary."""
    command = [sys.executable, "-m", "app.practice", "serve", "--data", str(data), *more]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdout
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()


def connected(ready: dict[str, Any]) -> httpx.Client:
    return httpx.Client(base_url=ready["base_url"], trust_env=False, timeout=20)


def test_what_was_acknowledged_survives_kill_9_on_the_same_port(tmp_path: Path) -> None:
    with program(tmp_path) as (process, ready), connected(ready) as client:
        assert (ready["event"], ready["pid"]) == ("ready", process.pid)
        linkedin, x = LinkedInProgram.connect(client), XProgram.connect(client)
        ids = [x.publish(f"Post {number}").json()["data"]["id"] for number in range(3)]
        urn = linkedin.publish("Hello").headers["x-restli-id"]
        fault = {"platform": "x", "operation": "publish", "kind": "rate_limit"}
        assert client.post("/faults", json=fault).status_code == 201
        process.kill()
        process.wait()
    port = ready["base_url"].rpartition(":")[2]
    with program(tmp_path, "--port", port) as (_, again), connected(again) as client:
        assert again["base_url"] == ready["base_url"]
        assert [entry["content_id"] for entry in ledger(client, x.user_id)] == ids
        assert [entry["content_id"] for entry in ledger(client, linkedin.urn)] == [urn]
        x.client = linkedin.client = client
        assert linkedin.publish("Hello").json()["message"] == f"Content is a duplicate of {urn}"
        assert x.publish("After").status_code == 429
        assert int(x.publish("After").json()["data"]["id"]) > int(ids[-1])
        assert x.tokens["refresh_token"] in client.get("/tokens").json()["data"]


def test_it_ends_when_its_parent_does(tmp_path: Path) -> None:
    with program(tmp_path, "--exit-with-parent") as (process, ready), connected(ready) as client:
        assert client.get("/ledger").status_code == 200
        assert process.stdin
        process.stdin.close()
        assert process.wait(20) == 0


def test_without_the_option_a_closed_stdin_means_nothing(tmp_path: Path) -> None:
    with program(tmp_path) as (process, ready), connected(ready) as client:
        assert process.stdin
        process.stdin.close()
        assert client.get("/ledger").status_code == 200
        assert process.poll() is None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
def test_it_logs_no_token_and_nothing_when_all_is_well(tmp_path: Path) -> None:
    with program(tmp_path) as (process, ready), connected(ready) as client:
        XProgram.connect(client).publish("Hello")
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        assert process.stderr
        assert process.stderr.read() == ""


def test_a_taken_port_is_said_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--data", str(tmp_path), "--port", str(port)]) == 69
    assert "Port" in capsys.readouterr().err


def test_a_damaged_database_is_said_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "practice.sqlite3").write_bytes(b"no database at all" * 100)
    assert main(["serve", "--data", str(tmp_path)]) == 1
    assert "cannot be used" in capsys.readouterr().err
