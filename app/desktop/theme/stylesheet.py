"""The style sheet of the app, generated from a theme, and Qt's palette and style between it and Fusion.

Rules look at dynamic properties, never at object names: `kind` on push buttons (primary, secondary, quiet,
danger), `invalid` on inputs, `bare` on inputs and views without a frame, `leading` on spin boxes with a glyph
in front, `ground` on plain widgets (bg, surface, sunken, raised), `tone` (any colour role) on labels. Ticks
and chevrons are painted by `app.desktop.widgets`, because a style sheet cannot colour an image.
"""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QProxyStyle, QWidget

from app.desktop.theme.tokens import DARK, LIGHT, ROLES, Metrics, Tokens, mix

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


BUTTON_TEXT = {"primary": "on_accent", "secondary": "text", "quiet": "text2", "danger": "bad"}
"""The colour role of a button's label, by kind."""

INPUTS = ("QLineEdit", "QPlainTextEdit", "QTextEdit", "QComboBox", "QAbstractSpinBox")


def stylesheet(tokens: Tokens, metrics: Metrics) -> str:
    """Return the whole style sheet (QSS) for a colour table and its measures.

    Nothing in it follows the size of text: another sheet has Qt polish every widget several times over.
    """
    t, m = tokens, metrics
    bare = (_grounds(t), _scroll_bars(t), _progress(t))
    measured = (part(t, m) for part in (_buttons, _inputs, _choices, _menus, _lists, _tabs, _calendar_popup))
    return "\n".join((*bare, *measured))


def _grounds(t: Tokens) -> str:
    frames = "\n".join(
        f'QWidget[ground="{role}"] {{ background: {t.role(role)}; }}'
        for role in ("bg", "surface", "sunken", "raised")
    )
    tones = "\n".join(
        f'QLabel[tone="{role}"] {{ color: {t.role(role)}; }}' for role in sorted(ROLES - {"scrim", "shadow"})
    )
    return f"""
QMainWindow, QDialog {{ background: {t.bg}; }}
{frames}
QLabel {{ background: transparent; }}
{tones}
QToolTip {{
    color: {t.on_tooltip}; background: {t.tooltip}; border: none; padding: 6px 8px;
}}
QSplitter::handle {{ background: {t.line}; }}
"""


def _buttons(t: Tokens, m: Metrics) -> str:
    return f"""
QPushButton {{
    color: {t.text}; background: {t.surface}; border: 1px solid {t.line};
    border-radius: {m.radius}px; padding: 0 12px;
}}
QPushButton:hover {{ background: {t.bg}; }}
QPushButton:pressed {{ background: {t.sunken}; }}
QPushButton[kind="primary"] {{
    color: {t.on_accent}; background: {t.accent}; border: 1px solid {t.accent};
}}
QPushButton[kind="primary"]:hover, QPushButton[kind="primary"]:pressed {{
    background: {t.accent_hover}; border-color: {t.accent_hover};
}}
QPushButton[kind="quiet"] {{ color: {t.text2}; background: transparent; border-color: transparent; }}
QPushButton[kind="quiet"]:hover {{ background: {t.sunken}; }}
QPushButton[kind="quiet"]:pressed, QPushButton[kind="quiet"]:checked {{
    background: {t.sunken}; border-color: {t.line};
}}
QPushButton[kind="danger"] {{ color: {t.bad}; }}
QPushButton[kind="danger"]:hover, QPushButton[kind="danger"]:pressed {{
    background: {t.bad_soft}; border-color: {t.bad_line};
}}
QPushButton:disabled, QPushButton[kind="primary"]:disabled {{
    color: {t.text3}; background: {t.sunken}; border-color: {t.line};
}}
QPushButton[kind="quiet"]:disabled {{ background: transparent; border-color: transparent; }}
QPushButton:focus {{ border: {m.ring}px solid {t.accent}; padding: 0 11px; }}
QPushButton[kind="primary"]:focus {{ border-color: {t.text}; }}
"""


def _inputs(t: Tokens, m: Metrics) -> str:
    names = ", ".join(INPUTS)

    def state(selector: str) -> str:
        return ", ".join(f"{name}{selector}" for name in INPUTS)

    return f"""
{names} {{
    color: {t.text}; background: {t.surface}; border: 1px solid {t.line_strong}; border-radius: {m.radius}px;
    padding: 0 10px; placeholder-text-color: {t.text3};
    selection-color: {t.on_accent}; selection-background-color: {t.accent};
}}
QLineEdit[pill="true"] {{ border-radius: {Metrics.chip // 2}px; }}
QPlainTextEdit, QTextEdit {{ padding: 8px; }}
{state(":hover")} {{ border-color: {t.text3}; }}
QPlainTextEdit[code="true"] {{ border-color: {t.line}; }}
{state('[invalid="true"]')} {{ border-color: {t.bad}; }}
{state(":focus")} {{ border: {m.ring}px solid {t.accent}; padding: 0 9px; }}
QPlainTextEdit:focus, QTextEdit:focus {{ padding: 7px; }}
{state('[invalid="true"]:focus')} {{ border-color: {t.bad}; }}
{state(":disabled")} {{ color: {t.text3}; background: {t.sunken}; border-color: {t.line}; }}
{state('[bare="true"]')} {{
    background: transparent; border: none; padding: 0;
}}
"""


def _choices(t: Tokens, m: Metrics) -> str:
    return f"""
QComboBox::drop-down {{ border: none; width: 28px; }}
QComboBox::down-arrow {{ image: none; }}
QComboBox {{ combobox-popup: 0; }}
QComboBox QAbstractItemView, QComboBox QAbstractItemView:focus {{
    color: {t.text}; background: {t.raised}; border: 1px solid {t.line}; outline: none; padding: 4px;
    selection-color: {t.text}; selection-background-color: {t.accent_soft};
}}
QComboBox QAbstractItemView::item {{
    padding: 5px 8px; border-radius: {m.radius_card}px;
}}
QComboBox QAbstractItemView::item:selected {{ color: {t.text}; background: {t.accent_soft}; }}
QDateEdit::drop-down, QDateTimeEdit::drop-down {{
    subcontrol-origin: border; subcontrol-position: center left; border: none; width: 28px;
}}
QDateEdit::down-arrow, QDateTimeEdit::down-arrow {{ image: none; }}
QAbstractSpinBox[leading="true"], QAbstractSpinBox[leading="true"]:focus {{ padding: 0; }}
QTimeEdit::up-button, QTimeEdit::down-button {{ width: 0; height: 0; subcontrol-position: right; }}
QCheckBox, QRadioButton {{ color: {t.text}; spacing: 10px; background: transparent; }}
QCheckBox:disabled, QRadioButton:disabled {{ color: {t.text3}; }}
"""


def _scroll_bars(t: Tokens) -> str:
    return f"""
QScrollArea, QAbstractScrollArea[bare="true"] {{ background: transparent; border: none; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {t.line_strong}; border-radius: 3px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 32px; }}
QScrollBar::handle:horizontal {{ min-width: 32px; }}
QScrollBar::handle:disabled {{ background: transparent; }}
QScrollBar::handle:hover, QScrollBar::handle:pressed {{ background: {t.text3}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; border: none; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QAbstractScrollArea::corner {{ background: transparent; border: none; }}
"""


def _menus(t: Tokens, m: Metrics) -> str:
    return f"""
QMenu {{
    color: {t.text}; background: {t.raised}; border: 1px solid {t.line};
    border-radius: {m.radius}px; padding: 4px;
}}
QMenu::item {{ padding: 6px 24px 6px 10px; border-radius: {m.radius_card}px; }}
QMenu::icon {{ padding-left: 8px; }}
QMenu::item:selected {{ background: {t.accent_soft}; }}
QMenu::item:disabled {{ color: {t.text3}; }}
QMenu::separator {{ height: 1px; background: {t.line2}; margin: 4px 6px; }}
"""


def _lists(t: Tokens, m: Metrics) -> str:
    return f"""
QAbstractItemView {{
    color: {t.text}; background: {t.surface}; border: 1px solid {t.line};
    selection-color: {t.text}; selection-background-color: {t.accent_soft};
    alternate-background-color: {t.bg};
}}
QAbstractItemView:focus {{ border: {m.ring}px solid {t.accent}; }}
QAbstractItemView[bare="true"], QAbstractItemView[bare="true"]:focus {{ border: none; }}
QHeaderView::section {{
    color: {t.text2}; background: {t.surface}; border: none; border-bottom: 1px solid {t.line};
    padding: 6px 10px;
}}
"""


def _tabs(t: Tokens, m: Metrics) -> str:
    return f"""
QTabWidget::pane {{ border: none; border-top: 1px solid {t.line}; }}
QTabBar {{ background: transparent; qproperty-drawBase: 0; }}
QTabBar::tab {{
    color: {t.text2}; background: transparent; border: none; border-bottom: {m.ring}px solid transparent;
    padding: 8px 0; margin-right: 20px;
}}
QTabBar::tab:hover {{ color: {t.text}; }}
QTabBar::tab:selected {{ color: {t.text}; border-bottom-color: {t.accent}; }}
QTabBar::tab:focus {{ background: {t.accent_soft}; }}
"""


def _calendar_popup(t: Tokens, m: Metrics) -> str:
    return f"""
QCalendarWidget QWidget {{ background: {t.raised}; alternate-background-color: {t.raised}; }}
QCalendarWidget QAbstractItemView {{
    color: {t.text}; background: {t.raised}; border: none; outline: none;
    selection-color: {t.on_accent}; selection-background-color: {t.accent};
}}
QCalendarWidget QAbstractItemView:disabled {{ color: {t.text3}; }}
QCalendarWidget QToolButton {{
    color: {t.text}; background: transparent; border: none;
    border-radius: {m.radius_card}px; padding: 4px 8px;
}}
QCalendarWidget QToolButton:hover {{ background: {t.sunken}; }}
QCalendarWidget QToolButton::menu-indicator {{ image: none; }}
"""


def _progress(t: Tokens) -> str:
    return f"""
QProgressBar {{ background: {t.line2}; border: none; border-radius: 2px; max-height: 4px; min-height: 4px; }}
QProgressBar::chunk {{ background: {t.accent}; border-radius: 2px; }}
"""
