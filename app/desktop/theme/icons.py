"""Icons and brand marks, rendered once from SVG in a colour of the theme."""

import re
from functools import cache, lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app import resources
from app.desktop.theme import theme
from app.platforms.cards import CARDS, brand_of

BRANDS = frozenset(CARDS)
"""Platforms with a mark of their own, named `brand:<platform>` wherever an icon name is expected."""

_STROKE = 'stroke-width="2"'
_THIN_STROKE = 'stroke-width="1.75"'
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_RATIOS = (1.0, 2.0, 4.0)
_LARGEST_SMALL = 32
"""Up to this many pixels the mark's small drawing is sharper."""


def pixmap(name: str, color: str = "text", size: int = 16, dpr: float = 1.0) -> QPixmap:
    """Return an icon as a square of `size` logical pixels.

    Args:
        name: a Lucide icon (`calendar-days`) or a brand mark (`brand:x`).
        color: a colour role of the theme (`text2`), or `#RRGGBB` as `Tokens.account` returns it.
        size: edge in logical pixels.
        dpr: device pixels for each logical pixel.

    Raises:
        KeyError: there is no such icon or colour role.
    """
    tint = color if color.startswith("#") else theme.current().tokens.role(color)
    return _render(name, tint, size, dpr)


def icon(name: str, color: str = "text", size: int = 16, disabled: str = "text3") -> QIcon:
    """Return an icon for buttons and menus, sharp on dense screens and in large text.

    `disabled` is its colour while disabled. Raises KeyError as `pixmap` does.
    """
    result = QIcon()
    for ratio in _RATIOS:
        result.addPixmap(pixmap(name, color, size, ratio), QIcon.Mode.Normal)
        result.addPixmap(pixmap(name, disabled, size, ratio), QIcon.Mode.Disabled)
    return result


@lru_cache(maxsize=16)
def app_mark(size: int, dpr: float = 1.0) -> QPixmap:
    """Return the app's mark, the same in both themes, in a square of `size` logical pixels."""
    drawing = "kalends-small" if size * dpr <= _LARGEST_SMALL else "kalends"
    return _draw(resources.path(f"icons/{drawing}.svg").read_text("utf-8"), size, dpr)


def app_icon() -> QIcon:
    """Return the app's mark in every bundled size."""
    result = QIcon()
    for size in (16, 32, 48, 64, 128, 256, 512):
        result.addFile(str(resources.path(f"icons/kalends-{size}.png")))
    return result


def platform_icon(platform: str) -> str:
    """Return the name of a platform's mark, or of a globe for one that is not known here."""
    return f"brand:{platform}" if platform in BRANDS else "globe"


@lru_cache(maxsize=1024)
def _render(name: str, tint: str, size: int, dpr: float) -> QPixmap:
    return _draw(_source(name).replace("currentColor", tint), size, dpr)


def _draw(svg: str, size: int, dpr: float) -> QPixmap:
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    edge = round(size * dpr)
    image = QImage(edge, edge, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, edge, edge))
    painter.end()
    image.setDevicePixelRatio(dpr)
    return QPixmap.fromImage(image)


@cache
def _source(name: str) -> str:
    """Return the SVG text of an icon, in `currentColor` throughout; raises KeyError for an unknown name."""
    platform = name.removeprefix("brand:")
    if not _NAME.fullmatch(platform):
        raise KeyError(name)
    if platform == name:
        return resources.path(f"icons/lucide/{name}.svg").read_text("utf-8").replace(_STROKE, _THIN_STROKE)
    if platform not in BRANDS:
        raise KeyError(name)
    svg = resources.path(f"icons/brands/{brand_of(platform).mark or platform}.svg").read_text("utf-8")
    return svg if "currentColor" in svg else svg.replace("<svg ", '<svg fill="currentColor" ', 1)
