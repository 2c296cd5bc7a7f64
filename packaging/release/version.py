"""The version to build."""

import tomllib

from setup.project import ROOT


def version() -> str:
    """Return the version in pyproject.toml, such as 1.2.3."""
    found: str = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return found
