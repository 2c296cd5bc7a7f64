"""Pictures from their bytes."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage


def decoded(content: bytes, size: QSize) -> QImage:
    """A picture from its bytes, made so small that it just covers ``size``. Blocking."""
    picture = QImage.fromData(content)
    cover = picture.size().scaled(size, Qt.AspectRatioMode.KeepAspectRatioByExpanding)
    if picture.isNull() or cover.width() >= picture.width():
        return picture
    smooth = Qt.TransformationMode.SmoothTransformation
    return picture.scaled(cover, Qt.AspectRatioMode.IgnoreAspectRatio, smooth)
