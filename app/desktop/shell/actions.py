"""The buttons of messages and notifications, by the verb of their action."""

from typing import TYPE_CHECKING, Final, Protocol

from PySide6.QtGui import QGuiApplication

from app.desktop.aio import TaskScope
from app.desktop.background import RESTART, START_AT_LOGIN
from app.desktop.calendar import CalendarPane
from app.desktop.cancelling import UNDO_STEP
from app.desktop.finishing.desk import FinishingDesk
from app.desktop.shell.finder import Finder
from app.desktop.shell.incoming import FORGET, PUT_BACK, Incoming
from app.desktop.shell.rewriting import PLAN_AGAIN, PUBLISH_AGAIN, TAKE_BACK, UNPUBLISH, OnceMore, Rewriting
from app.desktop.shell.side_panels import SidePanels
from app.desktop.shell.window import FOLLOW_COMPUTER, MainWindow
from app.language import tr
from app.workspace.drafts.salvage import SHOW_DRAFTS
from app.workspace.messages import Message, MessageAction
from app.workspace.notices import notice
from app.workspace.workspace import Workspace

if TYPE_CHECKING:
    from app.desktop.connections.pane import ConnectionsPane
    from app.desktop.settings import SettingsPane

_PANES: Final = {SHOW_DRAFTS: "drafts", notice.SHOW_MEDIA: "media"}
"""The panes, by the verbs of actions that open them."""


class Places(Protocol):
    """The parts of the main controller that actions use."""

    @property
    def window(self) -> MainWindow: ...
    @property
    def workspace(self) -> Workspace: ...
    @property
    def calendar(self) -> CalendarPane: ...
    @property
    def finishing(self) -> FinishingDesk: ...
    @property
    def panels(self) -> SidePanels: ...
    @property
    def incoming(self) -> Incoming: ...
    @property
    def rewriting(self) -> Rewriting: ...
    @property
    def finder(self) -> Finder: ...
    @property
    def connections(self) -> "ConnectionsPane": ...
    @property
    def settings(self) -> "SettingsPane": ...


class Actions:
    """Carries out the buttons of messages in one workspace's window."""

    def __init__(self, places: Places, once_more: OnceMore, scope: TaskScope) -> None:
        self._places = places
        self._once_more = once_more
        self._scope = scope

    def act(self, action: MessageAction) -> None:
        """Carry out the button of a message or a notification."""
        places = self._places
        if places.finishing.act(action) or self._act_on_post(action) or self._act_on_app(action):
            return
        if action.verb == FORGET:
            self._scope.start(places.incoming.forget(action.subject.split()))
        elif action.verb == PUBLISH_AGAIN:
            self._scope.start(self._once_more.publish(action.subject.split()))
        elif action.verb == PLAN_AGAIN:
            self._scope.start(self._once_more.plan(action.subject.split()))
        elif action.verb == TAKE_BACK:
            self._once_more.take_back(action.subject.split())
        elif action.verb == UNPUBLISH:
            self._scope.start(places.rewriting.unpublish(action.subject))
        elif action.verb == PUT_BACK:
            self._scope.start(places.incoming.put_back(action.subject))
        elif action.verb in _PANES:
            places.window.go(_PANES[action.verb])
        elif action.verb == UNDO_STEP:
            places.workspace.undo_step(int(action.subject))
        elif action.verb == "compare":
            places.window.go("calendar")
            places.panels.show_conflicts()
        elif action.verb == "show_slots":
            places.panels.show_slots()
        elif action.verb == notice.SHOW_POSTS:
            places.window.go("calendar")
            places.calendar.reveal(action.subject.split())
        elif action.verb in (notice.RECONNECT, notice.SHOW_CONNECTIONS):
            places.window.go("connections")
            places.connections.connect_again(action.subject)
        elif action.verb == notice.SHOW_FILE:
            places.finder.open_file(action.subject)
        elif action.verb == notice.COMPOSE:
            places.panels.resume()

    def _act_on_app(self, action: MessageAction) -> bool:
        """Change how the app runs or restart it; return whether the action does that."""
        places = self._places
        if action.verb == START_AT_LOGIN:
            places.settings.background.start_at_login()
        elif action.verb == FOLLOW_COMPUTER:
            places.window.follow_computer(action.subject)
            places.settings.refurnish_wanted.emit()
        elif action.verb == RESTART:
            places.window.restart_wanted.emit()
        return action.verb in (START_AT_LOGIN, FOLLOW_COMPUTER, RESTART)

    def _act_on_post(self, action: MessageAction) -> bool:
        """Show a post or copy its text; return whether the action does that."""
        places = self._places
        if not places.workspace.posts.get(action.subject):
            return False
        if action.verb == notice.SHOW_POST:
            places.window.go("calendar")
            places.panels.inspect(action.subject)
        elif action.verb == notice.COPY_TEXT:
            self._scope.start(self._copy_text(action.subject))
        return action.verb in (notice.SHOW_POST, notice.COPY_TEXT)

    async def _copy_text(self, key: str) -> None:
        detail = await self._places.workspace.stored_detail(key)
        QGuiApplication.clipboard().setText(detail.text)
        self._places.window.messages.tell(Message("info", tr("Text copied.")))
