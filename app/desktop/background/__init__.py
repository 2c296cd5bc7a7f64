"""Running in the background: tray icon, closing the window, and restarting after upgrades."""

from typing import Final

START_AT_LOGIN: Final = "start_at_login"
"""Verb of a message's action: start the app when the user logs in."""
RESTART: Final = "restart"
"""Verb of a message's action: restart the app, whose program was replaced."""
