"""Which columns of a delivery show in rows of some width."""

from itertools import pairwise

import pytest

from app.desktop.webhooks.deliveries import columns

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.mark.parametrize(("width", "shown"), [(900, 6), (600, 5), (520, 4), (440, 3)])
def test_a_narrow_row_leaves_out_whole_columns(width: int, shown: int) -> None:
    boxes = [box for box in columns(width) if box is not None]
    assert len(boxes) == shown
    assert boxes[-1].right() < width - 15
    assert all(one.right() + 12 == other.left() - 1 for one, other in pairwise(boxes))
