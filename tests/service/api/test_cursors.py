"""Cursors bring a position back, and only those that this installation wrote for the list."""

from datetime import UTC, date, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.service.api.cursors import Cursors, Position
from app.service.api.responses import ApiError

positions = st.builds(
    Position,
    st.datetimes(timezones=st.just(UTC)).map(
        lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000)
    ),
    st.uuids(),
) | st.builds(Position, st.dates(), st.uuids())


def assert_refused(resource: str, cursor: str) -> None:
    with pytest.raises(ApiError) as refused:
        Cursors(b"one").read(resource, cursor)
    assert [(issue.field, issue.type) for issue in refused.value.details] == [("cursor", "cursor")]


@given(position=positions)
def test_a_cursor_brings_its_position_back(position: Position) -> None:
    cursors = Cursors(b"one")

    assert cursors.read("posts", cursors.write("posts", position)) == position
    for others in (Cursors(b"two").write("posts", position), cursors.write("connections", position)):
        assert_refused("posts", others)


@pytest.mark.parametrize(
    ("at", "packed", "signature"),
    [
        (
            datetime(2026, 11, 21, 12, 0, 0, 7_000, tzinfo=UTC),
            "t1795262400007_" + "0" * 31 + "7",
            "hoRZbdd2uEPz_41iaTitVXmZYogK4yOPtSHwxcRNILU",
        ),
        (date(2026, 11, 21), "d739941_" + "0" * 31 + "7", "1HAJgp9NwavvVzfcxLtg-tHGMNGMwl-Ivs1nctLnzns"),
    ],
)
def test_a_cursor_of_an_earlier_version_can_still_be_read(
    at: datetime | date, packed: str, signature: str
) -> None:
    position, cursors = Position(at, UUID(int=7)), Cursors(b"one")
    cursor = f"{packed}.{signature}"

    assert cursors.write("posts", position) == cursor
    assert cursors.read("posts", cursor) == position


@given(cursor=st.text(max_size=80), times=st.integers(1, 2_000))
def test_nothing_made_up_is_a_cursor(cursor: str, times: int) -> None:
    assert_refused("posts", cursor * times)
