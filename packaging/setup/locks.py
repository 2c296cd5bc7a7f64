"""Hashed locks for every platform, without any host names."""

import os
import subprocess
from collections.abc import Sequence

from setup.environment import find_uv
from setup.project import LOCKS, ROOT, SetupError

# dev comes first, because the others use its versions.
_LOCKS: dict[str, tuple[str, ...]] = {
    "dev": ("--extra", "desktop", "--group", "dev"),
    "desktop": ("--extra", "desktop", "--constraints", "packaging/locks/dev.txt"),
    "server": ("--extra", "server", "--constraints", "packaging/locks/dev.txt"),
    "build": ("--extra", "desktop", "--group", "build", "--constraints", "packaging/locks/dev.txt"),
}


def make(uv_arguments: Sequence[str]) -> None:
    """Write `packaging/locks/*.txt` from `pyproject.toml`.

    Versions only change if necessary, or with `--upgrade` in the arguments.

    Raises:
        SetupError: uv isn't installed, or finds no solution.
    """
    uv = find_uv()
    if uv is None:
        raise SetupError("Updating the locks needs uv. Install it with: pip install uv")
    LOCKS.mkdir(exist_ok=True)
    for name, options in _LOCKS.items():
        output = (LOCKS / f"{name}.txt").relative_to(ROOT).as_posix()
        command = [uv, "pip", "compile", "pyproject.toml", *options, "--output-file", output, "--no-config"]
        command += ["--universal", "--python-version", "3.11", "--generate-hashes"]
        command += ["--no-emit-index-url", "--no-header", "--no-annotate", "--quiet", *uv_arguments]
        if subprocess.call(command, cwd=ROOT, env=_public_index()):
            raise SetupError(f"The lock for {name} couldn't be updated. See the output of uv above.")
        print(f"Wrote {output}")


def _public_index() -> dict[str, str]:
    """Return the environment without local package sources, because the hashes must be the public ones."""
    private = ("PIP_", "UV_INDEX", "UV_DEFAULT_INDEX", "UV_EXTRA_INDEX", "UV_FIND_LINKS", "UV_CONFIG_FILE")
    return {name: value for name, value in os.environ.items() if not name.startswith(private)}
