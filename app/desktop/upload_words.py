"""How uploads stand, in a person's words."""

from collections.abc import Sequence
from datetime import datetime

from app.desktop.words import clock, day
from app.language import data_size, tr, trn
from app.workspace.clock import from_millis
from app.workspace.media.upload import Upload, UploadState

_MINUTE_MS = 60_000


def standing(upload: Upload) -> str:
    """Return how an upload stands, in words."""
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
    shown = f"{size} · {int(upload.share * 100)} %"
    if left is None or upload.share >= 1:
        return shown
    return tr("{progress} · {time} left", progress=shown, time=duration(left))


def waits(upload: Upload) -> str:
    """Return why an upload waits, a sentence; empty where it only waits for its turn."""
    if upload.asked_until is None:
        return upload.reason
    until = _until(upload.asked_until)
    return tr(
        "The service is rate limiting requests. The upload continues automatically at {time}.", time=until
    )


def _until(at: int) -> str:
    """Return the time of day here, with its day where that is another; a minute that has begun is over."""
    moment = from_millis(at + _MINUTE_MS - 1).astimezone()
    today = moment.date() == datetime.now(moment.tzinfo).date()
    return clock(moment) if today else f"{day(moment)} {clock(moment)}"


def duration(seconds: float) -> str:
    """Return a time that is left, roughly."""
    if seconds < 60:
        return tr("{n} s", n=max(1, round(seconds)))
    if seconds < 5_400:
        return tr("{n} min", n=round(seconds / 60))
    return tr("{n} h", n=round(seconds / 3_600))


def underway(uploads: Sequence[Upload]) -> str:
    """Return in a few words what is on its way, and what failed; empty when nothing is and nothing did."""
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
        return f"{uploads[0].name} {int(uploads[0].share * 100)} %"
    percent = int(sum(upload.sent for upload in uploads) / sum(upload.size for upload in uploads) * 100)
    return trn("{n} upload {percent} %", "{n} uploads {percent} %", len(uploads), percent=percent)
