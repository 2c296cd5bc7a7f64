"""The command palette, the search on the same surface, and the help for the keyboard."""

from app.desktop.palette.keyboard_help import KeyboardHelp
from app.desktop.palette.listing import Actions
from app.desktop.palette.palette import Mode, Palette

__all__ = ["Actions", "KeyboardHelp", "Mode", "Palette"]
