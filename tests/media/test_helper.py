"""The helper process: a file it spends too long on is given up, a busy computer is waited for."""

import sys

import pytest

from app.media.helper import Helper, HelperError, HelperTrouble

ASKED = {"do": "probe", "path": "a.mp4", "post_type": "video", "whole": False}

unix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows can't limit processor time")


def probing_by(work: str) -> tuple[str, ...]:
    """Return a command for a worker that may take 0.2 s of processor time, and does this for a probe."""
    code = (
        "import time; from app.media import worker; worker.STEP_S = 0.2\n"
        f"worker.Program._probe = staticmethod(lambda asked: ({work}, b''))\n"
        "worker.main()"
    )
    return sys.executable, "-c", code


@unix_only
def test_a_file_that_keeps_the_processor_busy_is_given_up() -> None:
    helper = Helper(probing_by("all(iter(lambda: True, False))"), patience=60)

    with pytest.raises(HelperError) as raised:
        helper.ask(ASKED)

    assert raised.value.trouble is HelperTrouble.SILENT


def test_waiting_for_a_turn_is_not_held_against_a_file() -> None:
    helper = Helper(probing_by("time.sleep(1)"), patience=60)
    try:
        assert helper.ask(ASKED) == ({"done": None}, b"")
    finally:
        helper.close()


@unix_only
def test_nothing_is_limited_between_two_questions() -> None:
    helper = Helper(probing_by("time.sleep(0)"), patience=60)
    try:
        answers = [helper.ask(ASKED) for _ in range(200)]
    finally:
        helper.close()

    assert answers == [({"done": None}, b"")] * 200


def test_a_worker_that_says_nothing_is_given_up() -> None:
    helper = Helper((sys.executable, "-c", "import sys; sys.stdin.read()"), patience=0.3)

    with pytest.raises(HelperError) as raised:
        helper.ask(ASKED)

    assert raised.value.trouble is HelperTrouble.SILENT
