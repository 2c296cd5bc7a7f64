"""No secret stays in what a person may pass on, and what helps to find a fault does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.workspace.settings.secrets import without_secrets

KEY = "stp_rest_" + "0af3" * 16
TOKEN = "AQV8x" + "a1B2c3D4" * 6


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
