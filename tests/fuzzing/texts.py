"""Texts that are slow to check. The time for any text should be proportional to its length.

``python -m tests.fuzzing.texts`` searches for texts that violate this, and prints the slowest.
"""

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Final

from hypothesis import HealthCheck, Phase, Verbosity, given, settings, target
from hypothesis import strategies as st

from app.contract.enums import PostingPlatform, PostType
from app.contract.posts import CreatePost
from app.desktop.kit.code import highlights
from app.language import use
from app.platforms import rules
from app.platforms.advice import REFUSED_AHEAD
from app.platforms.base import WebContent
from app.platforms.bluesky import refusals as bluesky_refusals
from app.platforms.bluesky.link_card import describe
from app.platforms.bluesky.text import find_facets
from app.platforms.composition import composed
from app.platforms.http import Answer, Call, plain_words
from app.platforms.linkedin import adapter
from app.platforms.markup import tokens
from app.platforms.mastodon import refusals as mastodon_refusals
from app.platforms.mastodon.statuses import Status, looks_like
from app.platforms.mastodon.text import mastodon_length
from app.platforms.publication import same_text
from app.platforms.x import refusals as x_refusals
from app.platforms.x.links import find_links
from app.platforms.x.text import cashtags
from app.service.logs import scrub
from app.workspace.advice import in_own_words
from app.workspace.foreign_texts import in_own_language
from app.workspace.safe_names import safe_name
from app.workspace.settings.log_files import without_secrets
from tests.platforms.scripted import publication

LONGEST: Final = 10_000
"""Maximum text length in the contract."""
LONGEST_WORK_MS: Final = 50.0
"""Maximum time for checking a text, in ms; the limit of the command."""
_SHORTER: Final = LONGEST // 8
_GROWTH: Final = 3.0
"""Maximum growth of the time relative to the length: 8 would be quadratic."""
_NOTHING_S: Final = 0.000_5
"""Times below this are too short to compare, in s."""
_TIMES: Final = 3
_ROUNDS: Final = 20

Scanner = Callable[[str], object]


def _check(platform: PostingPlatform, text: str) -> object:
    return rules.check(platform=platform, post_type=PostType.VIDEO, title=text, text=text, has_media=True)


def _read_body(text: str) -> object:
    body = {
        "social_account_id": "0b2f9c9c-6f0c-4f7e-9d35-0f6f9f3c5d11",
        "platform": "x",
        "post_type": "text",
        "description": text,
    }
    return CreatePost.model_validate(body, strict=False)


def _read_page(text: str) -> object:
    return describe(WebContent("https://linen.example/", "text/html", text.encode(errors="replace")))


def _compare(text: str) -> object:
    status = {"id": "1", "created_at": datetime.now(UTC), "content": text, "application": {"name": "Kalends"}}
    return looks_like(Status.model_validate(status), _PUBLICATION)


def _refuse(refused: Callable[[Answer, datetime], object], text: str) -> object:
    body = {"error": "InvalidRecord", "message": text, "error_description": text, "detail": text}
    call = Call(method="POST", url="https://linen.example/")
    answers = (Answer(call, status, {}, json.dumps(body).encode()) for status in (400, 403, 422))
    return [refused(answer, datetime.now(UTC)) for answer in answers]


def _advise(text: str) -> object:
    use("de")
    try:
        return in_own_words(text), in_own_words(f"{text} {REFUSED_AHEAD}")
    finally:
        use("en")


_PUBLICATION: Final = publication("maya", "A coat @anna@linen.example https://linen.example/coat")
SCANNERS: Final[Mapping[str, Scanner]] = {
    "find_links": find_links,
    "cashtags": cashtags,
    "composed": composed,
    "same_text": lambda text: same_text(text, f"{text}."),
    "plain_words": plain_words,
    "escape": adapter.escape,
    "unescape": adapter.unescape,
    "scrub": scrub,
    "body": _read_body,
    "tokens": lambda text: list(tokens(text)),
    "page of a link": _read_page,
    "status of Mastodon": _compare,
    "length on Mastodon": mastodon_length,
    "facets": find_facets,
    "refusal of Bluesky": partial(_refuse, bluesky_refusals.refused),
    "refusal of Mastodon": partial(_refuse, mastodon_refusals.refused),
    "refusal of X": partial(_refuse, x_refusals.refused),
    "secrets in logs": without_secrets,
    "sentence of a service": in_own_language,
    "advice of a service": _advise,
    "name of a file": safe_name,
    "code": lambda text: list(highlights(text)),
    **{f"rules of {platform}": partial(_check, platform) for platform in PostingPlatform},
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A text of any length: a repeated fragment between two ends."""

    start: str
    piece: str
    end: str

    def text(self, length: int) -> str:
        room = max(length - len(self.start) - len(self.end), 0)
        return f"{self.start}{(self.piece * (room // len(self.piece) + 1))[:room]}{self.end}"


PIECES: Final = (
    *"aé日1.-_/@#$()?!:&=,;~\n 。\uff21",
    "co",
    ".co",
    "a.co",
    ".みんな",
    ".中国",
    "xn--",
    "xn--p1ai",
    "http://",
    "https://t.co/",
    "urn:li:share:",
    "stp_rest_",
    "token=",
    "Bearer ",
    "👩",
    "👩‍❤️‍💋‍👨",
    "\u200d",
    "\ufe0f",
    "🏽",
    "🇩🇪",
    "🏴",
    "\U000e0061",
    "\U000e007f",
    "1\ufe0f\u20e3",
    "\u0301",
    "\u0323",
    "\u0344",
    "\u0f73",
    "\\(",
    "<a",
    ">",
    "<",
    "<![",
    "<!--",
    "</",
    "<a ",
    "<a b='",
    "<title>",
    "&",
    "&#9",
    " @a.com",
    " #a",
    '\\"',
    "'",
    "a-",
    "eyJ-",
    "too big ",
    "media",
)
_some = st.lists(st.sampled_from(PIECES), max_size=3).map("".join)
patterns: st.SearchStrategy[Pattern] = st.builds(
    Pattern, _some, st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join), _some
)

KNOWN: Final = (
    Pattern("", "🇩🇪", ""),
    Pattern("", "a_", ".co"),
    Pattern("", "a_a_", "...co"),
    Pattern("", "日.co_", ""),
    Pattern("", "_a.co", ""),
    Pattern("", "a.", "co"),
    Pattern("", ".", ".co"),
    Pattern("a.co?", ".", ""),
    Pattern("a.co/", "(a", ""),
    Pattern("a.co/", "!", "("),
    Pattern("a.co/@", "@", ""),
    Pattern("xn--", "a", "日.co"),
    Pattern("", "日", ".co"),
    Pattern("", "あいうえお", ".みんな"),
    Pattern("", "👩\u200d", ""),
    Pattern("", "👩🏽\u200d", "👩"),
    Pattern("a", "\u0301\u0323", ""),
    Pattern("", "\u0344\u0323", "é"),
    Pattern("", "a", ""),
    Pattern("", "-", ""),
    Pattern("#", "1", ""),
    Pattern("$", "A", ""),
    Pattern("🏴", "\U000e0061", ""),
    Pattern("", "<a ", ""),
    Pattern("", "<a b='", ""),
    Pattern("", "<![", ""),
    Pattern("", "<!--", ""),
    Pattern("", "<title>", ""),
    Pattern("&#", "9", ";"),
    Pattern("", " @a.com", ""),
    Pattern("", " #日", ""),
    Pattern("", "a-", ""),
    Pattern("", "eyJ-", ""),
    Pattern("", '\\"', ""),
    Pattern("", "too big ", ""),
    Pattern("", "media", ""),
)
"""Texts that were slow once, or could be."""


def work_s(scan: Scanner, text: str) -> float:
    """Return the minimum CPU time for a text in s, without garbage collection of other tests' objects."""
    best = float("inf")
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(_TIMES):
            before = time.thread_time()
            scan(text)
            best = min(best, time.thread_time() - before)
    finally:
        if was_collecting:
            gc.enable()
    return best


def growth(scan: Scanner, pattern: Pattern) -> float:
    """Return how much faster the time grows than the length, from an eighth of the longest text.

    Other programs can only add time, and never for long, so excessive growth is measured again and the
    minimum counts. Quadratic growth stays quadratic.
    """
    short = long = float("inf")
    for _ in range(_ROUNDS):
        short = min(short, work_s(scan, pattern.text(_SHORTER)))
        long = min(long, work_s(scan, pattern.text(LONGEST)))
        found = long / max(short, _NOTHING_S) / (LONGEST / _SHORTER)
        if found < _GROWTH:
            break
    return found


def is_linear(scan: Scanner, pattern: Pattern) -> bool:
    return growth(scan, pattern) < _GROWTH


def worst_of(name: str, examples: int) -> tuple[float, Pattern]:
    """Return the slowest text found for a scanner, with its time in ms."""
    scan, found = SCANNERS[name], [(0.0, KNOWN[0])]

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.target),
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    @given(pattern=patterns)
    def search(pattern: Pattern) -> None:
        work_ms = work_s(scan, pattern.text(LONGEST)) * 1000
        target(work_ms)
        found.append((work_ms, pattern))

    found.extend((work_s(scan, known.text(LONGEST)) * 1000, known) for known in KNOWN)
    search()
    return max(found, key=lambda one: one[0])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing.texts", description=__doc__)
    parser.add_argument("--examples", type=int, default=2_000, help="texts per scanner (2000)")
    options = parser.parse_args(arguments)
    is_busy = False
    for name in SCANNERS:
        work_ms, pattern = worst_of(name, options.examples)
        is_busy |= work_ms > LONGEST_WORK_MS
        print(f"{name:20} {work_ms:8.1f} ms  {pattern!a}")
    return int(is_busy)


if __name__ == "__main__":
    sys.exit(main())
