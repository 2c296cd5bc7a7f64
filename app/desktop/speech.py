"""The app's language: the selected one, or the system's.

Imported before everything with translated texts, so it imports little.
"""

from pathlib import Path

from PySide6.QtCore import QLocale, QSettings

from app import language
from app.workspace.preferences import Preferences


def settings_in(data: Path) -> QSettings:
    """Open the file with a data folder's preferences and window geometry."""
    return QSettings(str(data / "window.ini"), QSettings.Format.IniFormat)


def speak(data: Path) -> None:
    """Apply the language selected in this data folder."""
    language.use(spoken_for(Preferences(settings_in(data)).language))


def spoken_for(chosen: str) -> str:
    """Return the language code for a setting; English if the language isn't available."""
    if chosen:
        return chosen if chosen in language.LANGUAGES else "en"
    usual = (name.partition("-")[0] for name in QLocale.system().uiLanguages())
    return next((name for name in usual if name in language.LANGUAGES), "en")
