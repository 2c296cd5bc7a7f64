"""What the files of a bundle need from the system, read with binutils."""

import re
import subprocess
from pathlib import Path


def loaded(bundle: Path) -> set[str]:
    """Return the names of all libraries that the files of the bundle load."""
    told = _told("readelf", "-d", bundle)
    return set(re.findall(r"\(NEEDED\)\s+Shared library: \[([^]]+)\]", told))


def glibc(bundle: Path) -> str:
    """Return the newest glibc version whose symbols the bundle uses, such as 2.36."""
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)\b", _told("objdump", "-T", bundle))
    return ".".join(map(str, max((int(major), int(minor)) for major, minor in versions)))


def _told(tool: str, option: str, bundle: Path) -> str:
    files = [file for file in bundle.rglob("*") if file.is_file() and not file.is_symlink() and _is_elf(file)]
    return subprocess.run([tool, option, *files], check=True, capture_output=True, text=True).stdout


def _is_elf(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(4) == b"\x7fELF"
