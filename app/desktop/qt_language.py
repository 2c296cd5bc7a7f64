"""Sets Qt's language: its own dialogs and menus, names of days, and numbers."""

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app import language


def speak(app: QCoreApplication) -> None:
    """Set Qt's language. Call this before the first widget is created. For English, Qt's defaults stay."""
    spoken = language.current()
    if spoken == "en":
        return
    QLocale.setDefault(QLocale(spoken))
    own_words = QTranslator(app)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if own_words.load(f"qtbase_{spoken}", folder):
        app.installTranslator(own_words)
