"""Has Qt speak the person's language too: its own dialogs and menus, names of days, and numbers."""

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app import language


def speak(app: QCoreApplication) -> None:
    """To be called before the first widget is made. In English all stays as Qt has it by itself."""
    spoken = language.current()
    if spoken == "en":
        return
    QLocale.setDefault(QLocale(spoken))
    own_words = QTranslator(app)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if own_words.load(f"qtbase_{spoken}", folder):
        app.installTranslator(own_words)
