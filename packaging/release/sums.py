"""Files that go with a release: SBOM, sources, and SHA-256 sums."""

import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tomllib
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import libraries
import notices
from setup.project import LOCKS, ROOT

from release import fetched, freeze

_DIST: Final = freeze.BUNDLE.parent
SUMS: Final = "SHA256SUMS"
_LISTED: Final = """
import importlib.metadata, json
print(json.dumps([(one.name, one.version) for one in importlib.metadata.distributions()]))
"""


def version() -> str:
    """Return the project's version."""
    found: str = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return found


def make_notices() -> Path:
    """Copy the third-party notices and the licence of the whole next to the installers."""
    _DIST.mkdir(exist_ok=True)
    (_DIST / "COPYING.txt").write_bytes((ROOT / "packaging" / "licences" / "GPL-3.0.txt").read_bytes())
    target = _DIST / notices.OUTPUT.name
    target.write_bytes(notices.OUTPUT.read_bytes())
    return target


def make_sources() -> Path:
    """Archive our source with the build scripts, and the sources of GPL works; list all others.

    Raises SetupError if a download fails.
    """
    _DIST.mkdir(exist_ok=True)
    archive = _DIST / f"kalends-{version()}-source.tar.gz"
    prefix = f"--prefix=kalends-{version()}/"
    subprocess.run(["git", "archive", prefix, "--output", archive, "HEAD"], cwd=ROOT, check=True)
    with tarfile.open(archive) as opened:
        opened.getmember(f"kalends-{version()}/packaging/build.py")  # raises if it's missing
    archived = {each.name: each for all_of in fetched.SOURCES.values() for each in all_of}
    for each in archived.values():
        fetched.fetch(each, _DIST)
    lines = [
        f"# Sources of what Kalends {version()} is given out with",
        "",
        f"Kalends and its build scripts: `{archive.name}`. Wheels come from the package index in the",
        "versions of `packaging/locks`. FFmpeg and its encoders in PyAV's wheels are built by",
        "<https://github.com/PyAV-Org/pyav-ffmpeg>. Their sources and its scripts lie beside this file:",
        "",
        *(
            f"- `{each.name}` of PyAV {number}, from <{each.url}>"
            for number, all_of in fetched.SOURCES.items()
            for each in all_of
        ),
        "",
        "All works that are bundled:",
        "",
        *(
            f"- {each.name} ({each.licence}): <{each.source}>"
            for each in (*libraries.LIBRARIES, *libraries.LINKED_IN)
        ),
    ]
    target = _DIST / "SOURCES.md"
    target.write_text("\n".join([*lines, ""]), "utf-8")
    return target


def make_sbom() -> Path:
    """Write the packages and shared libraries of the frozen app as CycloneDX 1.6."""
    if not freeze.BUNDLE.is_dir():
        freeze.make()
    target = _DIST / f"kalends-{version()}-{_system()}.cdx.json"
    target.write_text(json.dumps(sbom(freeze.BUNDLE, _packages()), indent=1), "utf-8")
    return target


def make_sums() -> Path:
    """Write the SHA-256 of every released file in `dist/`, in the format of sha256sum."""
    _DIST.mkdir(exist_ok=True)
    files = sorted(file for file in _DIST.iterdir() if file.is_file() and file.name != SUMS)
    target = _DIST / SUMS
    target.write_text("".join(f"{digest(file)}  {file.name}\n" for file in files), "utf-8")
    return target


def sbom(bundle: Path, packages: list[tuple[str, str]]) -> dict[str, Any]:
    """Return the SBOM of a folder and the packages it was built from."""
    components = [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{name}@{number}",
            "name": name,
            "version": number,
            "purl": f"pkg:pypi/{name}@{number}",
        }
        for name, number in packages
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid4()}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.now(UTC).isoformat(timespec="seconds"),
            "component": {
                "type": "application",
                "bom-ref": "kalends",
                "name": "kalends",
                "version": version(),
                "licenses": [{"expression": "GPL-3.0-or-later"}],
            },
        },
        "components": [*components, *_shared(bundle)],
    }


def digest(file: Path) -> str:
    """Return the hexadecimal SHA-256 of a file."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _shared(bundle: Path) -> list[dict[str, Any]]:
    parts = []
    for file in libraries.shared_libraries(bundle):
        library = libraries.library_of(file, bundle)
        if library is None or file.is_symlink():
            continue
        place = file.relative_to(bundle).as_posix()
        part = {
            "type": "library",
            "bom-ref": f"file:{place}",
            "name": library.name,
            "licenses": [{"expression": library.licence}],
            "hashes": [{"alg": "SHA-256", "content": digest(file)}],
            "externalReferences": [{"type": "website", "url": library.source}],
            "properties": [{"name": "kalends:file", "value": place}],
        }
        parts.append(part | ({"version": found} if (found := libraries.version_of(library, file)) else {}))
    return parts


def _packages() -> list[tuple[str, str]]:
    """Return the installed packages in the bundle: those in the desktop lock."""
    python = freeze.tool("python.exe" if sys.platform == "win32" else "python")
    told = subprocess.run([python, "-c", _LISTED], check=True, capture_output=True, encoding="utf-8").stdout
    locked = set(re.findall(r"^([\w.-]+)==", (LOCKS / "desktop.txt").read_text("utf-8"), re.MULTILINE))
    listed = {notices.canonical(name): number for name, number in json.loads(told)}
    return sorted((name, number) for name, number in listed.items() if name in locked)


def _system() -> str:
    """Return a name such as `linux-x64`. Each system has its own SBOM."""
    import platform

    names = {"win32": "windows", "darwin": "macos"}
    processors = {"amd64": "x64", "x86_64": "x64", "aarch64": "arm64"}
    machine = platform.machine().lower()
    return f"{names.get(sys.platform, 'linux')}-{processors.get(machine, machine)}"
