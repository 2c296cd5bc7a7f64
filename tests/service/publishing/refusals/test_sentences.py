"""Every sentence about a failure: what happened, what to do, in plain words."""

import re

import pytest

from app.contract.enums import PostingPlatform
from app.platforms.base import Cause, FailureKind, PlatformError
from app.platforms.cards import name_of
from app.service.publishing.advice import Explanation, exhausted, explain, in_words


@pytest.mark.parametrize("cause", Cause)
@pytest.mark.parametrize("platform", PostingPlatform)
def test_every_cause_says_what_happened_and_what_to_do(cause: Cause, platform: PostingPlatform) -> None:
    error = PlatformError(FailureKind.INVALID, "code", "words", cause=cause)
    for why in (explain(error, platform), exhausted(error, platform)):
        assert name_of(platform) in why.advice
        assert len(re.split(r"(?<=\.) ", why.advice)) >= 2
        assert not re.search(r"[!{}]|automatically", why.advice)


def test_a_failure_that_is_tried_again_asks_nothing_of_a_person() -> None:
    error = PlatformError(FailureKind.TRANSIENT, "photo_pull_failed", "words", cause=Cause.FILE_ADDRESS)

    assert explain(error, PostingPlatform.TIKTOK).advice.endswith("The post is retried automatically.")
    assert "public address" in exhausted(error, PostingPlatform.TIKTOK).advice


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Too long.", "Advice. X said: Too long."),
        ("XML is too long.", "Advice. X said: XML is too long."),
        ("X answered 503.", "Advice. X answered 503."),
        (None, "Advice."),
    ],
)
def test_who_said_it_is_said_once(said: str | None, told: str) -> None:
    assert in_words(Explanation(None, said, "Advice."), PostingPlatform.X) == told
