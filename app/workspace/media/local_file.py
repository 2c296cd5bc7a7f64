"""Files on this computer: inspected before they're uploaded, and recognized when they were renamed.

Reading files blocks.
"""

import filecmp
import hashlib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from app.contract.enums import PostType
from app.contract.limits import FILENAME_MAX
from app.contract.media_kinds import HEAD_BYTES, KINDS, sniffed
from app.language import tr
from app.media.protocol import Fault, ProbeResult
from app.workspace import foreign_texts
from app.workspace.rules import MediaFacts

_SENTENCES: Final = {
    Fault.UNREADABLE: tr("“{name}” is damaged or has the wrong type. Export it again and add the new file."),
    Fault.CUT_OFF: tr("“{name}” is incomplete. Copy or download it again, then add it again."),
    Fault.NO_PICTURE: tr("“{name}” contains only audio. Choose a video or an image."),
}
_PARTS: Final = 16
_PART_BYTES: Final = 16 * 1024
_JOINERS: Final = "\u200c\u200d"
_ENDING_MAX: Final = 12
_SIDE_MAX: Final = 65_535
_ORIENTATION: Final = 0x0112
_TURNED: Final = frozenset({5, 6, 7, 8})
"""EXIF orientations that swap width and height."""
_MEASURED: Final = {"image/jpeg": "JPEG", "image/png": "PNG", "image/gif": "GIF"}
"""Types whose size in pixels can be read from the header without a decoder."""
_NO_KIND: Final = tr(
    "“{name}” isn't a supported file type. Choose a JPEG, PNG, GIF, WebP or "
    "HEIC image, or an MP4, MOV or WebM video."
)


def problem_with(probed: ProbeResult, name: str) -> str:
    """Return what is wrong with a file, in a sentence with its name; empty if nothing is."""
    return _SENTENCES[probed.fault].format(name=name) if probed.fault else ""


def media_facts(probed: ProbeResult, content_type: str, size: int) -> MediaFacts:
    """Return the facts that the platforms' rules need; ``size`` in bytes."""
    return MediaFacts(
        content_type,
        size,
        width=probed.width,
        height=probed.height,
        duration_ms=probed.duration_ms,
        video_codec=probed.video_codec,
        audio_codec=probed.audio_codec,
        frame_rate=probed.frame_rate,
    )


def covers_all(size: int) -> bool:
    """Whether the fingerprint of a file of this size covers all of its bytes."""
    return size <= _PARTS * _PART_BYTES


def fingerprint(path: Path, size: int) -> str:
    """Return a value that is equal for equal files; empty if the file can't be read.

    Only parts of a large file are read, spread over its length: enough for a first guess, but not for
    certainty.
    """
    digest = hashlib.sha256(str(size).encode())
    try:
        with path.open("rb") as opened:
            if covers_all(size):
                digest.update(opened.read(_PARTS * _PART_BYTES))
                return digest.hexdigest()
            for number in range(_PARTS):
                opened.seek((size - _PART_BYTES) * number // (_PARTS - 1))
                digest.update(opened.read(_PART_BYTES))
    except (OSError, ValueError):
        return ""
    return digest.hexdigest()


def are_equal(one: Path, other: Path) -> bool:
    """Whether two files have the same bytes, by reading both; False if one can't be read."""
    try:
        return filecmp.cmp(one, other, shallow=False)
    except (OSError, ValueError):
        return False


@dataclass(frozen=True, slots=True)
class LocalFile:
    """An inspected file.

    Attributes:
        path: Where it is.
        name: Name for the user and the service: printable, at most 255 characters.
        size: Bytes.
        modified_ns: Time of the last change; shows whether it's still the inspected file.
        content_type: Type by its first bytes; empty if it isn't supported.
        post_type: The type of posts with this file.
        width: Pixels as shown, None if unknown; ``height`` likewise.
        problem: Why it can't be posted, as a sentence; empty if it can.
        probed: The result of the probe; None if it wasn't probed.
        fingerprint: Equal for files with equal content; empty until computed.
    """

    path: Path
    name: str
    size: int = 0
    modified_ns: int = 0
    content_type: str = ""
    post_type: PostType = PostType.IMAGE
    width: int | None = None
    height: int | None = None
    problem: str = ""
    probed: ProbeResult | None = None
    fingerprint: str = ""

    @property
    def facts(self) -> MediaFacts:
        """The facts that the platforms' rules need."""
        if self.probed is not None:
            return media_facts(self.probed, self.content_type, self.size)
        return MediaFacts(self.content_type, self.size, width=self.width, height=self.height)


def look_at(paths: Iterable[Path]) -> list[LocalFile]:
    """Inspect files, in their order."""
    return [look_at_one(path) for path in paths]


GONE: Final = tr("The file was moved or deleted. Add it again.")


def look_again_at(path: Path) -> LocalFile:
    """Inspect a file that was added earlier, and may be gone by now."""
    found = look_at_one(path)
    return replace(found, problem=GONE) if found.problem and not path.exists() else found


def look_at_one(path: Path) -> LocalFile:
    """Inspect a file; ``problem`` says whether it can't be read or posted."""
    path = path.absolute()
    name = plain_name(path)
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):  # reading a pipe could block forever
            folder = path.is_dir()
            what = (
                tr("“{name}” is a folder. Choose the files inside it.")
                if folder
                else tr("“{name}” isn't a file.")
            )
            return LocalFile(path, name, problem=what.format(name=name))
        with path.open("rb") as opened:
            head = opened.read(HEAD_BYTES)
    except (OSError, ValueError) as error:
        problem = tr("Couldn't read “{name}”: {why}.", name=name, why=_why(error))
        return LocalFile(path, name, problem=problem)
    if not head:
        return LocalFile(path, name, problem=tr("“{name}” is empty.", name=name))
    kind = sniffed(head)
    if kind is None:
        return LocalFile(path, name, problem=_NO_KIND.format(name=name))
    width, height = _pixels(path, kind.content_type)
    return LocalFile(
        path, name, found.st_size, found.st_mtime_ns, kind.content_type, kind.post_type, width, height
    )


def is_video(path: Path) -> bool:
    """Whether a file is a video, by its first bytes and its extension."""
    endings = {ending for kind in KINDS if kind.post_type is PostType.VIDEO for ending in kind.extensions}
    if path.suffix.lower().removeprefix(".") not in endings:
        return False
    found = look_at_one(path)
    return not found.problem and found.post_type is PostType.VIDEO


def plain_name(path: Path) -> str:
    """Return a file name without unprintable and non-Unicode characters, cut to the contract's limit."""
    told = os.fsencode(path.name).decode("utf-8", "replace")
    shown = "".join(each for each in told if each.isprintable() or each in _JOINERS).strip() or "file"
    stem, dot, ending = shown.rpartition(".")
    if len(shown) <= FILENAME_MAX:
        return shown
    if not dot or len(ending) > _ENDING_MAX:
        return shown[:FILENAME_MAX]
    return f"{stem[: FILENAME_MAX - len(ending) - 1]}.{ending}"


def _pixels(path: Path, content_type: str) -> tuple[int | None, int | None]:
    form = _MEASURED.get(content_type)
    if form is None:
        return None, None
    from PIL import Image  # imported here because it's slow and nothing else needs it

    try:
        with Image.open(path, formats=(form,)) as image:  # only the header: nothing is decoded
            width, height = image.size
            turned = form == "JPEG" and image.getexif().get(_ORIENTATION) in _TURNED
    except Exception:  # noqa: BLE001  readers of broken files fail in every way there is
        return None, None
    if not (0 < width <= _SIDE_MAX and 0 < height <= _SIDE_MAX):
        return None, None
    return (height, width) if turned else (width, height)


def _why(error: OSError | ValueError) -> str:
    said = error.strerror if isinstance(error, OSError) else None
    return foreign_texts.in_words(said) if said else tr("its name isn't valid")
