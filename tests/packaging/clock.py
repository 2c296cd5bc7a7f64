"""A clock that is years off, for a program and all that it starts."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).with_suffix(".c")
YEAR_S: Final = 365 * 86_400


def is_missing() -> bool:
    """Whether this computer lacks a C compiler, which makes the library."""
    return shutil.which("cc") is None


def years_off(folder: Path, years: int) -> dict[str, str]:
    """The environment of a program whose clock is ahead, or behind; a library is made in the folder."""
    library = folder / "clock.so"
    subprocess.run(("cc", "-shared", "-fPIC", "-o", library, SOURCE), check=True)
    return {"LD_PRELOAD": str(library), "KALENDS_CLOCK_OFF": str(years * YEAR_S)}
