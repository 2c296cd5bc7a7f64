"""Third-party downloads of a release, verified by SHA-256.

pyav-ffmpeg builds PyAV's wheels from the works in `SOURCES`, with the same URLs and checksums. A test fails
if the lock's PyAV version isn't in that table.
"""

import hashlib
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from setup.project import SetupError


@dataclass(frozen=True)
class Fetched:
    """A file to download.

    Attributes:
        name: Its name here.
        url: Where to download it.
        sha256: Its checksum; None if its owner generates it for each download.
        version: Version of the work.
    """

    name: str
    url: str
    sha256: str | None
    version: str = ""


def _build_scripts(tag: str) -> Fetched:
    url = f"https://github.com/PyAV-Org/pyav-ffmpeg/archive/refs/tags/{tag}.tar.gz"
    return Fetched(f"pyav-ffmpeg-{tag}.tar.gz", url, None, tag)


_X264: Final = "b35605ace3ddf7c1a5d67a2eb553f034aef41d55"
_X264_SOURCE: Final = Fetched(
    f"x264-{_X264}.tar.bz2",
    f"https://code.videolan.org/videolan/x264/-/archive/{_X264}/x264-{_X264}.tar.bz2",
    "6eeb82934e69fd51e043bd8c5b0d152839638d1ce7aa4eea65a3fedcf83ff224",
    "165",
)
SOURCES: Final[Mapping[str, tuple[Fetched, ...]]] = {
    "18.1.0": (
        Fetched(
            "ffmpeg-8.1.2.tar.xz",
            "https://ffmpeg.org/releases/ffmpeg-8.1.2.tar.xz",
            "464beb5e7bf0c311e68b45ae2f04e9cc2af88851abb4082231742a74d97b524c",
            "8.1.2",
        ),
        _X264_SOURCE,
        Fetched(
            "x265_4.2.tar.gz",
            "https://bitbucket.org/multicoreware/x265_git/downloads/x265_4.2.tar.gz",
            "40b1ea0453e0309f0eba934e0ddf533f8f6295966679e8894e8f1c1c8d5e1210",
            "4.2",
        ),
        _build_scripts("8.1.2-1"),
    ),
    "19.0.2": (
        Fetched(
            "ffmpeg-9.0.2.tar.xz",
            "https://ffmpeg.org/releases/ffmpeg-9.0.2.tar.xz",
            "8c3850283eb25fa026482078a04051e0be17347b09ef81a0849bec15a96e002e",
            "9.0.2",
        ),
        _X264_SOURCE,
        Fetched(
            "x265_4.3.tar.gz",
            "https://github.com/Multicorewareinc/x265/releases/download/4.3/x265_4.3.tar.gz",
            "83c53e4c8bbb8f1e33ed59e10a7d621d1d7801ca853910c3eb41f038b8ffb121",
            "4.3",
        ),
        _build_scripts("9.0.2-1"),
    ),
}
"""GPL works in PyAV's wheels, and the scripts that build them, by PyAV version."""

APPIMAGE_TOOL: Final = Fetched(
    "appimagetool",
    "https://github.com/AppImage/appimagetool/releases/download/1.9.1/appimagetool-x86_64.AppImage",
    "ed4ce84f0d9caff66f50bcca6ff6f35aae54ce8135408b3fa33abfc3cb384eb0",
)
APPIMAGE_RUNTIME: Final = Fetched(
    "appimage-runtime",
    "https://github.com/AppImage/type2-runtime/releases/download/20251108/runtime-x86_64",
    "2fca8b443c92510f1483a883f60061ad09b46b978b2631c807cd873a47ec260d",
)


def fetch(what: Fetched, folder: Path) -> Path:
    """Download a file into the folder. Raises SetupError if that fails or the checksum differs."""
    target = folder / what.name
    if target.is_file() and (what.sha256 is None or _digest(target.read_bytes()) == what.sha256):
        return target
    try:
        with urllib.request.urlopen(what.url, timeout=60) as answer:  # noqa: S310  URLs from this module
            content = answer.read()
    except (urllib.error.URLError, TimeoutError) as error:
        raise SetupError(f"{what.url} can't be downloaded: {error}.") from error
    if what.sha256 is not None and _digest(content) != what.sha256:
        raise SetupError(f"{what.url} has changed: its SHA-256 is {_digest(content)}.")
    folder.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return target


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
