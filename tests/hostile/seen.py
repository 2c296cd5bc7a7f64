"""What users and screen readers get from a part of the window, and what nobody should."""

import re
from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

_ROWS_MOST = 60
_ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
    Qt.ItemDataRole.ToolTipRole,
)
NOT_FOR_PEOPLE = re.compile(
    r"\bNone\b|\bnull\b|\bnan\b|Traceback|<\w+(\.\w+)* object|\w(Error|Exception|Refused)\(|UUID\("
    r"|datetime\.|\{'|\['|\w+\.\w+: '|ValidationError|pydantic|aiohttp|httpx|gave no reason"
)
REASONS = re.compile(
    "can't be reached|didn't respond|doesn't understand|rejected the API key|doesn't allow|rejected this|"
    "rate limiting|internal error|no longer has this|This service (has no|doesn't)|instead of the service"
)
"""Sentences that explain why something isn't shown."""


def texts(part: QWidget) -> list[str]:
    """Return all current texts of a part."""
    widgets = [part, *part.findChildren(QWidget)]
    shown = [widget for widget in widgets if widget.isVisible()]
    return [text for widget in shown for text in _said(widget) if text]


def unfit(part: QWidget, known: str = "") -> list[str]:
    """Return texts that aren't suitable for users. The service's own text (``known``) is exempt."""
    found = [text for text in texts(part) if NOT_FOR_PEOPLE.search(text)]
    return [text for text in found if not (known and known in text)]


def reason(part: QWidget) -> str:
    """Return the sentence that explains why a part is empty; empty if there is none."""
    return next((text for text in texts(part) if REASONS.search(text)), "")


def _said(widget: QWidget) -> Iterator[str]:
    yield from (widget.accessibleName(), widget.accessibleDescription(), widget.toolTip())
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    elif isinstance(widget, QLineEdit):
        yield from (widget.text(), widget.placeholderText())
    elif isinstance(widget, QPlainTextEdit | QTextEdit):
        yield widget.toPlainText()
    elif isinstance(widget, QAbstractItemView) and (model := widget.model()) is not None:
        for row in range(min(model.rowCount(), _ROWS_MOST)):
            for role in _ROLES:
                told = model.data(model.index(row, 0), role)
                if isinstance(told, str):
                    yield told
