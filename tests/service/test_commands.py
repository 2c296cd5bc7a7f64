"""Commands that let people in: passwords, one-time links, and keys with names."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest

from app.service.accounts.accounts import Plan, create_account
from app.service.clock import system_clock
from tests.service.integrations.visiting import Read
from tests.service.programs import (
    ROOT,
    SERVICE,
    Started,
    answer,
    complaint,
    connect,
    run,
    serving,
    unix_only,
    write,
)

PASSWORD = "correct horse battery staple"


def new_account(data: Path, name: str) -> str:
    now = system_clock()
    return str(write(data, lambda rows: create_account(rows, name, Plan.LOCAL, now)))


def set_password(data: Path, account: str, *options: str, password: str = PASSWORD, code: int = 0) -> str:
    """Runs the command with the password on standard input; gives what it says, on either stream."""
    command = [*SERVICE, "account", "password", "--data", str(data), "--account", account, *options]
    done = subprocess.run(
        command, cwd=ROOT, input=f"{password}\n", capture_output=True, text=True, timeout=180, check=False
    )
    assert done.returncode == code, done.stderr
    assert PASSWORD not in done.stdout + done.stderr
    return done.stdout if code == 0 else done.stderr


class Browser:
    """As much of a browser as signing in needs."""

    def __init__(self, service: Started) -> None:
        self.base_url = service.base_url
        self.http = service.client("none")
        del self.http.headers["Authorization"]

    def sign_in(self, url: str, **fields: str) -> bool:
        form = Read(self.http.get(url).text).forms[0]
        own = {"Origin": self.base_url}
        self.http.post(self.base_url + form.action, data=form.fields | fields, headers=own)
        return self.signed_in()

    def signed_in(self) -> bool:
        return self.http.get(f"{self.base_url}/integrations").status_code == httpx.codes.OK


@pytest.fixture
def service(data: Path, account: str) -> Iterator[Started]:
    assert account
    with serving(data) as service:
        yield service


@pytest.fixture
def browser(service: Started) -> Iterator[Browser]:
    browser = Browser(service)
    yield browser
    browser.http.close()


def test_a_link_opens_the_pages_of_the_service_that_runs(data: Path, account: str, browser: Browser) -> None:
    made = answer("account", "sign-in", "--data", data, "--account", account)

    assert set(made) == {"url", "expires_at"}
    assert made["url"].startswith(f"{browser.base_url}/integrations/sign-in?link=")
    assert browser.sign_in(made["url"])
    answer("key", "create", "--data", data, "--account", account, "--name", "Nightly export")
    assert "Nightly export" in browser.http.get(f"{browser.base_url}/integrations").text
    browser.http.cookies.clear()
    assert not browser.sign_in(made["url"])


def test_a_password_works_at_once_and_a_new_one_ends_what_was_open(
    data: Path, account: str, browser: Browser
) -> None:
    told = json.loads(set_password(data, account))
    assert told == {"account_id": account, "login": "ines duarte"}
    url = f"{browser.base_url}/integrations/sign-in"
    assert browser.sign_in(url, login="Ines Duarte", password=PASSWORD)

    assert (
        json.loads(set_password(data, account, "--login", "ines", password="another one, longer"))["login"]
        == "ines"
    )

    assert not browser.signed_in()
    assert not browser.sign_in(url, login="Ines Duarte", password="another one, longer")
    assert browser.sign_in(url, login="ines", password="another one, longer")


def test_a_bad_password_is_said_and_not_repeated(data: Path, account: str) -> None:
    said = set_password(data, account, password="too short", code=1)

    assert "A password has 12 to 1024 printable characters" in said
    assert "too short" not in said


def test_a_password_is_for_an_account_that_is_there(data: Path, account: str) -> None:
    assert account
    assert "There is no account" in set_password(data, str(uuid4()), code=1)


@unix_only
def test_a_person_is_asked_twice_and_sees_nothing(data: Path, account: str) -> None:
    differing = ask(data, account, [PASSWORD, PASSWORD + "!"])
    assert "The passwords differ. Nothing was changed." in differing
    assert PASSWORD not in differing

    told = ask(data, account, [PASSWORD, PASSWORD])

    assert '"login": "ines duarte"' in told
    assert PASSWORD not in told


def ask(data: Path, account: str, answers: list[str]) -> str:
    """Runs the command on a terminal of its own and gives all that stood on it."""
    terminal, other_end = os.openpty()
    command = [*SERVICE, "account", "password", "--data", str(data), "--account", account]
    with subprocess.Popen(
        command, cwd=ROOT, start_new_session=True, stdin=other_end, stdout=other_end, stderr=other_end
    ):
        os.close(other_end)
        shown, waiting = bytearray(), list(answers)
        while chunk := _read(terminal):
            shown += chunk
            if waiting and shown.count(b": ") > len(answers) - len(waiting):
                os.write(terminal, waiting.pop(0).encode() + b"\n")
        os.close(terminal)
    return shown.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux says so when the other side is gone
        return b""


def test_a_link_needs_a_service_or_its_address(data: Path, account: str) -> None:
    make = ("account", "sign-in", "--data", data, "--account", account)

    assert "--base-url" in complaint(*make)
    made = answer(*make, "--base-url", "https://kalends.example.com/")
    assert made["url"].startswith("https://kalends.example.com/integrations/sign-in?link=")
    (data / "service.toml").write_text("public_origin = 'https://plan.example'")
    assert answer(*make)["url"].startswith("https://plan.example/integrations/sign-in?link=")


def test_a_link_is_for_an_account_that_is_there(data: Path, account: str) -> None:
    assert account
    make = ("account", "sign-in", "--data", data, "--base-url", "https://kalends.example.com")

    assert "There is no account" in complaint(*make, "--account", str(uuid4()))


@pytest.mark.parametrize("action", ["password", "sign-in"])
def test_a_mistyped_folder_becomes_no_installation(data: Path, action: str) -> None:
    assert f"no service in the folder {data}" in complaint(
        "account", action, "--data", data, "--account", str(uuid4())
    )
    assert not data.exists()


def test_no_way_in_is_in_the_log(data: Path, account: str, tmp_path: Path) -> None:
    """Links, sessions, passwords and new keys, on a service that logs as much as it can."""
    (data / "service.toml").write_text("log_level = 'DEBUG'")
    log = tmp_path / "log"
    with serving(data, log=log) as service:
        browser = Browser(service)
        set_password(data, account)
        url = f"{service.base_url}/integrations/sign-in"
        assert browser.sign_in(url, login="ines duarte", password=PASSWORD)
        link = answer("account", "sign-in", "--data", data, "--account", account)["url"]
        assert browser.sign_in(link)
        page = Read(browser.http.get(f"{service.base_url}/integrations").text)
        form = next(form for form in page.forms if form.action.endswith("/keys"))
        made = browser.http.post(
            service.base_url + form.action,
            data=form.fields | {"name": "Zapier"},
            headers={"Origin": service.base_url},
        )
        key = made.text.partition("stp_rest_")[2][:64]
        session = browser.http.cookies["__Host-kalends-session"]
        browser.http.close()
        assert service.end() == 0

    logged = log.read_text()
    assert "/integrations/{rest:path}" in logged
    assert len(key) == 64
    for secret in (PASSWORD, link.rpartition("=")[2], session, key, form.fields["form_token"]):
        assert secret not in logged
        for file in data.iterdir():
            assert not file.is_file() or secret.encode() not in file.read_bytes()


def test_a_command_starts_without_what_only_serving_needs() -> None:
    heavy = "{'fastapi', 'httpx', 'aiohttp', 'uvicorn'}"
    script = f"import sys, app.service.cli; sys.exit(bool({heavy} & set(sys.modules)))"

    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False).returncode == 0


def test_keys_are_listed_without_themselves(data: Path, account: str) -> None:
    made = answer("key", "create", "--data", data, "--account", account, "--name", "Export")
    answer("key", "revoke", "--data", data, "--key-id", made["key_id"])

    [listed] = answer("key", "list", "--data", data, "--account", account)["keys"]

    assert (listed["key_id"], listed["name"], listed["scope"]) == (made["key_id"], "Export", "api:full")
    assert listed["hint"] == made["key"][-4:]
    assert listed["revoked_at"] is not None
    assert listed["last_used_at"] is None
    assert made["key"] not in str(listed)
    assert "There is no account" in complaint("key", "list", "--data", data, "--account", str(uuid4()))


def test_connected_accounts_are_paused_and_deleted_while_it_serves(
    data: Path, account: str, key: str
) -> None:
    connection = connect(data, account)
    of_account = ("--data", data, "--account", account)
    this = ("--data", data, "--connection", connection)
    with serving(data) as service, service.client(key) as http:
        assert answer("pause", *this)["paused_at"] is not None
        [listed] = answer("connection", "list", *of_account)["connections"]
        assert listed["paused_at"] is not None
        assert answer("status", "--data", data, "--json")["backlog"]["paused_connections"] == 1
        assert answer("resume", *this) == {"paused_at": None}
        assert "--yes" in complaint("connection", "delete", *this)
        assert len(http.get("/connections").json()["data"]) == 1
        assert answer("connection", "delete", *this, "--yes")["deleted"]["connections"] == 1
        assert http.get("/connections").json()["data"] == []
        assert "There is no connection" in complaint("pause", *this)


def test_a_deleted_account_is_gone_with_its_files(data: Path, account: str, key: str) -> None:
    place = data / "media" / account
    place.mkdir(parents=True)
    (place / "picture.png").write_bytes(b"picture")
    with sqlite3.connect(data / "service.db") as rows:
        rows.execute(
            "INSERT INTO media"
            " (id, account_id, storage_path, kind, content_type, size_bytes, sha256, created_at)"
            " VALUES (?, ?, ?, 'image', 'image/png', 7, '', 0)",
            (uuid4().hex, UUID(account).hex, f"{account}/picture.png"),
        )
    rows.close()
    with serving(data) as service, service.client(key) as http:
        assert http.get("/posts").status_code == 200
        assert "--yes" in complaint("account", "delete", "--data", data, "--account", account)
        assert answer("account", "delete", "--data", data, "--account", account, "--yes")["files"] == 1

        assert http.get("/posts").status_code == 401
    assert not (place / "picture.png").exists()
    assert answer("account", "list", "--data", data)["accounts"] == []


def test_status_is_a_table_for_people(data: Path, account: str) -> None:
    assert account
    said = run("status", "--data", data).stdout

    assert "Accounts            1\n" in said
    assert "Posts due           0; 0 being published" in said
    assert "There is no service" in complaint("status", "--data", data / "elsewhere")
