"""Spell checking: unknown words are marked after each pause, and corrected from their menu."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QLocale, QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QActionGroup, QTextCursor

from app.desktop.aio import OnProblem, TaskScope
from app.desktop.commands import Command
from app.desktop.composer.highlighter import Highlighter
from app.desktop.composer.text_box import PostEditor
from app.desktop.widgets import Menu
from app.language import current, tr, trc
from app.workspace.spelling import OFF, Spelling, words_of

_PAUSE_MS = 250
_SHOWN = 40


class SpellCheck(QObject):
    """Inactive if the system has no dictionary."""

    language_chosen = Signal(str)
    """The person chose another language for this draft, or ``off``."""

    def __init__(
        self, editor: PostEditor, highlighter: Highlighter, spelling: Spelling, report: OnProblem
    ) -> None:
        super().__init__(editor)
        self.language = ""
        self._editor, self._marks, self._spelling = editor, highlighter, spelling
        self._judged: dict[str, bool] = {}
        self._scope = TaskScope(self, report)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(lambda: self._scope.start(self.check()))
        editor.document().contentsChanged.connect(self._pause.start)
        editor.cursorPositionChanged.connect(self._pause.start)
        editor.menu_asked.connect(self._ask_menu)

    def begin(self, language: str) -> None:
        """Check in the draft's language; "" for the default."""
        self._scope.start(self._begin(language))

    def command(self, group: str) -> Command:
        """Return the command that goes to the next marked word."""
        return Command(
            tr("Next misspelled word"),
            group,
            self.go_to_next,
            keys=("F7",),
            words=trc("search words", "spelling mistakes"),
            enabled=lambda: bool(self._marks.marked()),
        )

    def go_to_next(self) -> bool:
        """Select the next marked word; return False if there is none."""
        marked = self._marks.marked()
        if not marked:
            return False
        here = self._editor.textCursor().selectionEnd()
        begin, end, _word = next((one for one in marked if one[0] >= here), marked[0])
        self._select(begin, end)
        self._editor.setFocus()
        return True

    async def check(self) -> None:
        """Mark unknown words. Raises Problem."""
        words = {word.text for word in words_of(self._editor.toPlainText())}
        if self.language in ("", OFF):
            self._marks.mark(frozenset(), -1)
            return
        language, asked = self.language, words - self._judged.keys()
        unknown = await self._spelling.unknown(language, asked)
        if language == self.language:
            self._judged |= {word: word not in unknown for word in asked}
            self._mark(words)

    def _mark(self, words: set[str]) -> None:
        wrong = frozenset(word for word in words if not self._judged.get(word, True))
        at = self._editor.textCursor().position() if self._editor.document().isModified() else -1
        self._marks.mark(wrong, at)

    async def _begin(self, language: str) -> None:
        await self._spelling.load()
        there = language == OFF or language in self._spelling.languages
        self.language = language if there else self._spelling.usual(QLocale.system().name())
        self._judged.clear()
        await self.check()

    def _choose(self, language: str) -> None:
        self.begin(language)
        self._scope.start(self._spelling.prefer(language))
        self.language_chosen.emit(language)

    def _ask_menu(self, where: QPoint, position: int) -> None:
        self._scope.start(self._show_menu(where, position))

    async def _show_menu(self, where: QPoint, position: int) -> None:
        marked = next((one for one in self._marks.marked() if one[0] <= position <= one[1]), None)
        found = await self._spelling.suggest(self.language, marked[2]) if marked else []
        self.menu(marked, found, position).popup(where)

    def menu(self, marked: tuple[int, int, str] | None, found: Sequence[str], position: int) -> Menu:
        """Return the context menu at a position: suggestions, and the usual text actions."""
        menu = Menu(self._editor)
        if marked is not None:
            self._add_word(menu, marked, found)
        elif (word := self._word_at(position)) and self._spelling.is_mine(word):
            menu.add(tr("Remove “{word}” from dictionary", word=_short(word)), partial(self._remove, word))
            menu.addSeparator()
        usual = self._editor.createStandardContextMenu()
        usual.setParent(menu, usual.windowFlags())  # goes with it, and is never shown itself
        for action in usual.actions():  # other menus mark no letters, and are in sentence case
            words, _, keys = action.text().replace("&", "").partition("\t")
            words = tr("Select all") if action.objectName() == "select-all" else words
            action.setText(f"{words}\t{keys}" if keys else words)
        menu.addActions(usual.actions())
        if self._spelling.languages:
            menu.addSeparator()
            menu.addMenu(self._languages(menu))
        return menu

    def _add_word(self, menu: Menu, marked: tuple[int, int, str], found: Sequence[str]) -> None:
        begin, end, word = marked
        for one in found:
            menu.add(one, partial(self._replace, begin, end, one))
        if not found:
            menu.add(tr("No suggestions"), lambda: None, enabled=False)
        menu.addSeparator()
        menu.add(tr("Ignore “{word}”", word=_short(word)), partial(self._ignore, word))
        menu.add(tr("Add “{word}” to dictionary", word=_short(word)), partial(self._add, word))
        menu.addSeparator()

    def _languages(self, parent: Menu) -> Menu:
        menu, choices = Menu(parent), QActionGroup(parent)
        menu.setTitle(tr("Spelling language"))
        for language in (*self._spelling.languages, OFF):
            entry = menu.add(language_name(language), partial(self._choose, language))
            entry.setCheckable(True)
            entry.setChecked(language == self.language)
            choices.addAction(entry)
        return menu

    def _word_at(self, position: int) -> str:
        cursor = QTextCursor(self._editor.document())
        cursor.setPosition(position)
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return cursor.selectedText()

    def _replace(self, begin: int, end: int, word: str) -> None:
        self._select(begin, end).insertText(word)

    def _ignore(self, word: str) -> None:
        self._spelling.ignore(word)
        self._judge_again()

    def _add(self, word: str) -> None:
        self._scope.start(self._spelling.add(word))
        self._judge_again()

    def _remove(self, word: str) -> None:
        self._scope.start(self._spelling.remove(word))
        self._judge_again()

    def _judge_again(self) -> None:
        self._judged.clear()
        self._scope.start(self.check())

    def _select(self, begin: int, end: int) -> QTextCursor:
        cursor = self._editor.textCursor()
        cursor.setPosition(begin)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self._editor.setTextCursor(cursor)
        return cursor


def language_name(language: str) -> str:
    """Return the name of a language, such as "English (Austria)"."""
    if language == OFF:
        return tr("Don't check spelling")
    locale = QLocale(language)
    if locale.language() is QLocale.Language.C:
        return language
    name, territory = (
        QLocale.languageToString(locale.language()),
        QLocale.territoryToString(locale.territory()),
    )
    if current() != "en":  # Qt names them in English, or each in its own words
        name, territory = locale.nativeLanguageName(), locale.nativeTerritoryName()
    return f"{name} ({territory})" if "_" in language else name


def _short(word: str) -> str:
    return word if len(word) <= _SHOWN else f"{word[: _SHOWN - 1]}…"
