"""How uploads stand, in a person's words."""

from collections.abc import Sequence

from app.desktop.words import counted, data_size
from app.workspace.media.upload import Upload, UploadState


def standing(upload: Upload) -> str:
    """Return how an upload stands, in words."""
    size = data_size(upload.size)
    if upload.is_done:
        return f"{size} · uploaded"
    if upload.is_failed:
        return upload.reason
    if upload.state is UploadState.PAUSED:
        return f"{size} · paused"
    if upload.state is UploadState.WAITING:
        return upload.reason or f"{size} · waits for its turn"
    left = upload.seconds_left
    shown = f"{size} · {int(upload.share * 100)} %"
    return f"{shown} · {duration(left)} left" if left is not None and upload.share < 1 else shown


def duration(seconds: float) -> str:
    """Return a time that is left, roughly."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5_400 else f"{round(seconds / 3_600)} h"


def underway(uploads: Sequence[Upload]) -> str:
    """Return in a few words what is on its way, and what failed; empty when nothing is and nothing did."""
    running = [upload for upload in uploads if upload.is_underway]
    failed = sum(upload.is_failed for upload in uploads)
    told = []
    if len(running) == 1:
        told.append(f"{running[0].name} {int(running[0].share * 100)} %")
    elif running:
        share = sum(upload.sent for upload in running) / sum(upload.size for upload in running)
        told.append(f"{counted(len(running), 'upload')} {int(share * 100)} %")
    if failed:
        told.append(f"{counted(failed, 'upload')} failed")
    return ", ".join(told)
