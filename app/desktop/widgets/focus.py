"""The focus: the order in which Tab moves it, and keeping it while the content changes."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QAbstractSpinBox, QComboBox, QWidget

from app.desktop.widgets.states import EmptyState

_BY_TAB = Qt.FocusPolicy.TabFocus


def order_tabs(*sections: QWidget) -> None:
    """Have Tab go through sections one after the other, and through each in the order of its parts.

    Controls that are made later come last until this is called again.
    """
    controls = [control for section in sections for control in _controls(section)]
    with _all_reached(controls):
        for before, control in pairwise(controls):
            QWidget.setTabOrder(before, control)


def stop_at_checked(choices: Iterable[QAbstractButton]) -> None:
    """Have Tab come to the one of several choices that is checked; arrows lead to the others.

    Of choices that exclude each other Qt does so only once one of them has had the focus, whichever it is.
    """
    for choice in choices:
        choice.setFocusPolicy(_BY_TAB if choice.isChecked() else Qt.FocusPolicy.NoFocus)


def tab_stops(section: QWidget) -> Iterator[QWidget]:
    """Yield what Tab reaches in a section now, in its order."""
    candidate = section.nextInFocusChain()
    while candidate is not None and candidate is not section:
        reachable = candidate.focusPolicy() & _BY_TAB and candidate.isEnabled() and candidate.isVisible()
        if reachable and section.isAncestorOf(candidate) and not is_inner(candidate):
            yield candidate
        candidate = candidate.nextInFocusChain()


@contextmanager
def _all_reached(controls: Iterable[QWidget]) -> Iterator[None]:
    """Qt gives no place to what Tab does not come to, though it may come to another choice next time."""
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
    """Whether a widget is a part of one of Qt's that hands the focus back to the whole: nobody gets past it.

    Not asked of Qt: `focusProxy` has PySide take the whole for a part of its part, and destroy both.
    """
    return isinstance(widget.parentWidget(), QAbstractScrollArea | QAbstractSpinBox | QComboBox)


def _is_reached(widget: QWidget) -> bool:
    """Tab comes also to an empty state that hands its focus on to its button, which has to follow it then."""
    hands_on = isinstance(widget, EmptyState) and widget.has_action
    return hands_on or bool(widget.focusPolicy() & _BY_TAB) or _is_choice(widget)


def _is_choice(widget: QWidget) -> bool:
    return isinstance(widget, QAbstractButton) and widget.isCheckable() and widget.autoExclusive()


@contextmanager
def keeping_focus(*group: QWidget) -> Iterator[None]:
    """While some of a group are shown and others hidden: its focus goes to the first that can have it."""
    held = next((widget for widget in group if widget.hasFocus()), None)
    yield
    if held is None or (held.isVisible() and held.isEnabled()):
        return
    for widget in group:
        if widget.isVisible() and widget.isEnabled():
            widget.setFocus(Qt.FocusReason.OtherFocusReason)
            return
