"""Carries out links and opened files in the open calendar."""

from collections import deque
from collections.abc import Callable
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from app.desktop import words
from app.desktop.aio import TaskScope
from app.desktop.carried import Carried
from app.desktop.links import AddFiles, BeginPost, Errand, LinkSheet, ShowDay, ShowPost
from app.desktop.shell.finder import Finder
from app.desktop.shell.incoming import Incoming
from app.desktop.shell.window import MainWindow
from app.workspace.clock import wall_clock
from app.workspace.workspace import Workspace

_ASKED_MAX = 20
"""Links that wait for an answer at most; a web page can open any number."""


class Errands:
    """Posts and days are shown immediately; a link that starts a post asks first."""

    def __init__(
        self,
        window: MainWindow,
        workspace: Workspace,
        zone: ZoneInfo,
        incoming: Incoming,
        finder: Finder,
        compose: Callable[[], object],
        scope: TaskScope,
    ) -> None:
        """``compose`` opens the composer on the saved draft."""
        self._window, self._workspace, self._zone = window, workspace, zone
        self._asked: deque[BeginPost] = deque()
        self._incoming, self._finder, self._compose, self._scope = incoming, finder, compose, scope

    def run(self, errand: Errand) -> None:
        match errand:
            case ShowPost(post_id):
                self._finder.open_post(self._workspace.key_of(post_id))
            case ShowDay(day):
                day = day or datetime.now(self._zone).date()
                self._finder.go_to_day(day.toordinal())
            case AddFiles(files):
                self._scope.start(self._incoming.take(Carried(files=files), None))
            case BeginPost("", None, ()):
                self._window.go("calendar")
                self._compose()
            case BeginPost():
                self._ask(errand)

    def stop(self) -> list[BeginPost]:
        """Ask about no more links, and return those without an answer."""
        unanswered = list(self._asked)
        self._asked.clear()
        return unanswered

    def _ask(self, errand: BeginPost) -> None:
        """Ask about one link after the other."""
        if len(self._asked) < _ASKED_MAX:
            self._asked.append(errand)
            if len(self._asked) == 1:
                self._show(errand)

    def _answered(self) -> None:
        if self._asked:
            self._asked.popleft()
        if self._asked:
            self._show(self._asked[0])

    def _show(self, errand: BeginPost) -> None:
        moment = self._to_come(errand.at)
        sheet = LinkSheet(self._window, errand, "" if moment is None else words.day_and_time(moment))
        at = None if moment is None else round(moment.timestamp() * 1_000)
        take = partial(self._incoming.begin_with, errand.text, errand.files, at)
        sheet.wanted.connect(lambda: self._scope.start(take()))
        sheet.closed.connect(self._answered)
        sheet.present()  # no button gets the focus: somebody may be typing when a web page opens a link

    def _to_come(self, at: datetime | None) -> datetime | None:
        """Return the moment in the calendar's zone; None if it's past or missing in the link."""
        if at is None:
            return None
        moment = at.astimezone(self._zone) if at.tzinfo else at.replace(tzinfo=self._zone)
        return moment if moment.timestamp() * 1_000 > wall_clock() else None
