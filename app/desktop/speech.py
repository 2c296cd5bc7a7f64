"""Which language the app speaks: the one that was chosen, else the system's.

Imported before everything that says something, so it imports little.
"""

from pathlib import Path

from PySide6.QtCore import QLocale, QSettings

from app import language
from app.workspace.preferences import Preferences


def settings_in(data: Path) -> QSettings:
    """Open the file in which a data folder keeps preferences and the window's geometry."""
    return QSettings(str(data / "window.ini"), QSettings.Format.IniFormat)


def speak(data: Path) -> None:
    """Speaks as it was chosen for this data folder."""
    language.use(spoken_for(Preferences(settings_in(data)).language))


def spoken_for(chosen: str) -> str:
    """The code of the language that a choice leads to; English where there is no such language."""
    if chosen:
        return chosen if chosen in language.LANGUAGES else "en"
    usual = (name.partition("-")[0] for name in QLocale.system().uiLanguages())
    return next((name for name in usual if name in language.LANGUAGES), "en")
