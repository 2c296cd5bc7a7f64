"""One file as a preview needs it, whether it is stored or only attached."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize

from app.contract.enums import PostType
from app.desktop.media.cover_row import Choose
from app.desktop.media.wording import facts
from app.desktop.upload_words import standing
from app.workspace.media.library import MediaItem
from app.workspace.media.media import Media
from app.workspace.media.upload import Upload
from app.workspace.media.video import Video

Fetch = Callable[[], Awaitable[bytes | None]]


@dataclass(frozen=True, slots=True)
class Viewed:
    """What is shown of a file, and the ways to get more.

    Attributes:
        facts: A line next to the name.
        size: How many pixels it has; empty where that is not known.
        pictures: Give pictures of it, each better than the one before.
        video: Opens it, where it is a video.
        local: Where it is on this computer; None where it is not.
        cover_ms: The moment of a video's cover; None if none was chosen.
        choose_cover: Keeps another one; None where nobody can keep it.
    """

    name: str
    facts: str
    kind: PostType
    size: QSize
    pictures: tuple[Fetch, ...]
    video: Callable[[], Awaitable[Video]]
    local: Path | None
    cover_ms: int | None = None
    choose_cover: Choose | None = None


def stored(item: MediaItem, media: Media) -> Viewed:
    """A file that the service keeps."""
    file, pictures = item.file, media.pictures
    is_video = file.kind is PostType.VIDEO
    return Viewed(
        name=item.name,
        facts=facts(item),
        kind=file.kind,
        size=QSize(file.width or 0, file.height or 0),
        pictures=(lambda: pictures.of(file), *(() if is_video else (lambda: pictures.large(file),))),
        video=lambda: media.watching.of_stored(file),
        local=pictures.original(file),
        cover_ms=file.cover_ms,
        choose_cover=partial(media.library.choose_cover, item.path) if media.library.can_describe else None,
    )


def attached(upload: Upload, media: Media) -> Viewed:
    """A file of this computer that is on its way, or was."""
    pictures = media.pictures
    is_video = upload.post_type is PostType.VIDEO
    return Viewed(
        name=upload.name,
        facts=standing(upload),
        kind=upload.post_type,
        size=QSize(upload.facts.width or 0, upload.facts.height or 0),
        pictures=(
            lambda: pictures.of_local(upload),
            *(() if is_video else (lambda: pictures.large_of_local(upload),)),
        ),
        video=lambda: media.watching.of_local(upload),
        local=upload.path,
    )
