"""A preview's picture: where it's at the top of the card, it has the card's corners."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage, QRegion
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop.inspector.platform_preview import PlatformPreview
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
