"""What can be filtered by on the calendar, by the names that people read."""

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.desktop.words import platform_name
from app.language import tr, trc
from app.workspace.posts.filter import PostFilter as Filter

__all__ = ["KIND_NAMES", "PLATFORM_NAMES", "STATUS_NAMES", "Filter"]

STATUS_NAMES = {
    PostStatus.SCHEDULED: tr("Scheduled"),
    PostStatus.QUEUED: tr("Queued"),
    PostStatus.PROCESSING: tr("Being published"),
    PostStatus.POSTED: tr("Published"),
    PostStatus.FAILED: tr("Failed"),
    PostStatus.CANCELLED: tr("Cancelled"),
}
KIND_NAMES = {
    PostType.TEXT: trc("a kind of post", "Text"),
    PostType.IMAGE: tr("Image"),
    PostType.VIDEO: tr("Video"),
}
PLATFORM_NAMES = {platform: platform_name(platform.value) for platform in PostingPlatform}
