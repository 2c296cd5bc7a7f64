"""The baseline of the calendar: a plain QListView over the calendar's model, laid out and painted by Qt."""

from typing import TYPE_CHECKING

from tests.benchmarks.samples import milliseconds

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


def measure_list_view(app: "QApplication", count: int) -> dict[str, float]:
    """The first paint of so many posts, and one changed post."""
    from zoneinfo import ZoneInfo

    from PySide6.QtWidgets import QListView

    from app.desktop.calendar.days import LocalDays
    from app.desktop.calendar.model import PostListModel
    from tests.desktop.calendar.memory import post

    model = PostListModel(LocalDays(ZoneInfo("UTC")), lambda one: one.headline)
    posts = [post(f"{number:06}", number * 3_600_000) for number in range(count)]
    model.reset(posts)
    view = QListView()
    view.setModel(model)
    view.resize(1_200, 800)

    def show() -> None:
        view.show()
        app.processEvents()

    def change() -> None:
        model.apply([posts[0]._replace(headline="Changed")], ())
        app.processEvents()

    figures = {
        f"list_view_{count}_first_paint_ms": milliseconds(show),
        f"list_view_{count}_live_change_ms": milliseconds(change),
    }
    view.close()
    return figures
