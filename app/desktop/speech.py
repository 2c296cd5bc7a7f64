"""Which language the app speaks: the one that was chosen, else the system's.

Imported before everything that says something, so it imports little.
"""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QLocale, QSettings

from app import language

CHOICE: Final = "language"
"""Where the choice is kept in ``window.ini``; empty to follow the system."""


def speak(data: Path) -> None:
    """Speaks as it was chosen for this data folder."""
    settings = QSettings(str(data / "window.ini"), QSettings.Format.IniFormat)
    language.use(spoken_for(str(settings.value(CHOICE, ""))))


def spoken_for(chosen: str) -> str:
    """The code of the language that a choice leads to; English where there is no such language."""
    if chosen:
        return chosen if chosen in language.LANGUAGES else "en"
    usual = (name.partition("-")[0] for name in QLocale.system().uiLanguages())
    return next((name for name in usual if name in language.LANGUAGES), "en")
