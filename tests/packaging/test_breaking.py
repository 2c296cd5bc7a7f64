"""The command that breaks bundles distinguishes noticed breaks from unnoticed ones."""

import json
import sys
from pathlib import Path

import pytest

from tests.packaging import breaking

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
MODULE = "icalendar"


def line(step: str, reason: str = "") -> str:
    return json.dumps({"event": "selftest", "ok": not reason, "step": step, "reason": reason})


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A stand-in that only misses its time zones."""
    made = tmp_path / "dist" / "kalends"
    for part in ("tzdata", "app/_resources/locale/de"):
        (made / "_internal" / part).mkdir(parents=True)
    for file in ("tzdata/UTC", "app/_resources/locale/de/kalends.mo"):
        (made / "_internal" / file).write_text("whole")
    script = f"""#!/bin/sh
[ -d "$(dirname "$0")/_internal/tzdata" ] || {{ echo '{line("time zones", "no zone UTC")}'; exit 1; }}
# {chr(len(MODULE))}{MODULE}
grep -q "^# .{MODULE}$" "$0" || {{ echo '{line("modules", f"without {MODULE}")}'; exit 1; }}
echo '{line("done")}'
"""
    (made / "kalends").write_text(script)
    (made / "kalends").chmod(0o755)
    return made


def missed(part: str, bundle: Path, tmp_path: Path) -> str:
    folder = tmp_path / "scratch"
    folder.mkdir(exist_ok=True)
    return breaking.missed(bundle, breaking.BREAKS[part], folder)


def test_a_break_that_the_selftest_names_is_noticed(bundle: Path, tmp_path: Path) -> None:
    assert missed("time zones", bundle, tmp_path) == ""
    assert missed("a library", bundle, tmp_path) == ""


@pytest.mark.parametrize("file", ["icalendar.pyc", "icalendar/__init__.pyc"])
def test_a_module_outside_the_archive_is_removed(bundle: Path, tmp_path: Path, file: str) -> None:
    module = bundle / "_internal" / file
    module.parent.mkdir(exist_ok=True)
    module.write_bytes(b"")
    fails = f"{{ echo '{line('modules', MODULE)}'; exit 1; }}"
    script = f"""#!/bin/sh
[ -e "$(dirname "$0")/_internal/{file}" ] || {fails}
echo '{line("done")}'
"""
    (bundle / "kalends").write_text(script)
    assert missed("a library", bundle, tmp_path) == ""
    assert module.is_file()


def test_a_break_that_it_passes_over_is_reported(bundle: Path, tmp_path: Path) -> None:
    assert missed("German", bundle, tmp_path) == "it passed"


def test_the_bundle_itself_stays_whole(bundle: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in bundle.rglob("*") if path.is_file()}
    for part in ("time zones", "a library", "German"):
        missed(part, bundle, tmp_path)
    assert {path: path.read_bytes() for path in bundle.rglob("*") if path.is_file()} == before


def test_the_command_fails_when_a_break_goes_unnoticed(
    bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert breaking.main(["--bundle", str(bundle), "--only", "time zones"]) == 0
    assert breaking.main(["--bundle", str(bundle), "--only", "time zones", "German"]) == 1
    assert "FAILED  without German" in capsys.readouterr().out


def test_a_part_that_the_bundle_never_had_is_no_proof(bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="isn't in the bundle"):
        missed("Analytics", bundle, tmp_path)
