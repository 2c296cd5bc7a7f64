"""Assets of the pages: the style sheet, and the desktop app's fonts and icons."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from app.contract.enums import ConnectionPlatform
from app.service.integrations.refusals import nothing_here

_STATIC = Path(__file__).parent / "static"
_CACHED: Final = MappingProxyType({"Cache-Control": "private, max-age=86400"})
_FILES: Final[Mapping[str, tuple[str | Path, str]]] = MappingProxyType(
    {
        "style.css": (_STATIC / "style.css", "text/css; charset=utf-8"),
        "mark.svg": ("icons/kalends.svg", "image/svg+xml"),
        "inter-regular.woff2": ("fonts/Inter-Regular.woff2", "font/woff2"),
        "inter-semibold.woff2": ("fonts/Inter-SemiBold.woff2", "font/woff2"),
        "mono.woff2": ("fonts/JetBrainsMono-Regular.woff2", "font/woff2"),
        **{
            f"brand-{platform.value}.svg": (f"icons/brands/{platform.value}.svg", "image/svg+xml")
            for platform in ConnectionPlatform
        },
    }
)


async def get_asset(request: Request) -> Response:
    """Return a file by name. Fonts and icons may be missing in some packages."""
    content = _read(request.path_params["name"])
    if content is None:
        raise nothing_here()
    body, media_type = content
    return Response(body, headers=_CACHED, media_type=media_type)


@cache
def style_version() -> str:
    """Return a version that changes with the style sheet, to bypass browser caches."""
    return hashlib.sha256((_STATIC / "style.css").read_bytes()).hexdigest()[:8]


@cache
def _read(name: str) -> tuple[bytes, str] | None:
    if name not in _FILES:
        return None
    place, media_type = _FILES[name]
    file = _resource(place) if isinstance(place, str) else place
    return (file.read_bytes(), media_type) if file.is_file() else None


def _resource(relative: str) -> Path:
    """Return a resource's path: inside the package in a wheel, next to it in a checkout."""
    package = Path(str(files("app")))
    inside = package / "_resources" / relative
    return inside if inside.is_file() else package.parent / "resources" / relative
