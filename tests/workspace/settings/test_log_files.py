"""The logs: their names and last lines, and a copy without secrets."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.workspace.homes import Homes
from app.workspace.messages import Problem
from app.workspace.settings.log_files import export, last_lines, log_files, without_secrets
from tests.workspace.settings.folders import filled, write

KEY = "stp_rest_" + "0af3" * 16
TOKEN = "AQV8x" + "a1B2c3D4" * 6


def test_the_app_comes_first_then_programs_that_wrote_something(tmp_path: Path) -> None:
    homes, _here, _there = filled(tmp_path)
    assert [file.name for file in log_files(homes)] == ["Kalends", "Service of My calendar"]
    assert last_lines(log_files(homes)[0]) == []


def test_only_whole_lines_of_the_end_are_read(tmp_path: Path) -> None:
    write(tmp_path / "logs" / "kalends.log", b"".join(b"line %06d\n" % n for n in range(40_000)))
    (file,) = log_files(Homes(tmp_path))
    lines = last_lines(file)
    assert len(lines) == 400
    assert (lines[0], lines[-1]) == ("line 039600", "line 039999")


def test_a_copy_holds_the_older_parts_first_and_no_secret(tmp_path: Path) -> None:
    homes, _here, _there = filled(tmp_path / "data")
    logs = homes.data / "logs"
    write(logs / "kalends.log", b"newest, Bearer abcdef0123456789\n\xff broken\n")
    write(logs / "kalends.log.1", b"older\n")
    write(logs / "kalends.log.2", b"oldest\n")
    export(log_files(homes), tmp_path / "copy.txt")
    text = (tmp_path / "copy.txt").read_text("utf-8")
    assert text.index("oldest") < text.index("older\n") < text.index("newest") < text.index("it went well")
    assert "abcdef0123456789" not in text


def test_a_copy_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    homes, _here, _there = filled(tmp_path / "data")
    with pytest.raises(Problem, match=r"Couldn't write the logs to .*: it doesn't exist\. Choose"):
        export(log_files(homes), tmp_path / "missing" / "copy.txt")
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        (f"the key {KEY} was refused", KEY),
        ("secret whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
        ("Authorization: Bearer abcdef1234567890", "abcdef1234567890"),
        ("headers={'authorization': 'Basic dXNlcjpwYXNz'}", "dXNlcjpwYXNz"),
        ("GET https://maya:hunter2@proxy.example.com/", "hunter2"),
        ("PUT https://h/media/a.png?expires=9&signature=Zm9vYmFyLXNpZw", "Zm9vYmFyLXNpZw"),
        ("https://h/callback?code=4/0AY0e-g7&state=9f8e7d6c", "4/0AY0e-g7"),
        ("https://h/callback?code=4/0AY0e-g7&state=9f8e7d6c", "9f8e7d6c"),
        ('{"access_token": "short1", "expires_in": 5}', "short1"),
        ("client_secret=s3cr3t client_id=me", "s3cr3t"),
        ("password: correct horse", "correct"),
        (f"the platform said {TOKEN}", TOKEN),
        ("id eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig_-1", "eyJzdWIiOiIxIn0"),
    ],
)
def test_a_secret_is_hidden(line: str, secret: str) -> None:
    told = without_secrets(line)
    assert secret not in told
    assert "[hidden]" in told


@pytest.mark.parametrize(
    "line",
    [
        '{"event": "the embedded service ended and is started again", "exit_code": -9, "level": "warning"}',
        "request req_01hx7n9q2m to https://127.0.0.1:40123/api/v1/posts?limit=100 took 3 s",
        "post 0190f3aa-1111-4bbb-8ccc-0123456789ab of account 5e8400e2-9b1d-41d4-a716-446655440000",
        'File "/home/maya/kalends/app/workspace/outbox/delivery.py", line 266, in deliver_all_that_waits',
    ],
)
def test_what_is_no_secret_stays(line: str) -> None:
    assert without_secrets(line) == line


@given(before=st.text(max_size=40), after=st.text(max_size=40))
def test_a_key_is_hidden_wherever_it_stands(before: str, after: str) -> None:
    assert KEY not in without_secrets(f"{before}{KEY}{after}")


@given(st.text(max_size=200))
def test_hiding_twice_is_hiding_once(text: str) -> None:
    once = without_secrets(text)
    assert without_secrets(once) == once
