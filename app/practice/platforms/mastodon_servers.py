"""The servers of the stand-in for Mastodon: the limits and features of their software."""

from dataclasses import dataclass
from typing import Any, Self

from fastapi import Request

_NARROW = frozenset({"read:accounts", "read:statuses", "write:media", "write:statuses"})
_BROAD = frozenset({"read", "write"})


@dataclass(frozen=True)
class Server:
    """A server.

    Attributes:
        version: Its version string.
        text_max: Maximum length of a text.
        link_length: Length that a link counts as.
        keeps_keys: Whether it recognises a repeated ``Idempotency-Key``.
        has_source: Whether it returns the source text of a status.
        has_version_2: Whether it has ``/api/v2/instance``.
        scopes: Scopes that apps can request.
    """

    version: str = "4.5.2"
    text_max: int = 500
    link_length: int = 23
    keeps_keys: bool = True
    has_source: bool = True
    has_version_2: bool = True
    scopes: frozenset[str] = _NARROW | _BROAD

    @classmethod
    def of(cls, request: Request) -> Self:
        """Return the server of a call. The first part of its name determines the software."""
        match request.path_params["server"].partition(".")[0]:
            case "pixelfed":
                return cls(
                    "3.5.3 (compatible; Pixelfed 0.12.4)", keeps_keys=False, has_source=False, scopes=_BROAD
                )
            case "gotosocial":
                return cls("0.19.1+git-5b2c1a7", text_max=5_000, keeps_keys=False)
            case "akkoma":
                return cls("2.7.2 (compatible; Akkoma 3.15.2)", text_max=5_000, has_version_2=False)
        return cls()

    def knows_scopes(self, asked: str) -> bool:
        """Whether apps may request these scopes."""
        return set(asked.split()) <= self.scopes

    def document(self) -> dict[str, Any]:
        """Return the response of ``instance``."""
        statuses = {
            "max_characters": self.text_max,
            "max_media_attachments": 4,
            "characters_reserved_per_url": self.link_length,
        }
        files = {
            "description_limit": 1_500,
            "supported_mime_types": [
                "image/jpeg",
                "image/png",
                "image/gif",
                "image/webp",
                "video/webm",
                "video/mp4",
                "video/quicktime",
                "audio/mpeg",
            ],
            "image_size_limit": 16_777_216,
            "image_matrix_limit": 33_177_600,
            "video_size_limit": 103_809_024,
            "video_frame_rate_limit": 120,
            "video_matrix_limit": 8_294_400,
        }
        configuration = {"statuses": statuses, "media_attachments": files}
        return {"title": "Practice", "version": self.version, "configuration": configuration}
