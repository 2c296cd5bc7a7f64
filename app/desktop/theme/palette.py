"""Qt's palette and style: between the colour table and Fusion, and the system's high contrast."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QProxyStyle, QWidget

from app.desktop.theme.tokens import DARK, LIGHT, Tokens, mix

_ROLE = QPalette.ColorRole
_ROLES = {
    _ROLE.Window: "bg",
    _ROLE.WindowText: "text",
    _ROLE.Base: "surface",
    _ROLE.AlternateBase: "bg",
    _ROLE.Text: "text",
    _ROLE.PlaceholderText: "text3",
    _ROLE.Button: "surface",
    _ROLE.ButtonText: "text",
    _ROLE.BrightText: "bad",
    _ROLE.ToolTipBase: "tooltip",
    _ROLE.ToolTipText: "on_tooltip",
    _ROLE.Highlight: "accent",
    _ROLE.HighlightedText: "on_accent",
    _ROLE.Link: "accent",
    _ROLE.LinkVisited: "accent",
    _ROLE.Accent: "accent",
    _ROLE.Light: "surface",
    _ROLE.Midlight: "line2",
    _ROLE.Mid: "line",
    _ROLE.Dark: "line",
    _ROLE.Shadow: "line",
}


def palette_from_tokens(tokens: Tokens) -> QPalette:
    """Return the palette that makes unstyled parts of Qt look like the rest."""
    palette = QPalette()
    for role, name in _ROLES.items():
        palette.setColor(role, QColor(tokens.role(name)))
    for role in (_ROLE.WindowText, _ROLE.Text, _ROLE.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(tokens.text3))
    return palette


def tokens_from_palette(palette: QPalette, *, dark: bool) -> Tokens:
    """Return a colour table made of the system's palette, for its high contrast mode.

    Quiet text and hairlines become plain text, soft fills become the ground: what was told apart by shade is
    told apart by line and word.
    """

    def name(role: QPalette.ColorRole) -> str:
        return palette.color(role).name().upper()

    window, base, text = name(_ROLE.Window), name(_ROLE.Base), name(_ROLE.Text)
    highlight, highlighted = name(_ROLE.Highlight), name(_ROLE.HighlightedText)
    return replace(
        DARK if dark else LIGHT,
        bg=window,
        surface=base,
        sunken=window,
        raised=base,
        line=text,
        line2=text,
        line_strong=text,
        data1=mix(base, text, 0.12),
        data2=mix(base, text, 0.3),
        data3=mix(base, text, 0.5),
        text=text,
        text2=text,
        text3=text,
        accent=highlight,
        accent_hover=highlight,
        accent_soft=base,
        on_accent=highlighted,
        ok_soft=base,
        warn_soft=base,
        bad_soft=base,
        tooltip=text,
        on_tooltip=base,
    )


class PlainTextStyle(QProxyStyle):
    """Fusion whose labels and tooltips show text as it is written.

    A label that guesses takes `<img src="file:...">` in a post's text or an account's name for markup, and
    reads the file. Qt's tooltip is such a label; it is polished before it gets its text.
    """

    def __init__(self) -> None:
        super().__init__("Fusion")

    def polish(self, polished: QWidget | QApplication | QPalette) -> None:  # type: ignore[override]
        """Prepare a widget before it is shown for the first time."""
        if isinstance(polished, QLabel) and polished.textFormat() is Qt.TextFormat.AutoText:
            polished.setTextFormat(Qt.TextFormat.PlainText)
        super().polish(polished)
