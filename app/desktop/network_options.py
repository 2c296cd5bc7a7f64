"""Options of posts on companion networks: a content warning, who can see the post, and its language."""

from collections.abc import Collection, Iterator
from typing import Final

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.contract.limits import CONTENT_WARNING_MAX
from app.contract.places import PlaceOptions, Visibility
from app.desktop.carried import writable
from app.desktop.widgets import ComboBox, Field, LineEdit, Reflow
from app.language import tr
from app.workspace.editing.options import PostOptions

_DEFAULT: Final = tr("Account's default")
_NOT_SPECIFIED: Final = tr("Not specified")
"""Bluesky's accounts have no default language."""
_VISIBILITIES: Final = {
    Visibility.PUBLIC.value: tr("Public"),
    Visibility.UNLISTED.value: tr("Unlisted"),
    Visibility.FOLLOWERS.value: tr("Followers only"),
}
_EXPLAINED: Final = {
    Visibility.PUBLIC.value: tr("Anyone can see it."),
    Visibility.UNLISTED.value: tr("Left out of public timelines."),
    Visibility.FOLLOWERS.value: tr("Only followers can see it."),
}
_LANGUAGES: Final = (
    "ar be bg bn ca cs cy da de el en eo es et eu fa fi fr ga gd gl he hi hr hu hy id is it ja ka ko lt lv "
    "mk ms nb nl nn pl pt ro ru sk sl sq sr sv ta th tr uk ur vi zh"
)
"""Languages to choose from, in ISO 639-1."""
_ONE_LINE: Final = str.maketrans("\n\t", "  ")


def language_name(tag: str) -> str:
    """Return a language's name in that language; the tag if it's unknown."""
    locale = QLocale(tag.replace("-", "_"))
    if locale.language() is QLocale.Language.C:
        return tag
    name = locale.nativeLanguageName()
    return name[:1].upper() + name[1:] if name else tag


def options_lines(options: PlaceOptions) -> list[str]:
    """Return the options of a post, one per line."""
    return [f"{name}: {value}" for name, value in _named(options)]


def _named(options: PlaceOptions) -> Iterator[tuple[str, str]]:
    if options.content_warning:
        yield tr("Content warning"), options.content_warning
    if options.visibility is not None:
        yield tr("Visibility"), visibility_words(options)
    if options.language:
        yield tr("Language"), language_name(options.language)


def visibility_words(options: PlaceOptions | None) -> str:
    """Return who can see a post; "" if that's up to its account."""
    visibility = options.visibility if options else None
    return "" if visibility is None else _VISIBILITIES.get(visibility.value, visibility.value)


class OptionsField(QWidget):
    """The options for one account."""

    changed = Signal()
    """The user changed an option."""

    def __init__(self, taken: Collection[str], parent: QWidget | None = None) -> None:
        """``taken`` are the names of the options that the account's network supports."""
        super().__init__(parent)
        self.warning, self.visibility, self.language = LineEdit(), ComboBox(), ComboBox()
        self.warning.setMaxLength(CONTENT_WARNING_MAX)
        for combo in (self.visibility, self.language):
            combo.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
            has_default = combo is self.visibility or "visibility" in taken
            combo.addItem(_DEFAULT if has_default else _NOT_SPECIFIED, "")
        for value, words in _VISIBILITIES.items():
            self.visibility.addItem(words, value)
            explained = _EXPLAINED[value]
            self.visibility.setItemData(self.visibility.count() - 1, explained, Qt.ItemDataRole.ToolTipRole)
        for tag in sorted(_LANGUAGES.split(), key=lambda tag: language_name(tag).casefold()):
            self.language.addItem(language_name(tag), tag)
        self._warning = Field(
            tr("Content warning"), self.warning, tr("Readers see only this until they open the post.")
        )
        self._visibility = Field(tr("Visibility"), self.visibility)
        self._language = Field(tr("Language"), self.language)
        self._lay_out()
        for name, field in (
            ("content_warning", self._warning),
            ("visibility", self._visibility),
            ("language", self._language),
        ):
            field.setVisible(name in taken)
        self.warning.textEdited.connect(lambda _text: self.changed.emit())
        for combo in (self.visibility, self.language):
            combo.activated.connect(lambda _index: self._choose())

    def options(self) -> PostOptions:
        """Return the selected options."""
        warning = writable(self.warning.text()).translate(_ONE_LINE)
        visibility, language = self.visibility.currentData(), self.language.currentData()
        return PostOptions(warning, visibility or "", language or "")

    def set_options(self, options: PostOptions) -> None:
        """Select other options, without emitting `changed`."""
        if options == self.options():
            return
        self.warning.setText(options.content_warning)
        for combo, value in ((self.visibility, options.visibility), (self.language, options.language)):
            if combo.findData(value) < 0:  # another program's choice
                combo.addItem(language_name(value) if combo is self.language else value, value)
            combo.setCurrentIndex(combo.findData(value))
        self._explain()

    def name_for(self, account: str) -> None:
        """Label the fields with their account; "" if it's the only one."""
        for field, alone, named in (
            (self._warning, tr("Content warning"), tr("Content warning for {account}", account=account)),
            (self._visibility, tr("Visibility"), tr("Visibility for {account}", account=account)),
            (self._language, tr("Language"), tr("Language for {account}", account=account)),
        ):
            field.set_label(named if account else alone)

    def _choose(self) -> None:
        self._explain()
        self.changed.emit()

    def _explain(self) -> None:
        self._visibility.set_help(_EXPLAINED.get(self.visibility.currentData() or "", ""))

    def _lay_out(self) -> None:
        row = Reflow((1, 1))
        for place, field in enumerate((self._visibility, self._language)):
            row.add(field, 0, place, align=Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self._warning)
        column.addWidget(row)
