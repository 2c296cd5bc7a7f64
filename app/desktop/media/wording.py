"""Texts about files and uploads."""

from collections import Counter
from collections.abc import Sequence
from math import gcd

from PySide6.QtGui import QFont, QFontMetrics

from app.contract.enums import PostType
from app.desktop.local_time import local, today
from app.desktop.words import clock, date_with_year, day
from app.language import data_size, figure, percent, tr, trn
from app.workspace.clock import from_millis
from app.workspace.media.library import MediaItem
from app.workspace.media.upload import Upload, UploadState

_MINUTE_MS = 60_000


def standing(upload: Upload) -> str:
    """Return an upload's state in words."""
    size = data_size(upload.size)
    if upload.is_done:
        return tr("{size} · uploaded", size=size)
    if upload.is_failed:
        return upload.reason
    if upload.state is UploadState.PAUSED:
        return tr("{size} · paused", size=size)
    if upload.state is UploadState.WAITING:
        return waits(upload) or tr("{size} · waiting", size=size)
    left = upload.seconds_left
    shown = f"{size} · {percent(int(upload.share * 100))}"
    if left is None or upload.share >= 1:
        return shown
    return tr("{progress} · {time} left", progress=shown, time=duration(left))


def waits(upload: Upload) -> str:
    """Return why an upload waits, as a sentence; empty if it's only waiting for its turn."""
    if upload.asked_until is None:
        return upload.reason
    until = _until(upload.asked_until)
    return tr("The service is rate limiting requests. The upload continues at {time}.", time=until)


def _until(at: int) -> str:
    """Return the local time, with the day unless it's today; rounded up to a minute."""
    moment = local(from_millis(at + _MINUTE_MS - 1))
    return clock(moment) if moment.date() == today() else f"{day(moment)} {clock(moment)}"


def duration(seconds: float) -> str:
    """Return a remaining time, roughly."""
    if seconds < 60:
        return tr("{n} s", n=max(1, round(seconds)))
    if seconds < 5_400:
        return tr("{n} min", n=round(seconds / 60))
    return tr("{n} h", n=round(seconds / 3_600))


def underway(uploads: Sequence[Upload]) -> str:
    """Summarize running and failed uploads; empty if there are none."""
    running = [upload for upload in uploads if upload.is_underway]
    failed = sum(upload.is_failed for upload in uploads)
    told = [_running(running)] if running else []
    if failed:
        told.append(trn("{n} upload failed", "{n} uploads failed", failed))
    return ", ".join(told)


def _running(uploads: Sequence[Upload]) -> str:
    asked = [upload.asked_until for upload in uploads if upload.asked_until is not None]
    if len(asked) == len(uploads):
        until = _until(max(asked))
        return trn("{n} upload waits until {time}", "{n} uploads wait until {time}", len(uploads), time=until)
    if len(uploads) == 1:
        return f"{uploads[0].name} {percent(int(uploads[0].share * 100))}"
    share = sum(upload.sent for upload in uploads) / sum(upload.size for upload in uploads)
    done = percent(int(share * 100))
    return trn("{n} upload {percent}", "{n} uploads {percent}", len(uploads), percent=done)


_NAMES = {
    "image/jpeg": tr("JPEG image"),
    "image/png": tr("PNG image"),
    "image/gif": tr("GIF image"),
    "image/webp": tr("WebP image"),
    "image/heic": tr("HEIC image"),
    "image/avif": tr("AVIF image"),
    "video/mp4": tr("MP4 video"),
    "video/quicktime": tr("MOV video"),
    "video/webm": tr("WebM video"),
    "video/x-matroska": tr("Matroska video"),
    "video/x-msvideo": tr("AVI video"),
}
_EXACT_RATIO_MOST = 25
"""4:3 says something, 1999:1501 does not."""


def length(milliseconds: int) -> str:
    """Return a duration: ``0:42``, ``18:06``, ``1:02:03``."""
    seconds = round(milliseconds / 1_000)
    hours, minutes = seconds // 3_600, seconds // 60 % 60
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"


def kind_name(item: MediaItem) -> str:
    """Return ``JPEG image``, or the post type if the format is unknown."""
    return _NAMES.get(item.content_type, tr("Video") if item.file.kind is PostType.VIDEO else tr("Image"))


def size(item: MediaItem) -> str:
    """Return the size; empty if unknown."""
    return data_size(item.file.size_bytes) if item.file.size_bytes is not None else ""


def uses(item: MediaItem) -> str:
    """Return ``in 2 posts``; empty for none."""
    return trn("in {n} post", "in {n} posts", len(item.used_in)) if item.used_in else ""


def added(item: MediaItem) -> str:
    """Return the local date on which it was stored, ``21 Nov 2026``; empty if unknown."""
    if item.file.created_at is None:
        return ""
    return date_with_year(local(item.file.created_at))


def facts(item: MediaItem) -> str:
    """Return size and uses: ``3.2 MB · in 2 posts``."""
    return " · ".join(filter(None, (size(item), uses(item)))) or kind_name(item)


def brief_facts(item: MediaItem, font: QFont, room: int) -> str:
    """Return the facts, or only the uses where both have no room, in pixels."""
    whole = facts(item)
    return whole if QFontMetrics(font).horizontalAdvance(whole) <= room else uses(item) or whole


def spoken(item: MediaItem) -> str:
    """Return everything the tile shows, for screen readers."""
    told = length(item.file.duration_ms) if item.file.duration_ms is not None else ""
    since = tr("added {date}", date=added(item)) if item.file.created_at is not None else ""
    return ", ".join(filter(None, (item.name, kind_name(item), told, size(item), uses(item), since)))


def sides(item: MediaItem) -> tuple[str, str]:
    """Return ``4,000 x 3,000`` with a true multiplication sign, and ``4:3``; empty if unknown."""
    width, height = item.file.width, item.file.height
    if not width or not height:
        return "", ""
    across, down = width // gcd(width, height), height // gcd(width, height)
    ratio = (
        f"{across}:{down}"
        if max(across, down) <= _EXACT_RATIO_MOST
        else figure(f"{width / height:.2f}") + ":1"
    )
    return figure(f"{width:,} × {height:,}"), ratio  # noqa: RUF001  the sign for sizes


def progress(upload: Upload) -> str:
    """Return an upload's progress without its size."""
    match upload.state:
        case UploadState.DONE:
            return tr("Stored")
        case UploadState.FAILED:
            return _without_name(upload)
        case UploadState.PAUSED:
            return tr("Paused")
        case UploadState.WAITING:
            return waits(upload) or tr("Waiting")
        case UploadState.SENDING:
            return _pace(upload)


def _without_name(upload: Upload) -> str:
    """Return the reason without the file's name at its start, which is shown next to it."""
    reason = upload.reason.removeprefix(tr("“{name}” ", name=upload.name))
    return f"{reason[0].upper()}{reason[1:]}" if reason else ""


def _pace(upload: Upload) -> str:
    told = [percent(int(upload.share * 100))]
    if upload.speed > 0 and upload.share < 1:
        told.append(tr("{size}/s", size=data_size(round(upload.speed))))
        if (left := upload.seconds_left) is not None:
            told.append(tr("{time} left", time=duration(left)))
    return " · ".join(told)


def counts(uploads: list[Upload]) -> str:
    """Return ``1 running · 1 waiting · 1 failed``."""
    numbers = Counter(one.state for one in uploads)
    told = []
    if running := numbers[UploadState.SENDING]:
        told.append(trn("{n} running", "{n} running", running))
    if waiting := numbers[UploadState.WAITING]:
        told.append(trn("{n} waiting", "{n} waiting", waiting))
    if paused := numbers[UploadState.PAUSED]:
        told.append(trn("{n} paused", "{n} paused", paused))
    if failed := numbers[UploadState.FAILED]:
        told.append(trn("{n} failed", "{n} failed", failed))
    return " · ".join(told)
