"""A preview as each platform shows posts: the corners of its picture, and only the parts that it has."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage, QRegion
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop.inspector.platform_preview import _TEMPLATES, PlatformPreview
from app.desktop.widgets import Label
from app.workspace.clock import wall_clock
from tests.desktop.running import run, workspace
from tests.workspace.model_service import ModelService


def painted(widget: QWidget) -> QImage:
    """What a widget itself paints."""
    image = QImage(widget.size(), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    widget.render(image, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    return image


@pytest.mark.parametrize(
    ("platform", "has_corners"), [("tiktok", True), ("youtube", True), ("linkedin", False)]
)
def test_a_picture_at_the_top_of_the_card_has_its_corners(
    qapp: QApplication, tmp_path: Path, service: ModelService, platform: str, has_corners: bool
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            preview = PlatformPreview(opened.media, platform, None)
            preview.resize(400, 800)
            cover = preview.cover
            cover.resize(398, cover.heightForWidth(398))
            picture = painted(cover)
            right, below = picture.width() - 1, picture.height() - 1
            upper = [picture.pixelColor(x, 0).alpha() for x in (0, right)]
            assert (upper == [0, 0]) is has_corners
            assert picture.pixelColor(0, below).alpha() == 255
            preview.deleteLater()

    run(qapp, work)


@pytest.mark.parametrize("platform", [*_TEMPLATES, "bluesky"])
def test_what_a_platform_does_not_show_opens_no_window(
    qapp: QApplication, tmp_path: Path, service: ModelService, platform: str
) -> None:
    """A service may return a title or a link for any post."""
    service.add_post(service.add_account(), wall_clock() + 86_400_000, "Text")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            detail = await opened.stored_detail(opened.posts.all()[0].key)
            preview = PlatformPreview(opened.media, platform, None)
            preview.show_detail(replace(detail, title="A title", link="https://shop.example"), "1 Dec")
            assert not any(widget.isVisible() for widget in QApplication.topLevelWidgets())
            shown = {label.text() for label in preview.findChildren(Label) if not label.isHidden()}
            assert ("A title" in shown) is ("title" in preview._template.parts)
            preview.deleteLater()

    run(qapp, work)
