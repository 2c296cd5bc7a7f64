"""How uploads stand, in a person's words."""

from collections.abc import Sequence

from app.desktop.words import data_size
from app.language import tr, trn
from app.workspace.media.upload import Upload, UploadState


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
        return upload.reason or tr("{size} · waits for its turn", size=size)
    left = upload.seconds_left
    shown = f"{size} · {int(upload.share * 100)} %"
    if left is None or upload.share >= 1:
        return shown
    return tr("{progress} · {time} left", progress=shown, time=duration(left))


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
    told = []
    if len(running) == 1:
        told.append(f"{running[0].name} {int(running[0].share * 100)} %")
    elif running:
        share = sum(upload.sent for upload in running) / sum(upload.size for upload in running)
        percent = int(share * 100)
        told.append(trn("{n} upload {percent} %", "{n} uploads {percent} %", len(running), percent=percent))
    if failed:
        told.append(trn("{n} upload failed", "{n} uploads failed", failed))
    return ", ".join(told)
