from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.theme.icons import BRANDS
from app.desktop.theme.stylesheet import stylesheet
from app.desktop.theme.tokens import (
    ACCOUNT_COLORS,
    DARK,
    LIGHT,
    ROLES,
    Metrics,
    Tokens,
    account_color,
    channels,
    contrast,
    mix,
)

both = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
colors = st.tuples(*[st.integers(0, 255)] * 3).map(lambda rgb: "#{:02X}{:02X}{:02X}".format(*rgb))


@both
@pytest.mark.parametrize("role", ["text", "text2", "text3", "accent", "rubric", "ok", "warn", "bad"])
@pytest.mark.parametrize("ground", ["surface", "bg", "sunken", "raised"])
def test_text_is_readable(tokens: Tokens, role: str, ground: str) -> None:
    assert contrast(tokens.role(role), tokens.role(ground)) >= 4.5


@both
@pytest.mark.parametrize("ground", ["surface", "bg", "sunken", "raised"])
def test_edges_of_inputs_and_scroll_handles_stand_out(tokens: Tokens, ground: str) -> None:
    assert contrast(tokens.line_strong, tokens.role(ground)) >= 3
    inputs, handles = _rules(tokens, "QLineEdit, "), _rules(tokens, "QScrollBar::handle {")
    assert f"border: 1px solid {tokens.line_strong}" in inputs
    assert f"background: {tokens.line_strong}" in handles


def _rules(tokens: Tokens, selector: str) -> str:
    """The first block of the style sheet whose selector begins so."""
    sheet = stylesheet(tokens, Metrics())
    return sheet[sheet.index(selector) :].split("}")[0]


@both
@pytest.mark.parametrize(
    ("role", "fill"),
    [
        ("on_accent", "accent"),
        ("on_accent", "accent_hover"),
        ("on_rubric", "rubric"),
        ("on_tooltip", "tooltip"),
        ("on_brand_ink", "brand_ink"),
        ("accent", "accent_soft"),
        ("ok", "ok_soft"),
        ("warn", "warn_soft"),
        ("bad", "bad_soft"),
        ("text", "accent_soft"),
        ("text", "bad_soft"),
        ("text", "warn_soft"),
    ],
)
def test_text_on_fills_is_readable(tokens: Tokens, role: str, fill: str) -> None:
    assert contrast(tokens.role(role), tokens.role(fill)) >= 4.5


@both
@pytest.mark.parametrize("index", range(len(ACCOUNT_COLORS)))
def test_account_marks_stand_out_and_initials_are_readable(tokens: Tokens, index: int) -> None:
    assert contrast(tokens.account(index), tokens.surface) >= 3
    assert contrast(tokens.on_mark, tokens.account_fill(index)) >= 4.5


def test_dark_theme_lightens_account_colors_by_the_rule() -> None:
    base = channels(account_color(0))
    expected = tuple(round(value * 0.68 + 255 * 0.32) for value in base)
    assert channels(DARK.account(0)) == expected
    assert LIGHT.account(0) == account_color(0)
    assert LIGHT.account_fill(0) == DARK.account_fill(0) == "#B84B25"


@given(st.integers(-1000, 1000))
def test_account_colors_wrap_around(index: int) -> None:
    assert account_color(index) == account_color(index + len(ACCOUNT_COLORS))


def test_account_colors_differ() -> None:
    assert len(set(ACCOUNT_COLORS)) == len(ACCOUNT_COLORS) >= 8


@both
@pytest.mark.parametrize("platform", [*sorted(BRANDS), "peertube"])
def test_platform_badges_are_readable(tokens: Tokens, platform: str) -> None:
    fill, glyph = tokens.brand(platform)
    assert contrast(fill, glyph) >= 4.5


@both
def test_amounts_go_from_the_ground_to_ink_and_a_bar_stands_out(tokens: Tokens) -> None:
    shades = [tokens.data1, tokens.data2, tokens.data3, tokens.text2, tokens.text]
    seen = [contrast(shade, tokens.surface) for shade in shades]
    assert seen == sorted(seen)
    assert min(further / nearer for nearer, further in pairwise(seen)) > 1.3
    assert contrast(tokens.data3, tokens.surface) > 3


@both
def test_every_role_is_a_color_and_nothing_else_is(tokens: Tokens) -> None:
    for role in ROLES:
        value = tokens.role(role)
        assert value[0] == "#"
        assert len(value) == (9 if role in {"scrim", "shadow"} else 7)
    for unknown in ("dark", "account", "text4"):
        with pytest.raises(KeyError):
            tokens.role(unknown)


@given(colors, colors, st.floats(0, 1))
def test_mix_lies_between(color: str, other: str, share: float) -> None:
    mixed = channels(mix(color, other, share))
    for value, a, b in zip(mixed, channels(color), channels(other), strict=True):
        assert min(a, b) <= value <= max(a, b)
    assert mix(color, other, 0) == color
    assert mix(color, other, 1) == other


@given(colors, colors)
def test_contrast_is_symmetric_and_bounded(color: str, ground: str) -> None:
    assert contrast(color, ground) == contrast(ground, color)
    assert 1 <= contrast(color, ground) <= 21.01


def test_contrast_of_black_on_white() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
