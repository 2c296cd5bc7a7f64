"""Written dates: which order of day and month a date in numbers can have."""

import pytest

from app.workspace.time.written import DayOrder, order_of


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("12/5/2026", None),
        ("5/12/2026", None),
        ("12.12.", None),
        ("13.12.2026", DayOrder.DAY_FIRST),
        ("12/13/2026", DayOrder.MONTH_FIRST),
        ("13/13/2026", None),
        ("2026-11-21", None),
        ("Monday", None),
    ],
)
def test_only_a_number_beyond_12_tells_the_order_of_a_date(text: str, order: DayOrder | None) -> None:
    assert order_of(text) is order
