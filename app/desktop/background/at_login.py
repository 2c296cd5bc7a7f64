"""Asks once whether Kalends shall start at login: when a post is planned that needs this computer."""

from typing import TYPE_CHECKING, Final

from app.language import tr
from app.workspace.clock import wall_clock
from app.workspace.messages import Message, MessageAction

if TYPE_CHECKING:
    from app.desktop.shell.house import House

START_AT_LOGIN: Final = "start_at_login"
"""The verb of the answer yes."""
_NOT_AT_LOGIN: Final = "not_at_login"


def ask_of_login(house: "House") -> None:
    """Asks, if something is planned and it was never asked. Of stand-ins nothing is lost by sleeping."""
    preferences = house.window.preferences
    if preferences.was_asked_about_login or house.workspace.practice or not house.window.isVisible():
        return
    if house.workspace.posts.next_scheduled(wall_clock()) is None:
        return
    if house.settings.background.can_start_at_login:  # asked last: it builds the settings
        preferences.was_asked_about_login = True
        house.window.messages.tell(_question())


def _question() -> Message:
    text = tr("Kalends publishes only while it's running. Start it automatically when you log in?")
    yes, no = MessageAction(tr("Yes"), START_AT_LOGIN), MessageAction(tr("No"), _NOT_AT_LOGIN)
    return Message("info", text, action=yes, other=no)
