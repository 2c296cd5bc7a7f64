"""The widgets that all panes share, with colours, fonts and measures from the current theme.

Each is imported on first use, because the window shows before most of them are needed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from app.desktop.widgets.avatar import Avatar, AvatarToggle, Face, Swatch, initials, paint_avatar
    from app.desktop.widgets.badge import Badge, Chip, PopupChip, PracticeTag, Tag
    from app.desktop.widgets.button import (
        Button,
        FoldButton,
        IconButton,
        KeyHint,
        LinkButton,
        More,
        danger,
        primary,
        quiet,
        secondary,
    )
    from app.desktop.widgets.date_field import DateField, MonthCalendar
    from app.desktop.widgets.field import Field
    from app.desktop.widgets.focus import keeping_focus, order_tabs, stop_at_checked
    from app.desktop.widgets.inputs import (
        CheckBox,
        ComboBox,
        LineEdit,
        RadioButton,
        Switch,
        TimeField,
    )
    from app.desktop.widgets.label import Divider, ElidedLabel, IconLabel, Label, TailLabel
    from app.desktop.widgets.layouts import FlowLayout, Reflow, clear, ends_of, keep_room, line_of
    from app.desktop.widgets.menu import Menu
    from app.desktop.widgets.panel import (
        Card,
        Panel,
        Popover,
        SidePanel,
        keep_room_for_bar,
        scroll_area,
        scrolled,
        scrolled_column,
    )
    from app.desktop.widgets.screen_reader import PausedAnnouncer, RowList, announce
    from app.desktop.widgets.segmented import Segmented
    from app.desktop.widgets.sheet import Sheet
    from app.desktop.widgets.spring import SpringPress
    from app.desktop.widgets.states import EmptyState, MessageStrip, Skeleton, StateStrip
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
    "FoldButton",
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
    "PopupChip",
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
    "TailLabel",
    "TimeField",
    "ZonePicker",
    "announce",
    "clear",
    "danger",
    "ends_of",
    "initials",
    "keep_room",
    "keep_room_for_bar",
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
    "avatar": ("Avatar", "AvatarToggle", "Face", "Swatch", "initials", "paint_avatar"),
    "badge": ("Badge", "Chip", "PopupChip", "PracticeTag", "Tag"),
    "button": (
        "Button",
        "FoldButton",
        "IconButton",
        "KeyHint",
        "LinkButton",
        "More",
        "danger",
        "primary",
        "quiet",
        "secondary",
    ),
    "date_field": ("DateField", "MonthCalendar"),
    "field": ("Field",),
    "focus": ("keeping_focus", "order_tabs", "stop_at_checked"),
    "inputs": ("CheckBox", "ComboBox", "LineEdit", "RadioButton", "Switch", "TimeField"),
    "label": ("Divider", "ElidedLabel", "IconLabel", "Label", "TailLabel"),
    "layouts": ("FlowLayout", "Reflow", "clear", "ends_of", "keep_room", "line_of"),
    "menu": ("Menu",),
    "panel": (
        "Card",
        "Panel",
        "Popover",
        "SidePanel",
        "keep_room_for_bar",
        "scroll_area",
        "scrolled",
        "scrolled_column",
    ),
    "screen_reader": ("PausedAnnouncer", "RowList", "announce"),
    "segmented": ("Segmented",),
    "sheet": ("Sheet",),
    "spring": ("SpringPress",),
    "states": ("EmptyState", "MessageStrip", "Skeleton", "StateStrip"),
    "zone_picker": ("ZonePicker",),
}
"""What each module of this package offers here."""
_MODULE_OF: Final = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a widget; Python calls this once for each."""
    if (module := _MODULE_OF.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
    return found
