"""A process that takes too much memory gets an error, or ends."""

import subprocess
import sys

import pytest

from app.children.memory_limit import EXIT_CODE
from app.media.helper import Helper
from app.media.protocol import TOO_LARGE

_MIB = 1024 * 1024
_USED = """
import resource

def used():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
"""
_GREEDY = f"""
import sys, time
from app.children import memory_limit
with {{watched}}():
    try:
        taken = [b"x" * (8 * {_MIB}) for _ in range({{pieces}})]
    except MemoryError:
        sys.exit(3)
    time.sleep({{seconds}})
"""
ASKED = {"do": "probe", "path": "a.mp4", "post_type": "video", "whole": False}


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


def run(watched: str, pieces: int, seconds: float = 60, before: str = "") -> int:
    """Return the exit code of a process that takes pieces of 8 MiB and keeps them."""
    code = before + _GREEDY.format(watched=watched, pieces=pieces, seconds=seconds)
    return subprocess.run([sys.executable, "-c", code], check=False, timeout=50).returncode


def test_beyond_the_limit_there_is_no_memory() -> None:
    limited = f"memory_limit.limit_memory({512 * _MIB})"
    assert run(limited, pieces=100) == (EXIT_CODE if sys.platform == "darwin" else 3)


def test_below_the_limit_there_is() -> None:
    assert run(f"memory_limit.limit_memory({512 * _MIB})", pieces=10, seconds=0.2) == 0


@on_linux
@pytest.mark.parametrize(("pieces", "seconds", "code"), [(40, 60, EXIT_CODE), (1, 0.2, 0)])
def test_where_the_system_has_no_limit_the_process_is_ended(pieces: int, seconds: float, code: int) -> None:
    assert run(f"memory_limit.Watch({160 * _MIB}, used).on", pieces, seconds, _USED) == code


@on_linux
def test_outside_of_the_block_nobody_watches() -> None:
    code = _USED + (
        "import time; from app.children.memory_limit import Watch\n"
        f"watch = Watch({160 * _MIB}, used)\n"
        "with watch.on(): time.sleep(0.2)\n"
        f"taken = b'x' * {320 * _MIB}\n"
        "time.sleep(0.3)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=50).returncode == 0


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS ends the program")
def test_a_file_that_takes_too_much_gets_an_error_and_the_next_one_is_read() -> None:
    code = (
        f"from app.media import worker; worker.MEMORY_BYTES = {512 * _MIB}\n"
        "worker.Program._probe = staticmethod(\n"
        f"    lambda asked: (len(bytearray({_MIB} * (1024 if asked['path'] == 'a.mp4' else 1))), b'')\n"
        ")\n"
        "worker.main()"
    )
    helper = Helper((sys.executable, "-c", code), patience=60)
    try:
        assert helper.ask(ASKED) == ({"fault": TOO_LARGE}, b"")
        assert helper.ask({**ASKED, "path": "b.mp4"}) == ({"done": _MIB}, b"")
    finally:
        helper.close()
