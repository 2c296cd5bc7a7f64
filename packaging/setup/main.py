"""The commands of `packaging/dev.py`."""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence

from setup import checks, doctor, environment, for_tests, locks, screen
from setup.project import COMPILED_ONCE, PYTHON, ROOT, SetupError

_COMMANDS = """commands:
  run [app arguments]        install what's missing and start the app
  test [pytest arguments]    run all checks and tests; with arguments, only pytest
  test --all                 the same with every variation and more examples; takes hours
  test --short               only the tests that most often differ between Python versions
  test --types               only types, as on Windows and macOS
  lock [uv arguments]        update the hashed locks; --upgrade for newer versions
  doctor                     check what's installed on this computer; prints JSON last"""


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    options = _parse(arguments)
    try:
        return _run(options.command, options.rest, system_allowed=not options.no_system)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="dev.py", epilog=_COMMANDS, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--no-system", action="store_true", help="don't install system packages")
    parser.add_argument("command", choices=["run", "test", "lock", "doctor"])
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="arguments for the app, pytest or uv")
    # Accept the flag at any position: neither the app nor pytest has one with this name.
    ours = [argument for argument in arguments if argument == "--no-system"]
    return parser.parse_args([*ours, *(argument for argument in arguments if argument != "--no-system")])


def _run(command: str, rest: Sequence[str], *, system_allowed: bool) -> int:
    if command == "lock":
        locks.make(rest)
        return 0
    if command == "doctor":
        return doctor.report()
    if command == "test":
        environment.prepare("dev", ["offscreen"], system_allowed=system_allowed)
        for_tests.provide(system_allowed=system_allowed)
        platform, sentence = screen.choose_for_tests()
        print(sentence, flush=True)
        return checks.run(rest, platform)
    environment.prepare("desktop", screen.kinds(), system_allowed=system_allowed)
    platform, sentence = screen.choose()
    print(sentence, flush=True)
    environ = {**os.environ, **COMPILED_ONCE, **({"QT_QPA_PLATFORM": platform} if platform else {})}
    return subprocess.call([PYTHON, "-m", "app", *rest], cwd=ROOT, env=environ)
