"""The programs themselves: commands, the ready line, ends good and bad, and bad starts."""

import json
import os
import signal
import socket
import sqlite3
import ssl
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID, uuid4

import httpx
import psutil
import pytest
from sqlalchemy import Connection

from app.contract.enums import KeyScope
from app.service.accounts.accounts import create_account
from app.service.accounts.keys import KEY_FORMAT, create_key
from app.service.accounts.plans import Plan
from app.service.clock import system_clock
from app.service.store.folder import DataFolder

T = TypeVar("T")
SERVICE = (sys.executable, "-m", "app.service")
ROOT = Path(__file__).parents[2]
AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
unix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals and modes")


def run(*arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end, which must have that exit code."""
    command = [*SERVICE, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == code, done.stderr
    return done


def answer(*arguments: str | Path) -> dict[str, Any]:
    """The JSON line that a command prints last."""
    found: dict[str, Any] = json.loads(run(*arguments).stdout.splitlines()[-1])
    return found


def complaint(*arguments: str | Path, code: int = 1) -> str:
    """What a command that cannot work says: nothing on stdout, one sentence or two on stderr."""
    failed = run(*arguments, code=code)
    assert failed.stdout == ""
    said = [line for line in failed.stderr.splitlines() if not line.startswith("{")]
    assert len(said) == 1, failed.stderr
    assert said[0].endswith(".")
    return said[0]


@dataclass
class Started:
    """A serving process."""

    process: subprocess.Popen[str]
    ready: dict[str, Any]

    @property
    def base_url(self) -> str:
        return str(self.ready["base_url"])

    def client(self, key: str) -> httpx.Client:
        trust = ssl.create_default_context(cafile=self.ready["ca_file"])
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.Client(
            base_url=f"{self.base_url}/api/v1", verify=trust, headers=headers, trust_env=False, timeout=60
        )

    def end(self) -> int:
        """Tells it to end and gives its exit code."""
        self.process.terminate()
        return self.process.wait(60)


@contextmanager
def serving(
    data: Path, *options: str, log: Path = Path(os.devnull), first_line: str = ""
) -> Iterator[Started]:
    command = [*SERVICE, "serve", "--data", str(data), "--callback-port", "0", *options]
    with (
        log.open("w") as stderr,
        subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True
        ) as process,
    ):
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdin.write(first_line)
        process.stdin.flush()
        try:
            yield Started(process, json.loads(process.stdout.readline()))
        finally:
            process.kill()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def account(data: Path) -> str:
    """An account, made without a process of its own."""
    now = system_clock()
    return str(write(data, lambda rows: create_account(rows, "Ines Duarte", Plan.LOCAL, now)))


@pytest.fixture
def key(data: Path, account: str) -> str:
    now = system_clock()
    return write(data, lambda rows: create_key(rows, UUID(account), KeyScope.API_FULL, None, now))[1]


def write(data: Path, work: Callable[[Connection], T]) -> T:
    with closing(DataFolder(data).open_database()) as database:
        return database.write_now(work)


def test_the_ready_line_is_true(data: Path, key: str) -> None:
    with serving(data) as service, service.client(key) as http:
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
    ended = answer(*make, "--expires-at", "2020-01-01T00:00:00Z")["key"]
    powerless = answer(*make, "--scope", "none")["key"]

    with serving(data) as service, service.client(ended) as first, service.client(powerless) as second:
        assert (first.get("/usage").status_code, second.get("/usage").status_code) == (401, 403)


CHANGES = pytest.mark.parametrize(
    "arguments",
    [
        ("account", "set", "--account", str(uuid4()), "--status", "active"),
        ("key", "create", "--account", str(uuid4())),
        ("key", "revoke", "--key-id", str(uuid4())),
    ],
)


@CHANGES
@pytest.mark.usefixtures("account")
def test_what_does_not_exist_is_said(data: Path, arguments: Sequence[str]) -> None:
    assert complaint(*arguments, "--data", data).startswith(("There is no account ", "There is no key "))


@CHANGES
def test_a_mistyped_folder_becomes_no_installation(data: Path, arguments: Sequence[str]) -> None:
    assert f"no service in the folder {data}" in complaint(*arguments, "--data", data)
    assert not data.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("account", "create", "--name", "  "),
        ("account", "create", "--name", "Ines\nDuarte"),
        ("account", "create", "--name", "Ines \udcff"),
        ("account", "create", "--name", "x", "--plan", "gold"),
        ("account", "set", "--account", str(uuid4()), "--storage-cap", str(2**63)),
        ("account", "set", "--account", "me"),
        ("key", "create", "--account", str(uuid4()), "--expires-at", "2031-01-01"),
        ("serve", "--port", "70000"),
        ("serve", "--practice-url", "localhost"),
        (),
    ],
)
def test_a_wrong_command_line_changes_nothing(data: Path, arguments: Sequence[str]) -> None:
    run(*arguments, *(("--data", data) if arguments else ()), code=2)
    assert not data.exists()


def test_a_second_start_says_who_has_the_folder(data: Path) -> None:
    with serving(data) as service:
        said = complaint("serve", "--data", data, code=75)

        assert f"process {service.process.pid} at {service.base_url}" in said
        assert service.end() == 0


@unix_only
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_in_good_order(data: Path, number: signal.Signals) -> None:
    with serving(data) as service:
        service.process.send_signal(number)
        assert service.process.wait(20) == 0


@pytest.mark.parametrize("busy", [False, True])
def test_it_ends_with_its_parent(data: Path, key: str, busy: bool) -> None:
    with serving(data, "--exit-with-parent") as service, service.client(key) as http:
        if busy:
            assert http.get("/posts").status_code == 200  # and the connection stays open
        assert service.process.stdin is not None
        service.process.stdin.close()
        assert service.process.wait(2) == 0


def test_without_being_asked_it_does_not_care_about_stdin(data: Path, key: str) -> None:
    with serving(data) as service, service.client(key) as http:
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
    with serving(data) as service, service.client(key) as http:
        stored = [http.post("/posts", json=body).json() for _ in range(5)]
        first_page = http.get("/posts", params={"limit": 2}).json()
        ca = Path(service.ready["ca_file"]).read_bytes()
        service.process.kill()
        service.process.wait(20)

    with serving(data) as service, service.client(key) as http:
        rest = http.get("/posts", params={"cursor": first_page["next_cursor"]}).json()
        assert {post["id"] for post in first_page["data"] + rest["data"]} == {post["id"] for post in stored}
        assert Path(service.ready["ca_file"]).read_bytes() == ca


def connect(data: Path, account: str) -> str:
    """Stores a connected account behind the service's back."""
    connection_id = uuid4()
    with sqlite3.connect(data / "service.db") as rows:
        rows.execute(
            "INSERT INTO connections (id, account_id, platform, account_identifier, is_available,"
            " access_token, created_at) VALUES (?, ?, 'linkedin', 'robin', 1, x'00', 0)",
            (connection_id.hex, UUID(account).hex),
        )
    rows.close()
    return str(connection_id)


def test_a_taken_port_is_said(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = complaint("serve", "--data", data, "--port", str(port), code=69)

    assert f"Port {port} on 127.0.0.1" in said


@pytest.mark.parametrize("host", ["nowhere.invalid", "192.0.2.1"])
def test_a_host_that_is_not_this_machine_is_said(data: Path, host: str) -> None:
    assert f"host {host}" in complaint("serve", "--data", data, "--host", host)


def test_a_folder_that_is_a_file_is_said(data: Path) -> None:
    data.write_text("mine")

    assert str(data) in complaint("serve", "--data", data)
    assert data.read_text() == "mine"


@unix_only
@pytest.mark.skipif(AS_ROOT, reason="root may write everywhere")
def test_a_folder_that_is_not_writable_is_said(data: Path) -> None:
    data.mkdir(mode=0o500)

    assert str(data) in complaint("serve", "--data", data)


@pytest.mark.parametrize("page", [0, 1, 5, 20])
@pytest.mark.usefixtures("account")
def test_a_damaged_database_is_said_and_left_alone(data: Path, page: int) -> None:
    file = data / "service.db"
    content = bytearray(file.read_bytes())
    content[page * 4096 : (page + 1) * 4096] = b"\xa5" * 4096
    file.write_bytes(content)

    said = complaint("serve", "--data", data)

    assert "is damaged and was left as it is" in said
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("callback_port = ", "cannot be read"),
        ("callback_port = 'many'", "wrong at callback_port"),
        ("[platforms.myspace]\nclient_id = 'x'", "platforms.myspace"),
        ("colour = 'red'", "wrong at colour"),
    ],
)
def test_wrong_settings_are_said(data: Path, content: str, words: str) -> None:
    data.mkdir()
    (data / "service.toml").write_text(content)

    assert words in complaint("serve", "--data", data)


def test_a_secret_in_wrong_settings_is_not_repeated(data: Path) -> None:
    data.mkdir()
    (data / "service.toml").write_text("[platforms.x]\nclient_secret = 'needle'")

    assert "needle" not in complaint("serve", "--data", data)


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
    with serving(data, log=log) as service, service.client(key) as http:
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


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with little room."""
    if not AS_ROOT or sys.platform != "linux":
        pytest.skip("mounting a small disk needs root on Linux")
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("a small disk cannot be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_stops_a_start_with_a_sentence(small_disk: Path) -> None:
    (small_disk / "filler").write_bytes(b"x" * (2 * 1024 * 1024 - 8192))

    assert "full" in complaint("serve", "--data", small_disk / "data").replace("No space left", "full")


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
