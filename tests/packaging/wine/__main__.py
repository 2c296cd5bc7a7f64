"""Test the Windows installer under Wine, and print the duration of each step."""

import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "packaging"))

from tests.packaging.wine.cycle import Cycle, make_setups
from tests.packaging.wine.prefix import booted, missing


def main() -> int:
    """Return the exit code: 2 if programs are missing."""
    if absent := missing():
        print(
            f"This needs {', '.join(absent)}: apt-get install wine wine64 nsis gcc-mingw-w64-x86-64",
            file=sys.stderr,
        )
        return 2
    print(
        "The app is a stand-in: a small program that behaves as Kalends does towards the installer.",
        flush=True,
    )
    with tempfile.TemporaryDirectory(prefix="kalends-wine-") as name:
        folder = Path(name)
        setups = make_setups(folder / "setups")
        with booted(folder) as prefix:
            Cycle(prefix, setups).run(
                lambda step, seconds: print(f"ok  {seconds:5.1f} s  {step}", flush=True)
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
