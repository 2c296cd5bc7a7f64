"""The bundled fonts, and the roles they are used in."""

from functools import cache
from typing import Literal

from PySide6.QtGui import QFont, QFontDatabase

from app import resources

Role = Literal[
    "text",
    "strong",
    "card",
    "small",
    "title",
    "section",
    "heading",
    "hero",
    "mono",
    "number",
    "clock",
    "figures",
    "emoji",
]

_FILES = (
    "Inter-Regular.ttf",
    "Inter-Medium.ttf",
    "Inter-SemiBold.ttf",
    "JetBrainsMono-Regular.ttf",
)
"""Not compressed: Qt unpacks a .woff2 when it is registered and again when it is used, for 3 ms each."""
_EMOJI = "Twemoji.ttf"
_REGULAR, _MEDIUM, _SEMIBOLD = QFont.Weight.Normal, QFont.Weight.Medium, QFont.Weight.DemiBold

_WEIGHTS = {"Inter": (_REGULAR, _MEDIUM, _SEMIBOLD), "JetBrains Mono": (_REGULAR,)}
"""Of others Qt shows the nearest: of bold in the fixed-width face, nothing."""

# role -> (family, pixel size, weight, tracking in percent of the normal advance).
# Qt draws whole pixel sizes only: the 11.5 px of mono are 12 px set as tightly.
_ROLES: dict[str, tuple[str, int, QFont.Weight, float]] = {
    "text": ("Inter", 13, _REGULAR, 100),
    "strong": ("Inter", 13, _SEMIBOLD, 100),
    "card": ("Inter", 12, _REGULAR, 100),
    "small": ("Inter", 11, _REGULAR, 100),
    "title": ("Inter", 20, _SEMIBOLD, 98),
    "section": ("Inter", 15, _SEMIBOLD, 99),
    "heading": ("Inter", 14, _SEMIBOLD, 99),
    "hero": ("Inter", 30, _SEMIBOLD, 97),
    "mono": ("JetBrains Mono", 12, _REGULAR, 96),
    "number": ("Inter", 13, _REGULAR, 100),
    "clock": ("Inter", 12, _REGULAR, 100),
    "figures": ("Inter", 11, _REGULAR, 100),
    "emoji": ("Inter", 22, _REGULAR, 100),
}
_SINGLE_STOREY_A, _TABULAR_FIGURES = "cv11", "tnum"
_TABULAR = ("number", "clock", "figures")
"""Roles for times and numbers in columns. In words, tabular figures would widen the space around hyphens."""


@cache
def load() -> tuple[str, ...]:
    """Register the bundled fonts once and return their families; needs a running QGuiApplication.

    Emoji always use the bundled font, because some systems lack them. Raises RuntimeError if a file can't be
    read as a font.
    """
    families = [family for name in _FILES for family in _register(name)]
    emoji = _register(_EMOJI)
    QFontDatabase.setApplicationEmojiFontFamilies(emoji)
    return tuple(dict.fromkeys([*families, *emoji]))


def _register(name: str) -> list[str]:
    number = QFontDatabase.addApplicationFont(str(resources.path(f"fonts/{name}")))
    if number < 0:
        raise RuntimeError(f"The bundled font {name} cannot be read. Install Kalends again.")
    return QFontDatabase.applicationFontFamilies(number)


def font(role: Role, scale: float = 1.0, weight: QFont.Weight | None = None) -> QFont:
    """Return the font of a role at a text scale (1.0 is 100 %), optionally in another weight.

    Inter has the single-storey a and, in the roles for numbers, tabular figures, so that they don't move when
    they change. Raises KeyError for an unknown role, ValueError for a weight that is not bundled.
    """
    return QFont(_made(role, scale, weight))  # a copy is the caller's to change, and shares all until then


@cache
def _made(role: Role, scale: float, weight: QFont.Weight | None) -> QFont:
    family, size, own_weight, tracking = _ROLES[role]
    if weight is not None and weight not in _WEIGHTS[family]:
        raise ValueError(f"{family} is not bundled in the weight {weight.name}")
    result = QFont(family)
    result.setPixelSize(max(1, round(size * scale)))
    result.setWeight(weight or own_weight)
    result.setLetterSpacing(QFont.SpacingType.PercentageSpacing, tracking)
    if family == "Inter":
        result.setFeature(QFont.Tag(_SINGLE_STOREY_A), 1)
        if role in _TABULAR:
            result.setFeature(QFont.Tag(_TABULAR_FIGURES), 1)
    return result
