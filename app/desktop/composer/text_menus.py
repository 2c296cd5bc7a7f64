"""The menus of saved texts and of earlier texts."""

from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QTextEdit, QVBoxLayout, QWidget

from app.desktop.aio import OnProblem, TaskScope
from app.desktop.widgets import (
    Divider,
    ElidedLabel,
    Field,
    IconButton,
    Label,
    LineEdit,
    Menu,
    Popover,
    Sheet,
    primary,
    scrolled,
)
from app.desktop.words import clock, day, platform_name
from app.language import tr
from app.workspace.drafts.versions import DraftVersions, Version
from app.workspace.editing.model import DraftModel
from app.workspace.editing.snippets import NAME_MAX, Snippets

_SHOWN = 46
_INSET, _LIST_MOST = 20, 320
_EXAMPLE = tr("For example, “Wool hashtags”.")


class NamePopover(Popover):
    """Asks for a name, and says if another text has it."""

    def __init__(self, parent: QWidget, taken: dict[str, str]) -> None:
        super().__init__(parent)
        self._taken = taken
        self.setAccessibleName(tr("Save text"))
        self.name, self.save = LineEdit(), primary(tr("Save"), size="small")
        self.name.setMaxLength(NAME_MAX)
        self.field = Field(tr("Name"), self.name, _EXAMPLE)
        self.field.setMinimumWidth(260)
        self.body.addWidget(self.field)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.save)
        self.body.addLayout(foot)
        self.name.textEdited.connect(self._look)
        self._look()

    def _look(self) -> None:
        name = " ".join(self.name.text().split())
        self.save.setEnabled(bool(name))
        self.field.set_help(
            tr("Replaces the saved text with this name.") if name in self._taken else _EXAMPLE
        )


class SavedTextsSheet(Sheet):
    """Lists saved texts with their first words. Deleted ones can be restored until it's closed."""

    def __init__(self, host: QWidget, snippets: Snippets, scope: TaskScope) -> None:
        super().__init__(host, tr("Saved texts"))
        self._snippets, self._scope = snippets, scope
        self.done = primary(tr("Done"))
        self.rows: dict[str, tuple[ElidedLabel, IconButton]] = {}
        self._lay_out()
        self.done.clicked.connect(self.dismiss)

    def _lay_out(self) -> None:
        head = QVBoxLayout()
        head.setContentsMargins(_INSET, 16, _INSET, 12)
        head.addWidget(Label(tr("Saved texts"), "section"))
        holder, column = QWidget(), QVBoxLayout()
        holder.setLayout(column)
        column.setContentsMargins(_INSET, 12, _INSET, 12)
        column.setSpacing(12)
        for name, text in self._snippets.all().items():
            column.addWidget(self._row(name, text))
        column.addStretch(1)
        area = scrolled(holder)
        area.setFixedHeight(min(_LIST_MOST, holder.sizeHint().height() + 8))
        foot = QHBoxLayout()
        foot.setContentsMargins(_INSET, 12, _INSET, 12)
        foot.addStretch(1)
        foot.addWidget(self.done)
        self.layout_.addLayout(head)
        self.layout_.addWidget(Divider())
        self.layout_.addWidget(area)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(foot)

    def _row(self, name: str, text: str) -> QWidget:
        row, line, words = QWidget(), QHBoxLayout(), QVBoxLayout()
        row.setLayout(line)
        line.setContentsMargins(0, 0, 0, 0)
        words.setSpacing(1)
        title = ElidedLabel(name, "strong")
        words.addWidget(title)
        words.addWidget(ElidedLabel(" ".join(text.split()), "card", "text2"))
        delete = IconButton("trash-2", tr("Delete “{name}”", name=name), size="small")
        delete.clicked.connect(lambda: self._delete(name, text))
        line.addLayout(words, 1)
        line.addWidget(delete)
        self.rows[name] = title, delete
        return row

    def _delete(self, name: str, text: str) -> None:
        """Delete a text, or restore it."""
        title, button = self.rows[name]
        gone = name in self._snippets.all()
        title.set_tone("text3" if gone else "text")
        title.setText(tr("{name}, deleted", name=name) if gone else name)
        button.set_icon("undo-2" if gone else "trash-2")
        button.set_name(tr("Restore “{name}”", name=name) if gone else tr("Delete “{name}”", name=name))
        self._scope.start(self._snippets.remove([name]) if gone else self._snippets.keep(name, text))


class SavedTexts(QObject):
    """The menu of a button next to an editor."""

    def __init__(self, button: IconButton, editor: QTextEdit, snippets: Snippets, report: OnProblem) -> None:
        super().__init__(button)
        self.button, self._editor, self._snippets = button, editor, snippets
        self._scope = TaskScope(self, report)
        button.clicked.connect(self.open)
        self._scope.start(snippets.load())

    def open(self) -> None:
        """Show the menu."""
        self.menu().open_below(self.button)

    def menu(self) -> Menu:
        """Return the current menu."""
        menu, texts = Menu(self.button), self._snippets.all()
        for name, text in texts.items():
            entry = menu.add(_short(name), partial(self.put_in, text), icon=_icon(text))
            entry.setToolTip(text)
        if texts:
            menu.addSeparator()
        selected = self._editor.textCursor().hasSelection()
        what = tr("Save selected text…") if selected else tr("Save this text…")
        words = bool(self.words().strip())
        menu.add(what, self.ask_name, icon="plus", enabled=words)
        if texts:
            menu.add(tr("Manage saved texts…"), self.show_list, icon="list")
        return menu

    def words(self) -> str:
        """Return the text to save: the selection, or everything."""
        selected = self._editor.textCursor().selection().toPlainText()
        return selected or self._editor.toPlainText()

    def put_in(self, text: str) -> None:
        """Insert a text at the cursor, separated from the words around it."""
        cursor = self._editor.textCursor()
        before = self._editor.toPlainText()[: cursor.selectionStart()]
        gap = " " if before and not before[-1].isspace() else ""
        cursor.insertText(gap + text)
        self._editor.setTextCursor(cursor)
        self._editor.setFocus()

    def ask_name(self) -> NamePopover:
        """Ask for the name of the saved text."""
        popover = NamePopover(self.button, self._snippets.all())
        words = self.words()
        popover.save.clicked.connect(lambda: self._keep(popover, words))
        popover.name.returnPressed.connect(lambda: self._keep(popover, words))
        popover.open_below(self.button)
        popover.name.setFocus()
        return popover

    def show_list(self) -> SavedTextsSheet:
        """Show all saved texts, for deleting."""
        sheet = SavedTextsSheet(self.button, self._snippets, self._scope)
        sheet.present()
        return sheet

    def _keep(self, popover: NamePopover, words: str) -> None:
        if popover.name.text().strip():
            self._scope.start(self._snippets.keep(popover.name.text(), words))
            popover.close()


def _icon(text: str) -> str:
    """Return the icon; groups of hashtags have another one."""
    return "hash" if all(word.startswith("#") for word in text.split()) else "file-pen-line"


def _short(name: str) -> str:
    return name if len(name) <= _SHOWN else name[: _SHOWN - 1].rstrip() + "…"


_LABEL_MAX = 44


class EarlierTexts(QObject):
    """The menu of a button. A text of a single account names its platform."""

    chosen = Signal(object)
    """The Version that is to be written again."""

    def __init__(
        self,
        button: IconButton,
        versions: DraftVersions,
        model: DraftModel,
        zone: ZoneInfo,
        report: OnProblem,
    ) -> None:
        super().__init__(button)
        self._button, self._versions, self._model, self._zone = button, versions, model, zone
        self._scope = TaskScope(self, report)
        button.clicked.connect(self.open)

    def open(self) -> None:
        """Show the menu."""
        self._scope.start(self._open())

    async def menu(self) -> Menu:
        """Return the current menu. Raises Problem."""
        menu = Menu(self._button)
        for version in await self._versions.of(self._model.draft_id):
            menu.add(self._label(version), partial(self.chosen.emit, version), icon="history")
        if menu.isEmpty():
            menu.add(tr("No earlier texts yet"), lambda: None, enabled=False)
        return menu

    async def _open(self) -> None:
        menu = await self.menu()
        menu.open_below(self._button)

    def _label(self, version: Version) -> str:
        until = datetime.fromtimestamp(version.at / 1_000, self._zone)
        parts = (" ".join(words.split()) for words in (version.title, version.text))
        text = " · ".join(part for part in parts if part)
        account = self._model.accounts.known.get(version.account_key)
        if account is not None:
            text = f"{platform_name(account.platform.value)}: {text}"
        shown = text if len(text) <= _LABEL_MAX else text[: _LABEL_MAX - 1].rstrip() + "…"
        return f"{day(until)}, {clock(until)}  {shown}"
