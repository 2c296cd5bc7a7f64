"""Focus: the tab order, and keeping the focus while content changes."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Protocol, runtime_checkable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QAbstractSpinBox, QComboBox, QWidget

from app.desktop.widgets.states import EmptyState

_BY_TAB = Qt.FocusPolicy.TabFocus


@runtime_checkable
class Entered(Protocol):
    """A pane that gives the focus to one of its parts, such as a list."""

    def entry(self) -> QWidget:
        """Return the widget to focus when the pane opens."""
        ...


def enter(pane: QWidget) -> None:
    """Focus a pane's entry, or the pane. Screen readers announce no other widget on the way."""
    target = pane.entry() if isinstance(pane, Entered) else pane
    target.setFocus(Qt.FocusReason.OtherFocusReason)


def order_tabs(*sections: QWidget) -> None:
    """Let Tab go through sections one by one, and through each in the order of its parts.

    Widgets created later come last until this is called again.
    """
    controls = [control for section in sections for control in _controls(section)]
    with _all_reached(controls):
        for before, control in pairwise(controls):
            QWidget.setTabOrder(before, control)


def stop_at_checked(choices: Iterable[QAbstractButton]) -> None:
    """Let Tab stop at the checked one of several choices; arrow keys lead to the others.

    For exclusive choices, Qt does this only once one of them had the focus, and stops at that one.
    """
    for choice in choices:
        choice.setFocusPolicy(_BY_TAB if choice.isChecked() else Qt.FocusPolicy.NoFocus)


def tab_stops(section: QWidget) -> Iterator[QWidget]:
    """Yield the widgets of a section that Tab reaches, in order."""
    candidate = section.nextInFocusChain()
    while candidate is not None and candidate is not section:
        reachable = candidate.focusPolicy() & _BY_TAB and candidate.isEnabled() and candidate.isVisible()
        if reachable and section.isAncestorOf(candidate) and not is_inner(candidate):
            yield candidate
        candidate = candidate.nextInFocusChain()


@contextmanager
def _all_reached(controls: Iterable[QWidget]) -> Iterator[None]:
    """Include widgets that Tab skips now, because it may stop at another choice next time."""
    policies = {control: control.focusPolicy() for control in controls}
    for control, policy in policies.items():
        control.setFocusPolicy(_BY_TAB | policy)
    yield
    for control, policy in policies.items():  # what hands it on gives its own away with it, so it is first
        control.setFocusPolicy(policy)


def _controls(section: QWidget) -> Iterator[QWidget]:
    for widget in (section, *section.findChildren(QWidget)):
        if _is_reached(widget) and not is_inner(widget) and widget.window() is section.window():
            yield widget


def is_inner(widget: QWidget) -> bool:
    """Whether a widget is part of a Qt widget and passes the focus back to it: Tab would be caught there.

    Not asked of Qt: with `focusProxy`, PySide takes the whole for a child of its part, and destroys both.
    """
    return isinstance(widget.parentWidget(), QAbstractScrollArea | QAbstractSpinBox | QComboBox)


def _is_reached(widget: QWidget) -> bool:
    """Tab also reaches an empty state that passes its focus to its button, which must be next then."""
    hands_on = isinstance(widget, EmptyState) and widget.has_action
    return hands_on or bool(widget.focusPolicy() & _BY_TAB) or _is_choice(widget)


def _is_choice(widget: QWidget) -> bool:
    return isinstance(widget, QAbstractButton) and widget.isCheckable() and widget.autoExclusive()


@contextmanager
def keeping_focus(*group: QWidget) -> Iterator[None]:
    """While widgets of a group are shown or hidden, keep the focus or give it to the first possible one."""
    held = next((widget for widget in group if widget.hasFocus()), None)
    yield
    if held is None or (held.isVisible() and held.isEnabled()):
        return
    for widget in group:
        if widget.isVisible() and widget.isEnabled():
            widget.setFocus(Qt.FocusReason.OtherFocusReason)
            return
