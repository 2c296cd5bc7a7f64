"""The service's advice after failed attempts, in the app's language."""

import re
from collections import deque
from functools import cache, lru_cache
from typing import Final, NamedTuple

from app.contract.enums import PostStatus
from app.language import current, tr
from app.platforms.cards import own_name
from app.workspace.foreign_texts import KnownSentences
from app.workspace.posts.planned import PlannedPost

_STARTS: Final = re.compile(r"(?:^|(?<=[.!?…] ))")
"""Where a sentence may begin."""

_SENTENCES_MAX: Final = 5
"""Number of sentences at the end that are compared; no advice has more. The service may send any text."""

UNTOLD: Final = tr("The service didn't say why.")
"""The reason of a failure if the service has none."""


def in_own_words(said: str) -> str:
    """Return a text of the service with its advice in the app's language.

    Advice is at the end, after the platform's own words, which stay as they are.
    """
    return said if current() == "en" else _in_words(said, current())


def reason_of(post: PlannedPost) -> str:
    """Return why a post failed and what helps, or what else is known of it, in the app's language.

    The platform's own words are left out if there is advice, and otherwise follow a sentence of ours.
    """
    if not _has_failed(post) or post.reason == UNTOLD:
        return in_own_words(post.reason)
    found = _find(post.reason, current())
    return found.text if found is not None else f"{_refused(post)} {post.reason}"


def brief_reason_of(post: PlannedPost) -> str:
    """Return the same in a few words, for a card."""
    if not _has_failed(post) or post.reason == UNTOLD:
        return in_own_words(post.reason)
    found = _find(post.reason, current())
    return (found.brief or found.text) if found is not None else _refused(post)


def _has_failed(post: PlannedPost) -> bool:
    return post.status is PostStatus.FAILED and not post.may_be_live and bool(post.reason)


def _refused(post: PlannedPost) -> str:
    return tr("{platform} refused this post.", platform=own_name(post.platform))


class _Found(NamedTuple):
    """Advice in a text of the service, in the app's language.

    Attributes:
        before: What precedes it, the platform's own words.
        brief: The advice in a few words; "" if it has none.
    """

    before: str
    text: str
    brief: str


def _in_words(said: str, language: str) -> str:
    found = _find(said, language)
    return found.before + found.text if found is not None else said


@lru_cache(maxsize=512)
def _find(said: str, _language: str) -> _Found | None:
    """Return the advice in a text of the service, or None."""
    from app.platforms import advice

    if not said.endswith(advice.REFUSED_AHEAD):
        return _find_at_end(said)
    text = said.removesuffix(advice.REFUSED_AHEAD).rstrip()
    found = _find_at_end(text) or _Found(f"{text} ".lstrip(), "", "")
    return found._replace(text=f"{found.text} {tr(advice.REFUSED_AHEAD)}".lstrip())


def _find_at_end(said: str) -> _Found | None:
    from app.platforms import advice

    starts = deque((one.end() for one in _STARTS.finditer(said)), _SENTENCES_MAX)
    for start in reversed(starts):  # from an earlier one, what precedes the advice would be a value in it
        if (known := _known().find(said[start:])) is not None:
            sentence, values = known
            brief = advice.BRIEF.get(sentence, "")
            return _Found(said[:start], tr(sentence, **values), tr(brief) if brief else "")
    return None


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
        advice.NOT_STORED,
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
