"""Keyboard access to everything: the palette, the search, the keyboard help, and their commands."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Protocol
from zoneinfo import ZoneInfo

from app.contract.enums import ConnectionPlatform
from app.desktop.calendar import CalendarPane
from app.desktop.commands import Command, CommandSet
from app.desktop.connections.connecting import connectable, offered
from app.desktop.palette import KeyboardHelp, Mode, Palette
from app.desktop.shell.window import DESTINATIONS, MainWindow
from app.desktop.theme import icons
from app.desktop.words import platform_name
from app.language import mid_sentence, percent, tr
from app.workspace.messages import Message
from app.workspace.preferences import TEXT_SIZES
from app.workspace.workspace import Workspace

if TYPE_CHECKING:
    from app.desktop.media.pane import MediaPane
    from app.desktop.shell.side_panels import SidePanels

_MORE_KEYS = {"settings": ("Ctrl+,",)}

_GENERAL, _APPEARANCE, _CONNECT = tr("General"), tr("Appearance"), tr("Connections")
_MODES = {
    "system": (tr("Appearance: system"), "monitor"),
    "light": (tr("Appearance: light"), "sun"),
    "dark": (tr("Appearance: dark"), "moon"),
    "contrast": (tr("Appearance: high contrast"), "eye"),
}


class Places(Protocol):
    """The parts of the main controller that the finder uses."""

    @property
    def window(self) -> MainWindow: ...
    @property
    def workspace(self) -> Workspace: ...
    @property
    def calendar(self) -> CalendarPane: ...
    @property
    def media(self) -> "MediaPane": ...
    @property
    def panels(self) -> "SidePanels": ...
    def complete(self) -> None: ...
    def open_draft(self, draft_id: str) -> object: ...
    def write_post(self, text: str, at: int) -> object: ...
    def connect_platform(self, platform: str) -> object: ...


class Finder:
    """The window's commands, and the palette."""

    def __init__(self, places: Places, zone: ZoneInfo) -> None:
        self._places = places
        self._window = places.window
        self._zone = zone
        self._preferences = places.window.preferences
        self._palette = Palette(self._window, places.workspace, zone, self.sets, self._preferences, self)
        self.commands = CommandSet(self._window)
        self.commands.add(
            *self._general(), self._guide(), *self._appearances(), *self._text_sizes(), *self._connects()
        )
        self._window.rail.search_asked.connect(self.open_palette)

    def sets(self) -> list[CommandSet]:
        """Return all command sets of the window, the window's own first."""
        self._places.complete()
        found: list[CommandSet] = self._window.findChildren(CommandSet)
        return [self.commands, *(one for one in found if one is not self.commands)]

    def prepare(self) -> None:
        """Prepare the palette before it's first opened."""
        self._palette.prepare()

    def open_palette(self) -> None:
        """Open the palette, or switch the open search to it."""
        self._palette.begin(Mode.COMMANDS)

    def open_search(self) -> None:
        """Open the search, or switch the open palette to it."""
        self._palette.begin(Mode.SEARCH)

    def show_keyboard(self) -> None:
        """Show all shortcuts."""
        KeyboardHelp(self._window, self.sets()).present()

    def show_guide(self) -> None:
        """Show the user guide, which is part of the app."""
        from app.desktop.guide import GuideSheet

        GuideSheet(self._window).show_guide()

    def close(self) -> None:
        """Remove the window's commands and the palette."""
        self._palette.dismiss()
        self._palette.deleteLater()
        self._window.rail.search_asked.disconnect(self.open_palette)
        self.commands.end()

    def run_command(self, owner: CommandSet, command: Command) -> None:
        """Run a command in the pane it belongs to."""
        self._preferences.use_command(command.name)
        if owner.place:
            self._window.go(owner.place)
        command.run()

    def open_post(self, key: str) -> None:
        """Show a post on the calendar, and its details in the side panel."""
        if self._places.workspace.posts.get(key) is None:
            self._window.messages.tell(Message("info", tr("This post no longer exists.")))
            return
        self._window.go("calendar")
        self._places.panels.inspect(key)
        self._places.calendar.reveal([key])

    def open_draft(self, draft_id: str) -> None:
        """Continue writing a draft."""
        self._places.open_draft(draft_id)

    def open_file(self, path: str) -> None:
        """Show a file in Media."""
        self._window.go("media")
        self._places.media.show_file(path)

    def choose_posts(self, keys: Iterable[str]) -> None:
        """Select posts on the calendar."""
        self._window.go("calendar")
        self._places.calendar.reveal(keys)

    def go_to_day(self, day: int) -> None:
        """Show a day on the calendar."""
        self._window.go("calendar")
        calendar = self._places.calendar
        calendar.show_span(calendar.grid.span, day)

    def write_post(self, text: str, at: int) -> None:
        """Start a post with a text at a time; the composer's draft is kept."""
        self._places.write_post(text, at)

    def _guide(self) -> Command:
        words = tr("help manual documentation how to")
        return Command(tr("User guide"), _GENERAL, self.show_guide, icon="info", words=words)

    def _general(self) -> list[Command]:
        return [
            Command(tr("Command palette"), _GENERAL, self.open_palette, keys=("Ctrl+K",), listed=False),
            Command(
                tr("Search…"), _GENERAL, self.open_search, keys=("Ctrl+F",), icon="search", words=tr("find")
            ),
            Command(
                tr("Keyboard shortcuts"),
                _GENERAL,
                self.show_keyboard,
                keys=("F1",),
                icon="keyboard",
                words=tr("help keys"),
            ),
            *self._regions(),
            Command(
                tr("Go to the latest message"),
                _GENERAL,
                self._window.messages.focus_newest,
                icon="info",
                words=tr("notice strip undo"),
                enabled=lambda: bool(self._window.messages.texts()),
            ),
            *self._destinations(),
            Command(
                tr("Review conflicts…"),
                _GENERAL,
                self._compare,
                icon="circle-alert",
                words=tr("conflicts"),
                enabled=lambda: bool(self._places.workspace.conflicts),
            ),
            Command(
                tr("Other calendars…"),
                _GENERAL,
                self._window.home_menu_requested.emit,
                icon="server",
                words=tr("workspace service switch"),
            ),
        ]

    def _regions(self) -> list[Command]:
        return [
            Command(name, _GENERAL, partial(self._window.go_to_region, step), keys=(key,), listed=False)
            for name, step, key in (
                (tr("Go to the next part of the window"), 1, "F6"),
                (tr("Go to the previous part of the window"), -1, "Shift+F6"),
            )
        ]

    def _destinations(self) -> list[Command]:
        return [
            Command(
                tr("Go to {place}", place=mid_sentence(place.label)),
                _GENERAL,
                partial(self._window.go, place.name),
                keys=(f"Ctrl+{number}", *_MORE_KEYS.get(place.name, ())),
                icon=place.icon,
            )
            for number, place in enumerate(DESTINATIONS, 1)
        ]

    def _compare(self) -> None:
        self._window.go("calendar")
        self._places.panels.show_conflicts()

    def _appearances(self) -> list[Command]:
        return [
            Command(
                name,
                _APPEARANCE,
                partial(self._window.set_appearance, mode),
                icon=icon,
                words=tr("theme colours mode look"),
            )
            for mode, (name, icon) in _MODES.items()
        ]

    def _text_sizes(self) -> list[Command]:
        window = self._window

        def size() -> str:
            return tr("now {size}", size=percent(window.text_size))

        return [
            Command(
                name,
                _APPEARANCE,
                partial(window.change_text_size, step),
                keys=keys,
                icon="a-large-small",
                words=tr("font zoom scale"),
                enabled=lambda last=last: window.text_size != last,  # type: ignore[misc]  # bound now
                detail=size,
            )
            for name, step, keys, last in (
                (tr("Larger text"), 1, ("Ctrl++", "Ctrl+="), TEXT_SIZES[-1]),
                (tr("Smaller text"), -1, ("Ctrl+-",), TEXT_SIZES[0]),
                (tr("Reset text size"), 0, ("Ctrl+0",), 100),
            )
        ]

    def _can_connect(self, platform: ConnectionPlatform) -> bool:
        return platform in offered(self._places.workspace)

    def _connects(self) -> list[Command]:
        return [
            Command(
                tr("Connect {platform}…", platform=platform_name(platform.value)),
                _CONNECT,
                partial(self._places.connect_platform, platform.value),
                icon=icons.platform_icon(platform),
                words=tr("account add"),
                enabled=partial(self._can_connect, platform),
            )
            for platform in connectable()
        ]
