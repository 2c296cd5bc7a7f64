"""Cards in words, for screen readers."""

from collections.abc import Callable
from datetime import datetime

from app.desktop import words
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.looks import STATUS_WORDS, look_of
from app.desktop.calendar.planner import Planner
from app.desktop.warnings.wording import spoken
from app.language import tr
from app.workspace.posts.planned import PlannedPost


class CardWords:
    """Says what a card shows. ``clock`` gives the time in milliseconds since 1970 UTC."""

    def __init__(self, workspace: Planner, days: LocalDays, clock: Callable[[], int]) -> None:
        self._workspace = workspace
        self._days = days
        self._clock = clock

    def describe(self, post: PlannedPost) -> str:
        """The whole card."""
        moment = datetime.fromtimestamp(post.at / 1_000, self._days.zone)
        account = self._workspace.accounts.get(post.account_key)
        platform = words.platform_name(post.platform)
        is_practice = account is not None and account.practice
        facts = [
            post.headline or tr("No text"),
            f"{words.day_long(moment)} {self._days.clock(post.at)}",
            tr("{name} (practice)", name=platform) if is_practice else platform,
            STATUS_WORDS[look_of(post, self._clock())],
            post.reason,
            spoken(self._workspace.warnings.about(post.key)),
        ]
        return ", ".join(fact for fact in facts if fact)
