"""IDs of the ledger: unique and increasing, whatever the clock does and however often it's opened."""

import tempfile
from functools import partial
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from app.practice.ledger import Draft, Ledger
from app.practice.settings import Settings
from app.practice.store import Store


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
