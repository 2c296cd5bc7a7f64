"""The ledger of publications, and their metrics: they grow, never shrink, and keep their proportions."""

import tempfile
from dataclasses import astuple
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from app.practice.ledger import Draft, Ledger, Publication, counts_of
from app.practice.settings import Settings
from app.practice.store import Store

PUBLISHED = datetime(2026, 11, 21, tzinfo=UTC)
Ages = st.lists(st.floats(-3600, 90 * 86_400), min_size=2, max_size=5)


@given(st.lists(st.floats(1.7e9, 1.9e9), min_size=1, max_size=6))
def test_numbers_grow_over_restarts_and_clocks_that_go_back(times: list[float]) -> None:
    numbers: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        for count, moment in enumerate(times):
            store = Store(Path(folder))
            ledger = Ledger(store, Settings(Path(folder), clock=partial(float, moment)))
            drafts = [Draft("x", "1", f"{count}{part}") for part in "ab"]
            numbers += [int(ledger.accept(draft, str).content_id) for draft in drafts]
            store.close()
    assert numbers == sorted(set(numbers))
    assert numbers[-1] < 2**63


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
