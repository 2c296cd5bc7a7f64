"""Files in a person's words."""

from math import gcd

from app.contract.enums import PostType
from app.desktop.upload_words import duration
from app.desktop.words import counted, data_size
from app.workspace.media.library import MediaItem
from app.workspace.media.upload import Upload, UploadState

_NAMES = {
    "image/jpeg": "JPEG image",
    "image/png": "PNG image",
    "image/gif": "GIF image",
    "image/webp": "WebP image",
    "image/heic": "HEIC image",
    "image/avif": "AVIF image",
    "video/mp4": "MP4 video",
    "video/quicktime": "MOV video",
    "video/webm": "WebM video",
    "video/x-matroska": "Matroska video",
    "video/x-msvideo": "AVI video",
}
_EXACT_RATIO_MOST = 25
"""4:3 says something, 1999:1501 does not."""


def length(milliseconds: int) -> str:
    """``0:42``, ``18:06``, ``1:02:03``."""
    seconds = round(milliseconds / 1_000)
    hours, minutes = seconds // 3_600, seconds // 60 % 60
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"


def kind_name(item: MediaItem) -> str:
    """``JPEG image``; the kind of post where nothing more is known."""
    return _NAMES.get(item.content_type, "Video" if item.file.kind is PostType.VIDEO else "Image")


def size(item: MediaItem) -> str:
    """The size, empty where nobody told it."""
    return data_size(item.file.size_bytes) if item.file.size_bytes is not None else ""


def uses(item: MediaItem) -> str:
    """``in 2 posts``; empty for none."""
    return f"in {counted(len(item.used_in), 'post')}" if item.used_in else ""


def added(item: MediaItem) -> str:
    """The day here on which it was stored, ``21 Nov 2026``; empty where nobody told it."""
    if item.file.created_at is None:
        return ""
    stored = item.file.created_at.astimezone()
    return f"{stored.day} {stored:%b %Y}"


def facts(item: MediaItem) -> str:
    """``3.2 MB · in 2 posts``."""
    return " · ".join(filter(None, (size(item), uses(item)))) or kind_name(item)


def spoken(item: MediaItem) -> str:
    """Everything that the tile shows, for those who hear it."""
    told = length(item.file.duration_ms) if item.file.duration_ms is not None else ""
    since = f"added {added(item)}" if item.file.created_at is not None else ""
    return ", ".join(filter(None, (item.name, kind_name(item), told, size(item), uses(item), since)))


def sides(item: MediaItem) -> tuple[str, str]:
    """``4,000 x 3,000`` with a true multiplication sign, and ``4:3``; empty where they are not known."""
    width, height = item.file.width, item.file.height
    if not width or not height:
        return "", ""
    across, down = width // gcd(width, height), height // gcd(width, height)
    ratio = f"{across}:{down}" if max(across, down) <= _EXACT_RATIO_MOST else f"{width / height:.2f}:1"
    return f"{width:,} × {height:,}", ratio  # noqa: RUF001  the sign for sizes


def progress(upload: Upload) -> str:
    """How an upload gets on, without its size."""
    match upload.state:
        case UploadState.DONE:
            return "Stored"
        case UploadState.FAILED:
            return _without_name(upload)
        case UploadState.PAUSED:
            return "Paused"
        case UploadState.WAITING:
            return upload.reason or "Waits for its turn"
        case UploadState.SENDING:
            return _pace(upload)


def _without_name(upload: Upload) -> str:
    """The reason, whose first words may be the name that stands beside it."""
    reason = upload.reason.removeprefix(f"“{upload.name}” ")
    return f"{reason[0].upper()}{reason[1:]}" if reason else ""


def _pace(upload: Upload) -> str:
    told = [f"{int(upload.share * 100)} %"]
    if upload.speed > 0 and upload.share < 1:
        told.append(f"{data_size(round(upload.speed))}/s")
        if (left := upload.seconds_left) is not None:
            told.append(f"{duration(left)} left")
    return " · ".join(told)


def counts(uploads: list[Upload]) -> str:
    """``1 running · 1 waiting · 1 failed``."""
    states = [
        (UploadState.SENDING, "running"),
        (UploadState.WAITING, "waiting"),
        (UploadState.PAUSED, "paused"),
        (UploadState.FAILED, "failed"),
    ]
    numbers = ((sum(one.state is state for one in uploads), word) for state, word in states)
    return " · ".join(f"{number} {word}" for number, word in numbers if number)
