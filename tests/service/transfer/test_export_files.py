"""Files of an export, as the companion API sends them."""

import time

import pytest

from tests.service.running import Caller
from tests.service.transfer.household import PASSPHRASE

_PATIENCE_S = 60


def moving(caller: Caller, path: str) -> str:
    return f"{caller.service.base_url}/companion/v1/departure{path}"


def leave(caller: Caller) -> None:
    """Lets the caller's account leave, and waits for its export."""
    answer = caller.http.post(moving(caller, ""), json={"passphrase": PASSPHRASE})
    until = time.monotonic() + _PATIENCE_S
    while answer.json()["state"] != "written" and time.monotonic() < until:
        time.sleep(0.05)
        answer = caller.http.get(moving(caller, ""))
    assert answer.json()["state"] == "written", answer.text


@pytest.mark.parametrize(
    "asked", ["bytes=0-3", "bytes=3-", "bytes=-1", "bytes=999999-", "bytes=abc", "bytes=0-1,3-4", "posts=1"]
)
def test_a_file_is_always_sent_whole(caller: Caller, asked: str) -> None:
    """As described: the API names no other status."""
    caller.create(caller.connect())
    leave(caller)
    whole = caller.http.get(moving(caller, "/files/posts.ndjson"))
    assert whole.status_code == 200
    assert whole.headers["content-type"] == "application/octet-stream"
    assert whole.headers["accept-ranges"] == "none"
    assert b"Hello" in whole.content
    part = caller.http.get(moving(caller, "/files/posts.ndjson"), headers={"Range": asked})
    assert (part.status_code, part.content) == (200, whole.content)


def test_a_file_that_is_not_there_is_refused_like_anything_else(caller: Caller) -> None:
    leave(caller)
    answer = caller.http.get(moving(caller, "/files/none.ndjson"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "validation_error")
