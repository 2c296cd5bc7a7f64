"""Bundled files, found in a checkout and in an installed wheel."""

from functools import cache
from importlib.resources import files
from pathlib import Path


@cache
def root() -> Path:
    """Return the folder with `fonts`, `icons` and `locale`.

    It's `app/_resources` in a wheel, and next to the package in a checkout. Raises FileNotFoundError if it's
    missing, because the installation is incomplete.
    """
    package = Path(str(files("app")))
    for candidate in (package / "_resources", package.parent / "resources"):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError("The fonts and icons of Kalends are missing. Install it again.")


def path(relative: str) -> Path:
    """Return the path of a bundled file, such as `icons/kalends.svg`. Raises KeyError if it's missing."""
    found = root() / relative
    if not found.is_file():
        raise KeyError(relative)
    return found


@cache
def guide() -> Path:
    """Return the folder of the user guide: `app/_guide` in a wheel, `docs/guide` in a checkout.

    Raises FileNotFoundError if the installation is incomplete.
    """
    package = Path(str(files("app")))
    for candidate in (package / "_guide", package.parent / "docs" / "guide"):
        if (candidate / "index.md").is_file():
            return candidate
    raise FileNotFoundError("The user guide is missing. Install Kalends again.")
