"""File dialogs that start in the usual folder for the type of file."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from app.language import tr
from app.workspace.safe_names import safe_name

Place = Literal["pictures", "downloads", "documents"]

_USUAL = {
    "pictures": QStandardPaths.StandardLocation.PicturesLocation,
    "downloads": QStandardPaths.StandardLocation.DownloadLocation,
    "documents": QStandardPaths.StandardLocation.DocumentsLocation,
}
_TABLES: Final = tr("CSV files (*.csv *.tsv *.txt)")
_CSV: Final = tr("CSV file (*.csv)")
_last: dict[Place, Path] = {}
"""The folders used last, until the app ends."""


def ask_to_open(
    parent: QWidget, title: str, filters: Sequence[str], then: Callable[[Path], object], place: Place
) -> QFileDialog:
    """Ask for an existing file.

    Args:
        parent: the dialog belongs to its window.
        title: of the dialog.
        filters: file types to offer, in Qt's format.
        then: called with the file.
        place: where the dialog starts the first time; later in the folder used last.
    """
    return ask_for_several(parent, title, filters, lambda files: then(files[0]), place, most=1)


def ask_for_several(
    parent: QWidget,
    title: str,
    filters: Sequence[str],
    then: Callable[[list[Path]], object],
    place: Place,
    *,
    most: int | None = None,
) -> QFileDialog:
    """Ask for existing files, like `ask_to_open`; `most` is None for any number."""
    dialog = _dialog(parent, title, filters, place)
    one, several = QFileDialog.FileMode.ExistingFile, QFileDialog.FileMode.ExistingFiles
    dialog.setFileMode(one if most == 1 else several)
    return _open(dialog, place, then)


def ask_to_save(
    parent: QWidget,
    title: str,
    name: str,
    endings: Sequence[str],
    then: Callable[[Path], object],
    place: Place,
    *,
    filters: Sequence[str] = (),
) -> QFileDialog:
    """Ask where to save a file.

    Args:
        parent: the dialog belongs to its window.
        title: of the dialog.
        name: the suggested file name; unsafe characters are replaced.
        endings: allowed extensions of the suggested name, without dots; the first one is the default.
        then: called with the file.
        place: where the dialog starts the first time.
        filters: file types to offer.
    """
    dialog = _dialog(parent, title, filters, place)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setDefaultSuffix(endings[0])
    dialog.selectFile(safe_name(name, endings))
    return _open(dialog, place, lambda files: then(files[0]))


def ask_for_table(parent: QWidget, then: Callable[[Path], object]) -> QFileDialog:
    """Ask for a CSV file of posts to import."""
    return ask_to_open(parent, tr("Import posts from CSV"), (_TABLES, tr("All files (*)")), then, "documents")


def ask_to_save_table(parent: QWidget, title: str, name: str, then: Callable[[Path], object]) -> QFileDialog:
    """Ask where to save a CSV file."""
    return ask_to_save(parent, title, name, ("csv",), then, "documents", filters=(_CSV,))


def dismiss_dialogs(window: QWidget) -> None:
    """Close all file dialogs of a window without an answer."""
    for dialog in window.findChildren(QFileDialog):
        dialog.reject()


def _dialog(parent: QWidget, title: str, filters: Sequence[str], place: Place) -> QFileDialog:
    dialog = QFileDialog(parent.window(), title, str(_folder(place)))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if filters:
        dialog.setNameFilters(filters)
    return dialog


def _open(dialog: QFileDialog, place: Place, then: Callable[[list[Path]], object]) -> QFileDialog:
    def chosen(names: list[str]) -> None:
        files = [Path(name) for name in names]
        if files:
            _last[place] = files[0].parent
            then(files)

    dialog.filesSelected.connect(chosen)
    dialog.open()
    return dialog


def _folder(place: Place) -> Path:
    last = _last.get(place)
    if last is not None and last.is_dir():
        return last
    usual = Path(QStandardPaths.writableLocation(_USUAL[place]))
    return usual if usual.is_dir() else Path.home()
