"""The base of panes that show data of the service."""

from collections.abc import Awaitable, Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QLayout, QStackedWidget, QVBoxLayout, QWidget

from app.desktop.aio import TaskScope, report_to
from app.desktop.commands import Command, CommandSet
from app.desktop.theme import theme
from app.desktop.widgets import EmptyState, IconButton, Skeleton, StateStrip
from app.desktop.widgets.screen_reader import spoken_as
from app.language import tr
from app.workspace.changes import Changes
from app.workspace.messages import Message, Problem
from app.workspace.workspace import Workspace

_GAP = 12
_KEY_REFUSED = "key_refused"
_CONCERN_ALL = frozenset({_KEY_REFUSED, "unreachable"})
"""Kinds of problems that every call to the service has."""


@spoken_as(QAccessible.Role.Grouping)
class ServicePane(QWidget):
    """Requests data from the service, shows errors, and retries when the service is back.

    One request at a time: while it runs, the button to refresh is disabled. An error replaces the pages only
    if there is no earlier data; otherwise it's a strip above them.

    A subclass requests data in ``fetch``, returns from ``has_data`` whether any is shown, and adds its
    ``pages``.
    """

    told = Signal(Message)
    key_wanted = Signal()
    """The service no longer accepts the API key: the user wants to enter another one."""

    def __init__(self, workspace: Workspace, name: str, skeleton: Skeleton) -> None:
        """``name`` is the accessible name; ``skeleton`` shows until there is data."""
        super().__init__()
        self._workspace = workspace
        self._scope = TaskScope(self, report_to(self.told.emit))
        self._is_asking, self._is_connected = False, workspace.sync.connected
        self.refresh_button = IconButton("refresh-cw", tr("Refresh"), "secondary", key="F5")
        self.strip, self.loading = StateStrip(), skeleton
        self.failed = EmptyState("triangle-alert", "", tr("Try again"))
        self.pages = QStackedWidget()
        for page in (self.loading, self.failed):
            self.pages.addWidget(page)
        self._cause = ""
        self.refresh_button.clicked.connect(self.refresh)
        for acted in (self.strip.acted, self.failed.acted):
            acted.connect(self._act_on_cause)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
        stop = workspace.listen(self._changed)
        self.destroyed.connect(lambda _object=None: stop())

    async def fetch(self) -> None:
        """Request data from the service, and show it. Raises Problem."""
        raise NotImplementedError

    def has_data(self) -> bool:
        """Whether data is shown that an error mustn't hide."""
        raise NotImplementedError

    def as_of(self) -> str:
        """Return a text with the date of the data that stays visible when a request fails."""
        return tr("Showing the last data received.")

    def refresh(self) -> None:
        """Request the data again, unless a request is running."""
        self._ask(self.fetch)

    def _ask(self, fetch: Callable[[], Awaitable[None]]) -> None:
        if not self._is_asking:
            self._is_asking = True
            self.refresh_button.setEnabled(False)
            self._scope.start(self._run(fetch))

    async def _run(self, fetch: Callable[[], Awaitable[None]]) -> None:
        # No `finally`: closing the pane cancels this task, and its widgets no longer exist then.
        try:
            await fetch()
        except Exception as error:
            self._end_request()
            if not isinstance(error, Problem):
                raise
            if error.kind in _CONCERN_ALL:
                self._workspace.check_service()  # so that the status line agrees
            self._show_problem(error)
        else:
            self._end_request()
            self._succeeded()

    def _end_request(self) -> None:
        self._is_asking = False
        self.refresh_button.setEnabled(True)

    def _succeeded(self) -> None:
        self.strip.say("")

    def _act_on_cause(self) -> None:
        if self._cause == _KEY_REFUSED:
            self.key_wanted.emit()
        else:
            self.refresh()

    def _offer_remedy(self, cause: str) -> None:
        """Offer a remedy for a problem of this kind; none if the service doesn't support the request."""
        self._cause = cause
        action = tr("Enter new key") if cause == _KEY_REFUSED else tr("Try again")
        self.strip.set_action(action)
        is_missing = cause == "not_found"
        self.failed.set_action("" if is_missing else action, "info" if is_missing else "triangle-alert")

    def _show_problem(self, problem: Problem) -> None:
        self._offer_remedy(problem.kind)
        if self.has_data():
            self.strip.say_problem(f"{problem.text} {self.as_of()}", problem.kind)
        else:
            self.failed.set_text(problem.text)
            self.pages.setCurrentWidget(self.failed)

    def _changed(self, changes: Changes) -> None:
        if changes.sync:
            was_connected, self._is_connected = self._is_connected, self._workspace.sync.connected
            if self._is_connected and not was_connected and self.isVisible():
                self._reconnected()

    def _reconnected(self) -> None:
        self.refresh()

    def _add_commands(self, place: str, group: str, refresh: str, *others: Command) -> None:
        """Add F5, whose command is called ``refresh``, and the pane's other commands."""
        again = Command(refresh, group, self.refresh, keys=("F5",), icon="refresh-cw")
        CommandSet(self, place).add(again, *others)

    def _stack_up(self, head: QWidget | QLayout, body: QLayout | None = None, *, below: int = 0) -> None:
        """Lay out the head, the strip and the pages, or the ``body`` with them; ``below`` is a margin."""
        gutter = theme.current().metrics.gutter
        column = QVBoxLayout(self)
        column.setContentsMargins(gutter, 12, gutter, below)
        column.setSpacing(_GAP)
        if isinstance(head, QLayout):
            column.addLayout(head)
        else:
            column.addWidget(head)
        column.addWidget(self.strip)
        if body is not None:
            column.addLayout(body, 1)
        else:
            column.addWidget(self.pages, 1)
