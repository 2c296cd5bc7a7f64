"""The style sheet of the app, generated from a theme.

Rules look at dynamic properties, never at object names: `kind` on push buttons (primary, secondary, quiet,
danger), `invalid` on inputs, `bare` on inputs and views without a frame, `leading` on spin boxes with a glyph
in front, `ground` on plain widgets (bg, surface, sunken, raised), `tone` (any colour role) on labels. Ticks
and chevrons are painted by `app.desktop.widgets`, because a style sheet cannot colour an image.
"""

from app.desktop.theme.tokens import ROLES, Metrics, Tokens

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
