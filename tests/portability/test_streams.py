"""The windowed program has no console on Windows, so Python has no standard output."""

import subprocess
import sys

from app.children import SOURCE

_WITHOUT = "import sys; sys.stdout = sys.stderr = None; "


def _ended(code: str) -> int:
    done = subprocess.run([sys.executable, "-c", _WITHOUT + code], cwd=SOURCE, check=False, timeout=120)
    return done.returncode


def test_output_that_nobody_can_see_goes_nowhere() -> None:
    given = "from app.children.lean import provide_streams; provide_streams(); "
    assert _ended(given + "sys.stdout.write('Küste'); sys.exit(bool(sys.stderr.isatty()) + 3)") == 3


def test_the_service_answers_with_its_exit_code() -> None:
    """Started by hand from the windowed program: it can't show the error, but it doesn't crash."""
    assert (
        _ended("from app.service.cli import main; sys.exit(main(['collect', '--data', '/not there']) + 6)")
        == 7
    )
