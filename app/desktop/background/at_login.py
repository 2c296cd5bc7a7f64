"""Asks once whether Kalends shall start at login: when a post is planned that needs this computer."""

from collections.abc import Callable
from typing import Final

from app.desktop.background import START_AT_LOGIN
from app.desktop.shell.window import MainWindow
from app.language import tr
from app.workspace.clock import wall_clock
from app.workspace.messages import Message, MessageAction
from app.workspace.workspace import Workspace

_NOT_AT_LOGIN: Final = "not_at_login"


def ask_about_login(window: MainWindow, workspace: Workspace, can_start: Callable[[], bool]) -> None:
    """Ask once, when the first post is planned. With practice platforms nothing is lost by sleeping.

    ``can_start`` tells whether this system can start the app at login.
    """
    preferences = window.preferences
    if preferences.was_asked_about_login or workspace.practice or not window.isVisible():
        return
    if workspace.posts.next_scheduled(wall_clock()) is None:
        return
    if can_start():  # asked last: it builds the settings
        preferences.was_asked_about_login = True
        window.messages.tell(_question())


def _question() -> Message:
    text = tr("Kalends publishes only while it's running. Start it automatically when you log in?")
    yes, no = MessageAction(tr("Yes"), START_AT_LOGIN), MessageAction(tr("No"), _NOT_AT_LOGIN)
    return Message("info", text, action=yes, other=no)
