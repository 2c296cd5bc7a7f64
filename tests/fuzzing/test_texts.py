"""Short version of the search for slow texts."""

import pytest
from hypothesis import given, settings

from tests.fuzzing.texts import KNOWN, SCANNERS, Pattern, growth, is_linear, patterns


@pytest.mark.parametrize("name", SCANNERS)
@pytest.mark.parametrize("pattern", KNOWN, ids=ascii)
def test_no_text_takes_more_than_its_length(name: str, pattern: Pattern) -> None:
    assert is_linear(SCANNERS[name], pattern)


@pytest.mark.parametrize("name", SCANNERS)
@settings(max_examples=15, deadline=None)
@given(pattern=patterns)
def test_no_text_that_is_made_up_takes_more(name: str, pattern: Pattern) -> None:
    assert is_linear(SCANNERS[name], pattern)


def test_a_text_of_quadratic_work_would_be_noticed() -> None:
    assert growth(lambda text: [text.count("b", at) for at in range(len(text))], Pattern("", "a", "")) > 3
