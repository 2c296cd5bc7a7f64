"""The container image of the service."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from setup.project import ROOT, SetupError

from release import freeze, sums

_BUILDERS: Final = ("podman", "buildah", "docker")
_FILE: Final = ROOT / "packaging" / "server" / "Containerfile"


def make() -> Path:
    """Build the image with an installed tool, and save it as a file for `podman load` and `docker load`.

    KALENDS_IMAGE_BASE overrides the base image, for example with one from a mirror.
    """
    builder = next((name for name in _BUILDERS if shutil.which(name)), None)
    if builder is None:
        raise SetupError("Building an image needs podman, buildah or docker. None of them is installed.")
    folder = freeze.WORK / "image"
    shutil.rmtree(folder, ignore_errors=True)
    freeze.provide_tools()
    python = freeze.tool("python")
    _run(python, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    name = f"kalends-service:{sums.version()}"
    base = os.environ.get("KALENDS_IMAGE_BASE")
    chosen = ["--build-arg", f"BASE={base}"] if base else []
    _run(builder, "build", *chosen, "--tag", name, "--file", _FILE, ROOT)
    target = freeze.BUNDLE.parent / f"kalends-service-{sums.version()}-image.tar"
    target.parent.mkdir(exist_ok=True)
    target.unlink(missing_ok=True)
    if builder == "buildah":
        _run("buildah", "push", name, f"docker-archive:{target}:{name}")
    else:
        _run(builder, "save", "--output", target, name)
    return target


def _run(*command: str | Path) -> None:
    subprocess.run(command, cwd=ROOT, check=True)
