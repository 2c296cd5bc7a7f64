"""Metrics of publications: they grow, never shrink, and keep their proportions."""

from dataclasses import astuple
from datetime import UTC, datetime
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.practice.ledger import Publication, counts_of

PUBLISHED = datetime(2026, 11, 21, tzinfo=UTC)
Ages = st.lists(st.floats(-3600, 90 * 86_400), min_size=2, max_size=5)


def publication(content_id: str) -> Publication:
    return Publication("x", "1", "Hello", content_id=content_id, received_at=PUBLISHED.isoformat())


@given(st.text(max_size=20), Ages)
def test_numbers_only_grow(content_id: str, ages: list[float]) -> None:
    item = publication(content_id)
    seen = [counts_of(item, PUBLISHED.timestamp() + age) for age in sorted(ages)]
    for earlier, later in pairwise(seen):
        assert all(before <= after for before, after in zip(astuple(earlier), astuple(later), strict=True))
    assert all(counts.views >= counts.likes >= counts.comments for counts in seen)


@given(st.text(max_size=20))
def test_nobody_has_seen_what_is_new_and_somebody_what_is_old(content_id: str) -> None:
    item = publication(content_id)
    assert counts_of(item, PUBLISHED.timestamp()).views == 0
    assert counts_of(item, PUBLISHED.timestamp() + 5 * 86_400).views >= 100
