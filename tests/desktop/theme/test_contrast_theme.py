"""The high-contrast theme."""

import pytest

from app.desktop.theme.tokens import DARK, LIGHT, Tokens, contrast, high_contrast


@pytest.mark.parametrize("table", [LIGHT, DARK], ids=["light", "dark"])
def test_words_and_edges_reach_seven_to_one(table: Tokens) -> None:
    tokens = high_contrast(table)
    inks = ("text", "text2", "text3", "line", "accent", "rubric", "ok", "warn", "bad")
    for ground in ("bg", "surface", "sunken", "raised", "accent_soft", "bad_soft"):
        for ink in inks:
            assert contrast(tokens.role(ink), tokens.role(ground)) >= 7, (ink, ground)
    assert contrast(tokens.on_accent, tokens.accent) >= 7
