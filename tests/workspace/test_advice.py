"""The service's advice, in the app's language."""

from collections.abc import Callable, Iterator

import pytest

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.language import tr, use
from app.platforms.advice import BRIEF, CAUSES, KINDS, REFUSED_AHEAD
from app.platforms.base import FailureKind, PlatformError, Published
from app.service.publishing import advice
from app.workspace.advice import (
    _SENTENCES_MAX,
    _STARTS,
    UNTOLD,
    brief_reason_of,
    in_own_words,
    reason_of,
)
from app.workspace.posts.planned import PlannedPost

X = PostingPlatform.X
ERRORS = [
    *(PlatformError(FailureKind.INVALID, "7", "No.", cause=cause) for cause in CAUSES),
    *(PlatformError(kind, "7", "No.") for kind in KINDS),
    PlatformError(FailureKind.DUPLICATE, "7", "No.", existing=Published("urn:li:share:7", None)),
]
ENGLISH_WORDS = (" the ", " there", "again", "Kalends asked", "this account")


@pytest.fixture
def german() -> Iterator[None]:
    use("de")
    yield
    use("en")


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize("explain", [advice.explain, advice.ahead, advice.exhausted])
def test_all_advice_after_an_error_is_known(
    explain: Callable[[PlatformError, PostingPlatform], advice.Explanation],
) -> None:
    for error in ERRORS:
        said = explain(error, X).advice
        assert not any(word in in_own_words(said) for word in ENGLISH_WORDS), said


@pytest.mark.usefixtures("german")
def test_the_platforms_own_words_stay_as_they_are() -> None:
    said = "Your account is suspended. Write to us. "
    found = in_own_words(said + advice.missed().advice)
    assert found.startswith(said)
    assert found.endswith("Plane ihn erneut.")
    assert in_own_words("Something else entirely.") == "Something else entirely."


@pytest.mark.usefixtures("german")
def test_a_platform_is_named_wherever_the_advice_names_it() -> None:
    found = in_own_words(advice.may_be_live(None, X).advice)
    assert found.startswith("Die Antwort von X ging verloren")
    assert "auf X" in found


def test_no_advice_has_more_sentences_than_are_compared() -> None:
    for text in (*KINDS.values(), *CAUSES.values()):
        assert len(_STARTS.findall(text)) <= _SENTENCES_MAX


@pytest.mark.usefixtures("german")
def test_advice_is_found_behind_any_number_of_sentences() -> None:
    said = "No. " * 140
    assert in_own_words(said + advice.missed().advice).endswith("Plane ihn erneut.")


def test_english_is_said_as_it_is() -> None:
    said = advice.explain(ERRORS[0], X).advice
    assert in_own_words(said) == said


def failed(reason: str) -> PlannedPost:
    return PlannedPost(
        key="a",
        at=0,
        account_key="studio",
        platform=X,
        post_type=PostType.TEXT,
        status=PostStatus.FAILED,
        headline="Launch teaser",
        reason=reason,
    )


def test_a_failure_is_explained_without_the_platforms_words() -> None:
    for error in ERRORS:
        said = advice.explain(error, X).advice
        assert reason_of(failed(f"Not allowed. {said}")) == said


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize("explain", [advice.explain, advice.exhausted])
def test_every_failure_has_a_few_words_in_the_apps_language(
    explain: Callable[[PlatformError, PostingPlatform], advice.Explanation],
) -> None:
    english = set(BRIEF.values())
    for error in ERRORS:
        brief = brief_reason_of(failed(f"Not Authorized. {explain(error, X).advice}"))
        assert 0 < len(brief) <= 30
        assert brief not in english


@pytest.mark.usefixtures("german")
def test_a_failure_without_known_advice_begins_in_the_apps_language() -> None:
    post = failed("Not Authorized.")
    assert brief_reason_of(post) == "X hat diesen Beitrag abgelehnt."
    assert reason_of(post) == "X hat diesen Beitrag abgelehnt. Not Authorized."


def test_what_is_known_of_other_posts_is_said_as_it_is() -> None:
    said = "The platform's answer was lost."
    lost, processed = (
        failed(said)._replace(may_be_live=True),
        failed(said)._replace(status=PostStatus.PROCESSING),
    )
    for post in (lost, processed):
        assert brief_reason_of(post) == reason_of(post) == said
    assert brief_reason_of(failed("")) == ""
    assert brief_reason_of(failed(UNTOLD)) == UNTOLD


@pytest.mark.usefixtures("german")
def test_advice_that_is_repeated_thousands_of_times_is_no_trouble() -> None:
    said = f"{REFUSED_AHEAD} " * 5_000
    assert in_own_words(said.rstrip()).endswith(tr(REFUSED_AHEAD))
