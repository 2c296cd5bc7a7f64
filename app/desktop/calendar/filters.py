"""What can be filtered by on the calendar, by the names that people read."""

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.desktop.words import platform_name
from app.workspace.posts.filter import PostFilter as Filter

__all__ = ["KIND_NAMES", "PLATFORM_NAMES", "STATUS_NAMES", "Filter"]

STATUS_NAMES = {
    PostStatus.SCHEDULED: "Scheduled",
    PostStatus.QUEUED: "Queued",
    PostStatus.PROCESSING: "Being published",
    PostStatus.POSTED: "Published",
    PostStatus.FAILED: "Failed",
    PostStatus.CANCELLED: "Cancelled",
}
KIND_NAMES = {PostType.TEXT: "Text", PostType.IMAGE: "Image", PostType.VIDEO: "Video"}
PLATFORM_NAMES = {platform: platform_name(platform.value) for platform in PostingPlatform}
