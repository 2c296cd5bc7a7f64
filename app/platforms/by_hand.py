"""Accounts that Kalends can't access: at a post's time, the user publishes it in the platform's own composer.

They need no app, no consent and no tokens. Each has a card like the platform's, under a key of its own, so
its posts are in the same queue and calendar, and never in ``/api/v1``.
"""

from typing import Final

from app.contract.enums import PostType
from app.platforms.card import Access, Card, FileRules, PlatformRules, SignIn
from app.platforms.facebook.card import FACEBOOK
from app.platforms.instagram.card import INSTAGRAM
from app.platforms.linkedin.card import LINKEDIN
from app.platforms.pinterest.card import PINTEREST
from app.platforms.threads.card import THREADS
from app.platforms.tiktok.card import TIKTOK
from app.platforms.x.card import X
from app.platforms.youtube.card import YOUTUBE

SUFFIX: Final = "-by-hand"
"""Ends the keys of these cards."""

_THREADS: Final = THREADS._replace(
    posts=PlatformRules(
        source="developers.facebook.com/docs/threads/posts",
        text_max=500,
        post_types=frozenset({PostType.TEXT, PostType.IMAGE, PostType.VIDEO}),
    ),
    files={
        PostType.IMAGE: FileRules(source="developers.facebook.com/docs/threads/posts", bytes_max=8_000_000),
        PostType.VIDEO: FileRules(
            source="developers.facebook.com/docs/threads/posts",
            bytes_max=1_000_000_000,
            duration_ms=(0, 300_000),
        ),
    },
)
_COMPOSERS: Final = (
    (LINKEDIN, "https://www.linkedin.com/feed/?shareActive=true&text={}"),
    (TIKTOK, "https://www.tiktok.com/tiktokstudio/upload"),
    (PINTEREST, "https://www.pinterest.com/pin-creation-tool/"),
    (INSTAGRAM, "https://www.instagram.com/"),
    (YOUTUBE, "https://studio.youtube.com/"),
    (X, "https://x.com/intent/post?text={}"),
    (FACEBOOK, "https://www.facebook.com/"),
    (_THREADS, "https://www.threads.com/intent/post?text={}"),
)


def _by_hand(card: Card, composer: str) -> Card:
    posts = card.posts
    if posts is not None:  # boards are chosen, and limits of the API don't count, in the platform's composer
        posts = posts._replace(publishable=posts.post_types, board_needed=False, takes_cover=False)
    return card._replace(
        key=card.key + SUFFIX,
        name=f"{card.name} (by hand)",
        access=Access.HOURS,  # never ends
        sign_in=SignIn.BY_HAND,
        posts=posts,
        files={kind: rules._replace(pulled=False) for kind, rules in card.files.items()},
        daily_cap=None,
        inbox=None,
        pace=None,
        pages=card.pages._replace(compose=composer),
        brand=card.brand._replace(mark=card.key, account_color=None),
        other_names=(),
    )


BY_HAND: Final = tuple(_by_hand(card, composer) for card, composer in _COMPOSERS)
"""The seven platforms and Threads, without access."""

BY_HAND_KEYS: Final = frozenset(card.key for card in BY_HAND)
