"""The service's advice after failed attempts, in the app's language."""

import re
from collections import deque
from functools import cache, lru_cache
from typing import Final

from app.language import current, tr
from app.workspace.foreign_texts import KnownSentences

_STARTS: Final = re.compile(r"(?:^|(?<=[.!?…] ))")
"""Where a sentence may begin."""

_SENTENCES_MAX: Final = 5
"""Number of sentences at the end that are compared; no advice has more. The service may send any text."""


def in_own_words(said: str) -> str:
    """Return a text of the service with its advice in the app's language.

    Advice is at the end, after the platform's own words, which stay as they are.
    """
    return said if current() == "en" else _in_words(said, current())


@lru_cache(maxsize=512)
def _in_words(said: str, _language: str) -> str:
    from app.platforms import advice

    is_refused_ahead = said.endswith(advice.REFUSED_AHEAD)
    text = said.removesuffix(advice.REFUSED_AHEAD).rstrip() if is_refused_ahead else said
    for start in deque((found.end() for found in _STARTS.finditer(text)), _SENTENCES_MAX):
        if advice_found := _known().say(text[start:]):
            text = text[:start] + advice_found
            break
    return f"{text} {tr(advice.REFUSED_AHEAD)}".lstrip() if is_refused_ahead else text


@cache
def _known() -> KnownSentences:
    # Imported on demand: the calendar's first picture is painted before the platforms' modules are loaded.
    from app.platforms import advice

    texts = (
        *advice.KINDS.values(),
        *advice.CAUSES.values(),
        advice.SIGN_IN_AHEAD,
        advice.PASSING_AHEAD,
        advice.EXHAUSTED,
        advice.MAY_BE_LIVE,
        advice.COPIED,
        advice.ABSENT,
        advice.PUBLISHED_BY_ANOTHER,
        advice.MISSED,
        advice.NOT_RECONNECTED,
        advice.RESTORED,
        advice.NOT_FINISHED,
        advice.NOT_HANDED_OVER,
        advice.IN_INBOX,
        advice.LEFT_IN_INBOX,
        advice.HANDED_OVER,
        advice.INTERRUPTED,
        advice.SENT_BEFORE_RESTORE,
        advice.DELETED,
    )
    return KnownSentences(
        [text for text in texts if "{" not in text], [text for text in texts if "{" in text]
    )
