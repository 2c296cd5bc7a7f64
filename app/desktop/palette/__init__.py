"""The command palette, the search in the same panel, and the keyboard help."""

from app.desktop.palette.keyboard_help import KeyboardHelp
from app.desktop.palette.listing import Actions
from app.desktop.palette.palette import Mode, Palette

__all__ = ["Actions", "KeyboardHelp", "Mode", "Palette"]
