from typing import get_args

import pytest
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF

from app import resources
from app.desktop.theme import fonts

ROLES = get_args(fonts.Role)


def test_the_bundled_families_are_loaded_once() -> None:
    assert {"Inter", "JetBrains Mono"} <= set(fonts.load())
    assert fonts.load() is fonts.load()


def test_no_font_of_the_window_is_compressed() -> None:
    """Unpacking five of them took 16 ms of the start."""
    files = list(resources.path("fonts/Twemoji.ttf").parent.glob("*.ttf"))
    assert len(files) == 5
    assert {path.read_bytes()[:4] for path in files} == {b"\x00\x01\x00\x00"}


@pytest.mark.parametrize("role", ROLES)
def test_every_role_is_set_in_a_bundled_face(role: fonts.Role) -> None:
    family = QFontInfo(fonts.font(role)).family()
    assert family == ("JetBrains Mono" if role == "mono" else "Inter")


@pytest.mark.parametrize(
    ("role", "pixels"), [("text", 13), ("card", 12), ("small", 11), ("title", 20), ("section", 15)]
)
def test_sizes_and_text_scale(role: fonts.Role, pixels: int) -> None:
    assert fonts.font(role).pixelSize() == pixels
    assert fonts.font(role, 2.0).pixelSize() == pixels * 2


def test_monospace_is_as_wide_as_at_eleven_and_a_half_pixels() -> None:
    advance = QFontMetricsF(fonts.font("mono")).horizontalAdvance("0" * 100) / 100
    assert advance == pytest.approx(0.6 * 11.5, abs=0.05)


PROSE = ("text", "strong", "card", "small", "title", "section", "heading", "hero")


@pytest.mark.parametrize("role", [role for role in ROLES if role not in (*PROSE, "emoji")])
def test_figures_that_may_change_are_tabular(role: fonts.Role) -> None:
    metrics = QFontMetricsF(fonts.font(role))
    assert {metrics.horizontalAdvance(digit * 8) for digit in "0123456789"} == {
        metrics.horizontalAdvance("0" * 8)
    }


@pytest.mark.parametrize("role", PROSE)
def test_in_prose_a_hyphen_keeps_close_to_its_words(role: fonts.Role) -> None:
    metrics = QFontMetricsF(fonts.font(role))
    assert metrics.horizontalAdvance("-") < metrics.horizontalAdvance("0")


def test_weights_are_real_faces() -> None:
    widths = [
        QFontMetricsF(fonts.font("text", weight=weight)).horizontalAdvance("Hamburgefonstiv")
        for weight in (QFont.Weight.Normal, QFont.Weight.Medium, QFont.Weight.DemiBold)
    ]
    assert widths == sorted(set(widths))


@pytest.mark.parametrize(("role", "weight"), [("mono", QFont.Weight.Bold), ("text", QFont.Weight.Black)])
def test_a_weight_that_is_not_bundled_is_refused(role: fonts.Role, weight: QFont.Weight) -> None:
    with pytest.raises(ValueError, match="not bundled"):
        fonts.font(role, weight=weight)


def test_an_unknown_role_is_refused() -> None:
    with pytest.raises(KeyError):
        fonts.font("huge")  # type: ignore[arg-type]
