"""What X charges for a post, with links found as X finds them."""

import pytest

from app.platforms.by_hand import BY_HAND_KEYS
from app.platforms.cards import CARDS
from app.platforms.rules.prices import PRICES, price_of


@pytest.mark.parametrize(
    ("text", "mills"),
    [
        ("Orders open at nine.", 15),
        ("", 15),
        ("https://wool.example is not a real ending", 15),
        ("https://okafor.studio/coat", 200),
        ("Find it on okafor.studio", 200),
        ("Find it on OKAFOR.STUDIO.", 200),
        ("Write to maya@okafor.studio", 15),
        ("Two: okafor.studio and x.com", 200),
    ],
)
def test_a_link_makes_a_post_dearer_also_a_bare_domain(text: str, mills: int) -> None:
    price = price_of("x", text)
    assert price is not None
    assert price.mills == mills
    assert price.has_link is (mills == 200)


def test_only_the_api_of_x_charges() -> None:
    assert {key for key in CARDS if price_of(key, "https://okafor.studio")} == {"x"}
    assert not BY_HAND_KEYS & set(PRICES)
