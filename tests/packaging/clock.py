"""A clock that's years off, for a program and its children."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).with_suffix(".c")
YEAR_S: Final = 365 * 86_400


def is_missing() -> bool:
    """Whether this computer has no C compiler for building the library."""
    return shutil.which("cc") is None


def years_off(folder: Path, years: int) -> dict[str, str]:
    """Build a library in the folder, and return the environment for a program with a wrong clock."""
    library = folder / "clock.so"
    subprocess.run(("cc", "-shared", "-fPIC", "-o", library, SOURCE), check=True)
    return {"LD_PRELOAD": str(library), "KALENDS_CLOCK_OFF": str(years * YEAR_S)}
