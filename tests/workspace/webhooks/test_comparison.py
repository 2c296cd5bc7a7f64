"""Bodies side by side: nothing is left out, and nothing is said to differ that does not."""

from hypothesis import given
from hypothesis import strategies as st

from app.workspace.webhooks.comparison import line_differences

lines = st.lists(st.text("ab{}", max_size=3), max_size=30)


@given(lines, lines)
def test_both_bodies_can_be_read_from_their_differences(earlier: list[str], later: list[str]) -> None:
    found = list(line_differences(earlier, later))
    assert [line[2:] for line in found if line[0] != "+"] == earlier
    assert [line[2:] for line in found if line[0] != "-"] == later


@given(lines)
def test_a_body_does_not_differ_from_itself(body: list[str]) -> None:
    assert list(line_differences(body, body)) == [f"  {line}" for line in body]


def test_long_bodies_without_a_line_in_common_are_told_apart() -> None:
    """By likeness within lines this would take hours."""
    earlier = [f'"{number}": {number},' for number in range(5_000)]
    later = [f'"{number}": {number},' for number in range(5_000, 10_000)]
    assert len(list(line_differences(earlier, later))) == 10_000
