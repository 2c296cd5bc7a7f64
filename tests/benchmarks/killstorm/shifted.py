"""Runs a program on a computer whose clock is wrong: ``python -m ... SECONDS MODULE [ARGUMENT ...]``."""

import runpy
import sys
import time


def main() -> None:
    """Moves the clock of this process, and becomes the module."""
    seconds, now, now_ns = int(sys.argv[1]), time.time, time.time_ns
    time.time = lambda: now() + seconds
    time.time_ns = lambda: now_ns() + seconds * 10**9
    sys.argv = sys.argv[2:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
