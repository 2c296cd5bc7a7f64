"""What lies over a card's text, a tint or a veil, leaves it readable."""

import pytest

from app.desktop.calendar.drag import _PALE
from app.desktop.calendar.paint import _CHOSEN
from app.desktop.theme.tokens import DARK, LIGHT, Tokens, contrast, mix

both = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])


@both
@pytest.mark.parametrize("ground", ["bg", "surface", "raised"])
def test_quiet_text_of_a_selected_post_is_readable(tokens: Tokens, ground: str) -> None:
    ink, below = tokens.text3, tokens.role(ground)
    assert contrast(mix(ink, tokens.accent, _CHOSEN.tint), mix(below, tokens.accent, _CHOSEN.tint)) >= 4.5


@both
@pytest.mark.parametrize("role", ["text", "text2"])
def test_text_of_a_card_that_cannot_land_is_readable(tokens: Tokens, role: str) -> None:
    ground = mix(tokens.raised, tokens.surface, _PALE)
    assert contrast(mix(tokens.role(role), tokens.surface, _PALE), ground) >= 4.5
