"""The command that checks an installation."""

import json
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from sqlalchemy import text

from app.disk import write_private
from app.service.clock import system_clock
from app.service.doctor import Finding, Verdict, examine
from app.service.installation import EmbeddedInstallation, ServerInstallation
from app.service.publishing.pauses import pause_queue
from app.service.seal_key import tell_key
from app.service.store.folder import DataFolder
from app.service.tls import Certificates
from tests.ports import free_port
from tests.service.programs import connect, run, write
from tests.stores import postgres_cluster

CHECKS = ["database", "migrations", "key", "storage", "tls", "disk", "network", "clock", "workers", "queue"]


def findings(data: Path, practice_url: str | None = None) -> dict[str, Finding]:
    return {one.name: one for one in examine(EmbeddedInstallation(data), practice_url)}


@contextmanager
def platform(ahead: timedelta) -> Iterator[str]:
    """A server whose clock is that far ahead of ours."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response_only(404)
            self.send_header("Date", format_datetime(datetime.now(UTC) + ahead, usegmt=True))
            self.end_headers()

        def log_request(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        serving.join()


def test_a_line_for_each_check_and_json_last(data: Path, account: str) -> None:
    assert account
    lines = run("doctor", "--data", data).stdout.splitlines()
    assert [line.split()[1] for line in lines[:-1]] == CHECKS
    report = json.loads(lines[-1])
    assert report["ok"]
    assert [check["name"] for check in report["checks"]] == CHECKS
    found = {check["name"]: check["verdict"] for check in report["checks"]}
    assert found["storage"] == found["database"] == found["disk"] == "ok"
    assert (found["key"], found["network"], found["workers"]) == ("unknown", "unknown", "warning")
    assert not DataFolder(data).seal_key.exists()  # it only looks
    assert not any((data / "media").glob("*/*"))


def test_what_failed_is_in_the_exit_code(data: Path, account: str) -> None:
    assert account
    (data / "media").write_text("a file, where a folder is needed")
    failed = run("doctor", "--data", data, code=1)
    assert not json.loads(failed.stdout.splitlines()[-1])["ok"]
    assert "storage" in failed.stderr


def test_a_folder_without_a_service(tmp_path: Path) -> None:
    found = findings(tmp_path)
    assert found["database"].verdict is Verdict.FAILED
    assert "--data" in found["database"].next_step


def test_a_wrong_key(data: Path, account: str) -> None:
    connect(data, account)
    folder = DataFolder(data)
    write(data, lambda rows: tell_key(rows, folder))
    assert findings(data, "http://127.0.0.1:9")["key"].verdict is Verdict.OK
    write_private(folder.seal_key, bytes(32))
    assert findings(data, "http://127.0.0.1:9")["key"].verdict is Verdict.FAILED
    folder.seal_key.unlink()
    missing = findings(data, "http://127.0.0.1:9")["key"]
    assert missing.verdict is Verdict.FAILED
    assert "backup" in missing.next_step
    assert not folder.seal_key.exists()


@pytest.mark.parametrize(
    ("table", "failed"), [("posts", {"queue"}), ("connections", {"key", "network", "queue"})]
)
def test_a_broken_database_of_a_server_ends_no_check(tmp_path: Path, table: str, failed: set[str]) -> None:
    config, url = tmp_path / "server.toml", postgres_cluster().create_database()
    config.write_text(f"[server]\ndatabase_url = '{url}'\nfolder = 'state'\n", "utf-8")
    with closing(ServerInstallation(config).open_database()) as database:
        database.write_now(lambda rows: rows.execute(text(f"DROP TABLE {table} CASCADE")))
    done = run("doctor", "--config", config, code=1)
    report = json.loads(done.stdout.splitlines()[-1])
    assert [check["name"] for check in report["checks"]] == CHECKS
    found = {check["name"]: check for check in report["checks"]}
    assert {name for name in found if found[name]["verdict"] == "failed"} == failed
    assert table in found["queue"]["text"]
    assert found["queue"]["next_step"]


@pytest.mark.parametrize(
    ("ahead", "verdict"),
    [
        (timedelta(), Verdict.OK),
        (timedelta(hours=1), Verdict.WARNING),
        (timedelta(hours=-1), Verdict.WARNING),
    ],
)
def test_the_platforms_tell_the_time(data: Path, account: str, ahead: timedelta, verdict: Verdict) -> None:
    connect(data, account)
    with platform(ahead) as url:
        found = findings(data, url)
    assert (found["network"].verdict, found["clock"].verdict) == (Verdict.OK, verdict)


def test_no_platform_responds(data: Path, account: str) -> None:
    connect(data, account)
    found = findings(data, f"http://127.0.0.1:{free_port()}")
    assert found["network"].verdict is Verdict.FAILED
    assert "LinkedIn" in found["network"].text
    assert found["clock"].verdict is Verdict.UNKNOWN


def test_a_certificate_that_has_ended(data: Path, account: str) -> None:
    assert account
    long_ago = system_clock() - timedelta(days=500)
    Certificates(data / "tls", "127.0.0.1", lambda: long_ago).context()
    assert findings(data)["tls"].verdict is Verdict.FAILED
    Certificates(data / "tls", "127.0.0.1", system_clock).context()
    assert findings(data)["tls"].verdict is Verdict.OK


def test_a_paused_queue(data: Path, account: str) -> None:
    assert account
    write(data, lambda rows: pause_queue(rows, system_clock()))
    assert "resume" in findings(data)["queue"].next_step
