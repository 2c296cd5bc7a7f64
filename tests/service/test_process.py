"""The programs themselves: commands, the ready line, ends good and bad."""

import json
import shutil
import signal
import stat
import threading
import time
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import httpx
import psutil
import pytest
from filelock import FileLock

from app.contract.enums import KeyScope
from app.service.accounts.accounts import KEY_FORMAT, create_key
from app.service.clock import system_clock
from app.service.installation import EmbeddedInstallation
from app.service.problems import FolderInUseProblem
from app.service.store.journal import outside
from tests.service.programs import (
    answer,
    complaint,
    connect,
    serving,
    unix_only,
    write,
)


def test_the_ready_line_is_true(data: Path, key: str) -> None:
    with serving(data, as_users_do=True) as service, service.client(key) as http:
        assert set(service.ready) == {"event", "base_url", "ca_file", "pid"}
        assert (service.ready["event"], service.ready["pid"]) == ("ready", service.process.pid)
        assert Path(service.ready["ca_file"]).is_absolute()
        assert http.get("/posts").status_code == 200
        told = json.loads((data / "service.json").read_text())
        assert told == {**service.ready, "practice_url": None}
        assert service.end() == 0
    assert not (data / "service.json").exists()


def test_commands_take_effect_while_it_serves(data: Path, account: str) -> None:
    with serving(data) as service:
        made = answer("key", "create", "--data", data, "--account", account)
        assert set(made) == {"key_id", "key"}
        assert KEY_FORMAT.fullmatch(made["key"])
        with service.client(made["key"]) as http:
            assert http.get("/posts").status_code == 200
            answer("account", "set", "--data", data, "--account", account, "--status", "past_due")
            assert http.get("/posts").status_code == 401
            changed = answer(
                "account", "set", "--data", data, "--account", account,
                "--status", "active", "--plan", "studio", "--storage-cap", "1000",
            )  # fmt: skip
            assert changed == {
                "account_id": account,
                "plan": "studio",
                "status": "active",
                "storage_cap_bytes": 1000,
            }
            assert http.get("/usage").json()["storage"]["cap_bytes"] == 1000
            assert answer("key", "revoke", "--data", data, "--key-id", made["key_id"]) == {"revoked": True}
            assert http.get("/posts").status_code == 401


def test_a_key_may_be_made_to_end_or_to_do_nothing(data: Path, account: str) -> None:
    make = ("key", "create", "--data", data, "--account", account)
    powerless = answer(*make, "--scope", "none")["key"]
    now = system_clock()
    past = now - timedelta(days=1)
    ended = write(data, lambda rows: create_key(rows, UUID(account), KeyScope.API_FULL, past, now))[1]

    with serving(data) as service, service.client(ended) as first, service.client(powerless) as second:
        assert (first.get("/usage").status_code, second.get("/usage").status_code) == (401, 403)


def test_a_key_that_would_have_ended_already_is_refused(data: Path, account: str) -> None:
    make = ("key", "create", "--data", data, "--account", account)
    said = complaint(*make, "--expires-at", "2020-01-01T00:00:00Z")
    assert said == "The time given to --expires-at has passed. Choose one in the future."
    soon = (system_clock() + timedelta(hours=1)).isoformat()
    assert KEY_FORMAT.fullmatch(answer(*make, "--expires-at", soon)["key"])


@unix_only
def test_a_second_service_does_not_start_after_the_locks_were_deleted(data: Path) -> None:
    with serving(data) as service:
        for lock in [*data.glob("*.lock"), outside(data).with_suffix(".lock")]:
            lock.unlink()
        assert service.base_url in complaint("serve", "--data", data, code=75)
        assert (data / "service.json").exists()


@unix_only
def test_a_second_service_does_not_start_where_the_folder_was_replaced(data: Path) -> None:
    with serving(data):
        data.rename(data.with_name("away"))
        shutil.copytree(data.with_name("away"), data)
        assert "in use" in complaint("serve", "--data", data, code=75)


def test_a_process_that_is_ending_is_waited_for(tmp_path: Path) -> None:
    there = EmbeddedInstallation(tmp_path / "service")
    there.folder.make()
    ending = FileLock(there.folder.lock, thread_local=False)
    ending.acquire()
    with pytest.raises(FolderInUseProblem), there.held():
        pass
    threading.Timer(0.2, ending.release).start()
    with there.held(patience_s=60):
        assert not there.folder.running.exists()


def test_a_second_start_says_who_has_the_folder(data: Path) -> None:
    with serving(data) as service:
        said = complaint("serve", "--data", data, code=75)

        assert f"process {service.process.pid} at {service.base_url}" in said
        assert service.end() == 0


@unix_only
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_in_good_order(data: Path, number: signal.Signals) -> None:
    with serving(data, as_users_do=True) as service:
        service.process.send_signal(number)
        assert service.process.wait(20) == 0


@pytest.mark.parametrize("busy", [False, True])
def test_it_ends_with_its_parent(data: Path, key: str, busy: bool) -> None:
    with serving(data, "--exit-with-parent", as_users_do=True) as service, service.client(key) as http:
        if busy:
            assert http.get("/posts").status_code == 200  # and the connection stays open
        assert service.process.stdin is not None
        service.process.stdin.close()
        assert service.process.wait(20) == 0  # `benchmarks appkills` measures how soon


def test_without_being_asked_it_does_not_care_about_stdin(data: Path, key: str) -> None:
    with serving(data, as_users_do=True) as service, service.client(key) as http:
        assert service.process.stdin is not None
        service.process.stdin.close()
        assert http.get("/posts").status_code == 200
        assert service.process.poll() is None


def test_what_was_acknowledged_survives_a_kill(data: Path, account: str, key: str) -> None:
    connection_id = connect(data, account)
    body = {
        "social_account_id": connection_id,
        "platform": "linkedin",
        "post_type": "text",
        "description": "Still here",
        "scheduled_at": "2031-01-01T12:00:00Z",
    }
    with serving(data, as_users_do=True) as service, service.client(key) as http:
        stored = [http.post("/posts", json=body).json() for _ in range(5)]
        first_page = http.get("/posts", params={"limit": 2}).json()
        ca = Path(service.ready["ca_file"]).read_bytes()
        service.process.kill()
        service.process.wait(20)

    with serving(data) as service, service.client(key) as http:
        rest = http.get("/posts", params={"cursor": first_page["next_cursor"]}).json()
        assert {post["id"] for post in first_page["data"] + rest["data"]} == {post["id"] for post in stored}
        assert Path(service.ready["ca_file"]).read_bytes() == ca


@unix_only
def test_everything_in_the_folder_is_the_owners_alone(data: Path) -> None:
    account = answer("account", "create", "--data", data, "--name", "Ines")["account_id"]
    key = answer("key", "create", "--data", data, "--account", account)["key"]
    with serving(data) as service, service.client(key) as http:
        http.get("/posts")
        for path in data.rglob("*"):
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_no_secret_is_in_arguments_environment_or_logs(data: Path, key: str, tmp_path: Path) -> None:
    (data / "service.toml").write_text(
        "log_level = 'DEBUG'\n[platforms.linkedin]\nclient_id = 'app'\nclient_secret = 'needle-secret'"
    )
    log = tmp_path / "log"
    with serving(data, log=log, as_users_do=True) as service, service.client(key) as http:
        started = http.post("/connections/initiate", json={"platform": "linkedin"}).json()
        http.get("/posts", params={"cursor": "needle-cursor"})
        http.get(f"/posts/{key}")
        back = httpx.URL(started["connect_url"]).params["redirect_uri"]
        answered = {"state": started["state"], "error": "access_denied", "code": "needle-code"}
        assert httpx.get(back, params=answered, trust_env=False).status_code == 200
        running = psutil.Process(service.process.pid)
        shown = " ".join([*running.cmdline(), *running.environ().values()])
        assert service.end() == 0
    logged = log.read_text()

    assert "/api/v1/posts" in logged
    for secret in (key, started["state"], "needle"):
        assert secret not in logged + shown


def test_a_full_disk_refuses_posts_and_loses_none(small_disk: Path) -> None:
    data = small_disk / "data"
    account = answer("account", "create", "--data", data, "--name", "Ines")["account_id"]
    key = answer("key", "create", "--data", data, "--account", account)["key"]
    body = {
        "social_account_id": connect(data, account),
        "platform": "linkedin",
        "post_type": "text",
        "description": "x" * 2000,
        "scheduled_at": "2031-01-01T12:00:00Z",
    }
    with serving(data) as service, service.client(key) as http:
        stored, refused = [], None
        deadline = time.monotonic() + 60
        while refused is None and time.monotonic() < deadline:
            made = http.post("/posts", json=body)
            if made.status_code == 201:
                stored.append(made.json()["id"])
            else:
                refused = made
        assert refused is not None
        assert refused.status_code == 500
        assert refused.json()["error"]["code"] == "internal_error"
        assert "disk is full" in refused.json()["error"]["message"]
        assert str(data) not in refused.text
        assert stored
        for post_id in stored:
            assert http.get(f"/posts/{post_id}").status_code == 200
