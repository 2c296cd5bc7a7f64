"""The length of a title, in the unit of the platform that leaves the least room."""

from collections.abc import Sequence

import pytest

from app.contract.enums import PostingPlatform as P
from app.contract.enums import PostType
from app.desktop.composer.writing import TitleField
from app.desktop.widgets import Label


@pytest.mark.parametrize(
    ("platforms", "title", "shown"),
    [
        ([P.TIKTOK], "🧶" * 45, "90/90"),
        ([P.TIKTOK], "🧶" * 46, "92/90"),
        ([P.PINTEREST], "🧶" * 46, "46/100"),
        ([P.TIKTOK, P.PINTEREST], "🧶" * 46, "92/90"),
        ([P.TIKTOK, P.PINTEREST], "a" * 20, "20/90"),
        ([P.X], "a", ""),
    ],
)
def test_a_title_is_counted_as_its_strictest_platform_counts(
    platforms: Sequence[P], title: str, shown: str
) -> None:
    field = TitleField()
    field.show_for(platforms, PostType.IMAGE)
    field.set_title(title)
    assert shown in [label.text() for label in field.findChildren(Label)]
    field.deleteLater()
