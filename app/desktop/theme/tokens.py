"""The one table of colours, for the light and the dark theme, with the arithmetic on it; lengths and delays.

Colours are strings that `QColor` and style sheets both read: `#RRGGBB`, or `#AARRGGBB` where translucent.
This module imports no Qt, so that the table can be checked and reused without a window.
"""

from dataclasses import dataclass, fields, replace
from typing import Self

from app.platforms.cards import brand_of

ACCOUNT_COLORS = (
    "#D6572B",
    "#2B7FD1",
    "#0E8F73",
    "#C8102E",
    "#B0379A",
    "#7A5AF0",
    "#4267B2",
    "#6B6760",
    "#8A6A1F",
    "#2F8A9E",
    "#5B7F2B",
    "#9A5B3C",
)
"""Marks that tell accounts apart, in the order in which accounts take them."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Every colour that a theme gives a name.

    `x_soft` is the quiet fill below text of colour `x`; `on_x` is the colour of text on a fill of colour `x`.
    `scrim` and `shadow` are translucent. `data1` to `data3` are amounts: from nearly the ground to nearly
    `text2`, which with `text` goes on.
    """

    dark: bool
    bg: str
    surface: str
    sunken: str
    raised: str
    line: str
    line2: str
    line_strong: str
    data1: str
    data2: str
    data3: str
    text: str
    text2: str
    text3: str
    accent: str
    accent_hover: str
    accent_soft: str
    on_accent: str
    rubric: str
    on_rubric: str
    ok: str
    ok_soft: str
    warn: str
    warn_soft: str
    warn_line: str
    bad: str
    bad_soft: str
    bad_line: str
    tooltip: str
    on_tooltip: str
    scrim: str
    shadow: str
    brand_ink: str
    on_brand_ink: str
    on_mark: str = "#FFFFFF"

    def account(self, index: int) -> str:
        """Return the colour of bars and glyphs of an account by its index, which wraps around."""
        color = account_color(index)
        return mix(color, "#FFFFFF", 0.32) if self.dark else color

    def account_fill(self, index: int) -> str:
        """Return the fill behind the initials of that account; `on_mark` is readable on it in both themes."""
        return mix(account_color(index), "#000000", 0.14)

    def brand(self, platform: str) -> tuple[str, str]:
        """Return (fill, glyph) of a platform's badge; a platform without an own colour gets ink.

        Brands that are black turn light on dark grounds, where black would vanish.
        """
        fill = brand_of(platform).color
        return (fill, self.on_mark) if fill else (self.brand_ink, self.on_brand_ink)

    def role(self, name: str) -> str:
        """Return the colour called `name`; raises KeyError for an unknown name."""
        if name not in ROLES:
            raise KeyError(name)
        return str(getattr(self, name))


ROLES = frozenset(field.name for field in fields(Tokens)) - {"dark"}

LIGHT = Tokens(
    dark=False,
    bg="#F7F6F3",
    surface="#FFFFFF",
    sunken="#F1EFEB",
    raised="#FFFFFF",
    line="#E5E2DC",
    line2="#EFEDE8",
    line_strong="#8A8781",
    data1="#DCD8D0",
    data2="#B9B4AA",
    data3="#8B867C",
    text="#1E1D1A",
    text2="#55524C",
    text3="#6D6962",
    accent="#2B5CC4",
    accent_hover="#2450AE",
    accent_soft="#E8EEFB",
    on_accent="#FFFFFF",
    rubric="#C23A1C",
    on_rubric="#FFFFFF",
    ok="#1C7548",
    ok_soft="#E5F3EB",
    warn="#8F5B00",
    warn_soft="#FBF1DC",
    warn_line="#D5BD8F",
    bad="#B3261E",
    bad_soft="#FBE9E7",
    bad_line="#DD9D9A",
    tooltip="#1E1D1A",
    on_tooltip="#F7F6F3",
    scrim="#6B141310",
    shadow="#2E1E1D1A",
    brand_ink="#1E1D1A",
    on_brand_ink="#FFFFFF",
)

DARK = Tokens(
    dark=True,
    bg="#151517",
    surface="#1C1C1F",
    sunken="#111113",
    raised="#222226",
    line="#2F2F34",
    line2="#26262A",
    line_strong="#75736F",
    data1="#38383D",
    data2="#56565B",
    data3="#828288",
    text="#ECEAE6",
    text2="#B5B2AB",
    text3="#98958E",
    accent="#86A9F8",
    accent_hover="#9DB9FA",
    accent_soft="#222C45",
    on_accent="#10131C",
    rubric="#FF7F61",
    on_rubric="#151517",
    ok="#6CCB98",
    ok_soft="#1A2B22",
    warn="#E3B35A",
    warn_soft="#2E2615",
    warn_line="#6D562C",
    bad="#FF8F85",
    bad_soft="#361D1B",
    bad_line="#85504A",
    tooltip="#ECEAE6",
    on_tooltip="#151517",
    scrim="#9E000000",
    shadow="#8C000000",
    brand_ink="#ECEAE6",
    on_brand_ink="#151517",
)


_CONTRAST = {
    False: ("#FFFFFF", "#000000", "#0B3B91", "#0B5A33", "#6B4300", "#8F1510", "#9C2408"),
    True: ("#000000", "#FFFFFF", "#9CC4FF", "#7FE0AE", "#F0C878", "#FFB3AC", "#FFA48C"),
}
"""Ground, ink, accent, ok, warn, bad and rubric, by whether the theme is dark."""


def high_contrast(tokens: Tokens) -> Tokens:
    """Return a light or dark table with 7:1 for all words, and edges as strong as text.

    Soft fills become the ground, so lines and words make the difference.
    """
    ground, ink, accent, ok, warn, bad, rubric = _CONTRAST[tokens.dark]
    return replace(
        tokens,
        bg=ground,
        surface=ground,
        sunken=ground,
        raised=ground,
        line=ink,
        line2=ink,
        line_strong=ink,
        data1=mix(ground, ink, 0.2),
        data2=mix(ground, ink, 0.4),
        data3=mix(ground, ink, 0.6),
        text=ink,
        text2=ink,
        text3=ink,
        accent=accent,
        accent_hover=accent,
        accent_soft=ground,
        on_accent=ground,
        rubric=rubric,
        on_rubric=ground,
        ok=ok,
        ok_soft=ground,
        warn=warn,
        warn_soft=ground,
        warn_line=warn,
        bad=bad,
        bad_soft=ground,
        bad_line=bad,
        tooltip=ink,
        on_tooltip=ground,
        brand_ink=ink,
        on_brand_ink=ground,
    )


def account_color(index: int) -> str:
    """Return the account colour with that index, which wraps around, before any theme."""
    return ACCOUNT_COLORS[index % len(ACCOUNT_COLORS)]


def mix(color: str, other: str, share: float) -> str:
    """Return `color` with `share` (0 to 1) of `other` in it; both `#RRGGBB`."""
    pairs = zip(channels(color), channels(other), strict=True)
    return "#" + "".join(f"{round(a * (1 - share) + b * share):02X}" for a, b in pairs)


def contrast(color: str, ground: str) -> float:
    """Return the WCAG 2 contrast ratio (1 to 21) of two opaque colours."""
    lighter, darker = sorted((_luminance(color), _luminance(ground)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def channels(color: str) -> tuple[int, int, int]:
    """Return red, green and blue (0 to 255) of an opaque colour."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _luminance(color: str) -> float:
    red, green, blue = (_linear(value / 255) for value in channels(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return float(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4)


@dataclass(frozen=True)
class Metrics:
    """Lengths in logical pixels on the 4 px grid, and times in milliseconds."""

    control: int = 32
    control_small: int = 28
    chip: int = 26
    line: int = 18
    """From one line of text to the next."""
    radius: int = 7
    radius_card: int = 5
    radius_panel: int = 10
    ring: int = 2
    icon: int = 16
    rail: int = 208
    composer: int = 440
    gutter: int = 20
    gap: int = 12
    skeleton_delay: int = 150

    @classmethod
    def at(cls, scale: float) -> Self:
        """Return the measures for a text scale: controls and icons grow with text."""
        return cls(
            control=max(cls.control, round(16 * scale) + 12),
            control_small=max(cls.control_small, round(15 * scale) + 10),
            chip=max(cls.chip, round(15 * scale) + 8),
            icon=max(cls.icon, round(cls.icon * scale)),
            line=max(cls.line, round(cls.line * scale)),
        )
