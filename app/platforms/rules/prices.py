"""What platforms charge the app's owner for a post through their API, in thousandths of a US dollar.

Change ``as_of`` with every price. Posts that users publish by hand cost nothing.
"""

from datetime import date
from typing import Final, NamedTuple


class Prices(NamedTuple):
    """A platform's prices for a post without and with a link; a bare domain such as ``wool.example`` counts.

    Attributes:
        source: Where the prices are documented.
        as_of: When they came into effect.
        post: Without a link.
        post_with_link: With at least one.
    """

    source: str
    as_of: date
    post: int
    post_with_link: int


class Price(NamedTuple):
    """The price of one post in thousandths of a US dollar, and the reason for it."""

    mills: int
    has_link: bool


PRICES: Final = {
    "x": Prices(
        source="docs.x.com/x-api/getting-started/pricing",
        as_of=date(2026, 4, 20),
        post=15,
        post_with_link=200,
    ),
}
"""By the key of the platform's card."""


def price_of(platform: str, text: str) -> Price | None:
    """Return what a platform charges for a post with a text; None if it charges nothing."""
    prices = PRICES.get(platform)
    if prices is None:
        return None
    from app.platforms.x.text import has_link  # its patterns take 10 ms to compile

    is_dear = has_link(text)
    return Price(prices.post_with_link if is_dear else prices.post, is_dear)
