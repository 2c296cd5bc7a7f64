"""Everything that follows the open calendar while the app runs: notifications, the tray, and updates."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from app.desktop.aio import TaskScope
from app.desktop.shell.window import MainWindow

if TYPE_CHECKING:
    from app.desktop.background.background import Background
    from app.desktop.notices import Teller
    from app.desktop.settings import SettingsPane
    from app.desktop.shell.main_controller import MainController
    from app.desktop.updates import Updates
    from app.workspace.homes.visit import Visits
    from app.workspace.workspace import Workspace


class Followers:
    """Follows one calendar after another. Everything is imported after the calendar's first paint."""

    def __init__(self, window: MainWindow, scope: TaskScope) -> None:
        self._window = window
        self._scope = scope
        self._controller: MainController | None = None
        self._teller: Teller | None = None
        self._background: Background | None = None
        self._updates: Updates | None = None
        self._quit: Callable[[], None] | None = None

    def allow_tray(self, quit_app: Callable[[], None]) -> None:
        """Show the next calendars in the tray too. ``quit_app`` is called when the user quits there."""
        self._quit = quit_app

    def follow(self, controller: "MainController", *, runs_here: bool) -> None:
        """Report events of a calendar; ``runs_here``: its service is on this computer."""
        from app.desktop.background.background import Background
        from app.desktop.notices import Teller

        self._controller = controller
        if self._quit is not None and self._background is None:
            self._background = Background(self._window)
            self._background.quit_wanted.connect(self._quit)
            if sys.platform == "win32":
                from app.desktop import jump_list

                self._scope.start(asyncio.to_thread(jump_list.offer, jump_list.write))
        beside = self._background.tell if self._background is not None else None
        self._teller = self._teller or Teller(self._window, beside)
        self._teller.follow(controller)
        if self._background is not None:
            self._background.follow(controller, runs_here=runs_here)

    async def is_in_tray(self) -> bool:
        """Whether the app can be reached in the tray; waits for the tray to appear."""
        return self._background is not None and await self._background.wait_for_tray()

    async def follow_updates(self, painted: asyncio.Event, visits: "Callable[[], Awaitable[Visits]]") -> None:
        """Look for newer versions after the first paint, if the build supports it and the user wants it."""
        await painted.wait()
        from app.updates import build

        channel, way = await asyncio.to_thread(build.channel), (await visits()).network.way
        if channel is None or self._updates is not None:
            return
        from app.desktop.updates import Updates

        self._updates = Updates(self._window, channel, way)
        self._updates.begin()
        if self._controller is not None and self._controller.is_built("settings"):
            self._controller.settings.about.show_updates(self._updates)

    def connect(self, settings: "SettingsPane") -> None:
        """Show updates in the settings, and send a notification when the user tries them there."""
        if self._updates is not None:
            settings.about.show_updates(self._updates)
        settings.notifications.trial_wanted.connect(lambda: self._scope.start(self._try_notifications()))

    def leave(self) -> None:
        """Stop following the calendar, before it's closed."""
        self._controller = None
        for follower in (self._teller, self._background):
            if follower is not None:
                follower.leave()

    def end(self, workspace: "Workspace | None") -> Callable[[], None] | None:
        """Remove the tray icon. Return a blocking call that installs a waiting update, to be made last."""
        install = self._updates.prepare(workspace) if self._updates is not None else None
        if self._background is not None:
            self._background.end()
        return install

    async def close(self) -> None:
        """Remove the notifications that the system shows."""
        if self._teller is not None:
            await self._teller.close()

    async def _try_notifications(self) -> None:
        controller = self._controller
        if self._teller is None or controller is None:
            return
        shown = await self._teller.try_out()
        if self._controller is controller:
            controller.settings.notifications.show_trial(shown=shown)
