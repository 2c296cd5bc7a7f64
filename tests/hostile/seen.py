"""What a person, or a screen reader, is told by a part of the window; and what nobody should be told."""

import re
from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLabel, QLineEdit, QPlainTextEdit, QWidget

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
    "rate limiting|internal error|no longer has this|This service (has no|doesn't)"
)
"""The sentences that say why something does not show."""


def texts(part: QWidget) -> list[str]:
    """Everything that a part says now."""
    widgets = [part, *part.findChildren(QWidget)]
    shown = [widget for widget in widgets if widget.isVisible()]
    return [text for widget in shown for text in _said(widget) if text]


def unfit(part: QWidget, known: str = "") -> list[str]:
    """Texts that are no words for people; words of the service (``known``) may be whatever they are."""
    found = [text for text in texts(part) if NOT_FOR_PEOPLE.search(text)]
    return [text for text in found if not (known and known in text)]


def reason(part: QWidget) -> str:
    """The sentence that says why a part has nothing to show; empty where there is none."""
    return next((text for text in texts(part) if REASONS.search(text)), "")


def _said(widget: QWidget) -> Iterator[str]:
    yield from (widget.accessibleName(), widget.accessibleDescription(), widget.toolTip())
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    elif isinstance(widget, QLineEdit):
        yield from (widget.text(), widget.placeholderText())
    elif isinstance(widget, QPlainTextEdit):
        yield widget.toPlainText()
    elif isinstance(widget, QAbstractItemView) and (model := widget.model()) is not None:
        for row in range(min(model.rowCount(), _ROWS_MOST)):
            for role in _ROLES:
                told = model.data(model.index(row, 0), role)
                if isinstance(told, str):
                    yield told
