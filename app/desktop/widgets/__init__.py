"""The building blocks of every pane: they take colours, fonts and measures from the theme and follow it.

Each is imported when it is first used: the window shows before most of them are needed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from app.desktop.widgets.announcing import PausedAnnouncer, announce
    from app.desktop.widgets.avatar import Avatar, AvatarToggle, Face, Swatch, initials, paint_avatar
    from app.desktop.widgets.badge import Badge, PracticeTag, Tag
    from app.desktop.widgets.button import (
        Button,
        IconButton,
        KeyHint,
        LinkButton,
        danger,
        primary,
        quiet,
        secondary,
    )
    from app.desktop.widgets.chip import Chip
    from app.desktop.widgets.clearing import clear
    from app.desktop.widgets.date_field import DateField, MonthCalendar
    from app.desktop.widgets.field import Field
    from app.desktop.widgets.flow_layout import FlowLayout
    from app.desktop.widgets.focus import keeping_focus
    from app.desktop.widgets.inputs import (
        CheckBox,
        ComboBox,
        LineEdit,
        RadioButton,
        Switch,
        TimeField,
    )
    from app.desktop.widgets.label import Divider, ElidedLabel, IconLabel, Label
    from app.desktop.widgets.menu import Menu
    from app.desktop.widgets.message_strip import MessageStrip
    from app.desktop.widgets.more import More
    from app.desktop.widgets.panel import Card, Panel
    from app.desktop.widgets.popover import Popover
    from app.desktop.widgets.reflow import Reflow, line_of
    from app.desktop.widgets.row_list import RowList
    from app.desktop.widgets.scrolling import scroll_area, scrolled, scrolled_column
    from app.desktop.widgets.segmented import Segmented
    from app.desktop.widgets.sheet import Sheet
    from app.desktop.widgets.side_panel import SidePanel
    from app.desktop.widgets.spring import SpringPress
    from app.desktop.widgets.state_strip import StateStrip
    from app.desktop.widgets.states import EmptyState, Skeleton
    from app.desktop.widgets.tab_order import order_tabs, stop_at_checked
    from app.desktop.widgets.zone_picker import ZonePicker

__all__ = [
    "Avatar",
    "AvatarToggle",
    "Badge",
    "Button",
    "Card",
    "CheckBox",
    "Chip",
    "ComboBox",
    "DateField",
    "Divider",
    "ElidedLabel",
    "EmptyState",
    "Face",
    "Field",
    "FlowLayout",
    "IconButton",
    "IconLabel",
    "KeyHint",
    "Label",
    "LineEdit",
    "LinkButton",
    "Menu",
    "MessageStrip",
    "MonthCalendar",
    "More",
    "Panel",
    "PausedAnnouncer",
    "Popover",
    "PracticeTag",
    "RadioButton",
    "Reflow",
    "RowList",
    "Segmented",
    "Sheet",
    "SidePanel",
    "Skeleton",
    "SpringPress",
    "StateStrip",
    "Swatch",
    "Switch",
    "Tag",
    "TimeField",
    "ZonePicker",
    "announce",
    "clear",
    "danger",
    "initials",
    "keeping_focus",
    "line_of",
    "order_tabs",
    "paint_avatar",
    "primary",
    "quiet",
    "scroll_area",
    "scrolled",
    "scrolled_column",
    "secondary",
    "stop_at_checked",
]

_NAMES: Final = {
    "announcing": ("PausedAnnouncer", "announce"),
    "avatar": ("Avatar", "AvatarToggle", "Face", "Swatch", "initials", "paint_avatar"),
    "badge": ("Badge", "PracticeTag", "Tag"),
    "button": ("Button", "IconButton", "KeyHint", "LinkButton", "danger", "primary", "quiet", "secondary"),
    "chip": ("Chip",),
    "clearing": ("clear",),
    "date_field": ("DateField", "MonthCalendar"),
    "field": ("Field",),
    "flow_layout": ("FlowLayout",),
    "focus": ("keeping_focus",),
    "inputs": ("CheckBox", "ComboBox", "LineEdit", "RadioButton", "Switch", "TimeField"),
    "label": ("Divider", "ElidedLabel", "IconLabel", "Label"),
    "menu": ("Menu",),
    "message_strip": ("MessageStrip",),
    "more": ("More",),
    "panel": ("Card", "Panel"),
    "popover": ("Popover",),
    "reflow": ("Reflow", "line_of"),
    "row_list": ("RowList",),
    "scrolling": ("scroll_area", "scrolled", "scrolled_column"),
    "segmented": ("Segmented",),
    "sheet": ("Sheet",),
    "side_panel": ("SidePanel",),
    "spring": ("SpringPress",),
    "state_strip": ("StateStrip",),
    "states": ("EmptyState", "Skeleton"),
    "tab_order": ("order_tabs", "stop_at_checked"),
    "zone_picker": ("ZonePicker",),
}
"""What each module of this package offers here."""
_MODULE_OF: Final = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a building block; Python asks once for each."""
    if (module := _MODULE_OF.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
    return found
