"""The descriptions of cards for screen readers and tooltips."""

from collections.abc import Callable
from datetime import datetime

from app.contract.enums import PostType
from app.desktop import words
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.looks import STATUS_WORDS, look_of
from app.desktop.calendar.planner import Planner
from app.desktop.warnings.wording import spoken
from app.language import tr, trn
from app.workspace.advice import reason_of
from app.workspace.posts.ideas import Idea
from app.workspace.posts.planned import PlannedPost

_FILES = {PostType.IMAGE: tr("1 image"), PostType.VIDEO: tr("1 video")}


class CardWords:
    """Describes cards. ``clock`` returns the time in ms since 1970 UTC."""

    def __init__(self, workspace: Planner, days: LocalDays, clock: Callable[[], int]) -> None:
        self._workspace = workspace
        self._days = days
        self._clock = clock

    def describe(self, posts: Idea) -> str:
        """Return the description of the card of some posts, the first of which is the most urgent."""
        first = posts[0]
        moment = datetime.fromtimestamp(first.at / 1_000, self._days.zone)
        states = [STATUS_WORDS[look_of(post, self._clock())] for post in posts]
        whose, is_alike = [self._whose(post) for post in posts], len(set(states)) == 1
        if len(posts) > 1:
            named = (
                whose
                if is_alike
                else [f"{name} ({state})" for name, state in zip(whose, states, strict=True)]
            )
            accounts = trn(
                "{n} account: {names}", "{n} accounts: {names}", len(posts), names=", ".join(named)
            )
        else:
            accounts = whose[0]
        facts = [
            first.headline or tr("No text"),
            f"{words.day_long(moment)} {self._days.clock(first.at)}",
            accounts,
            states[0] if is_alike else "",
            _FILES.get(first.post_type, ""),
            *dict.fromkeys(reason_of(post) for post in posts),
            *dict.fromkeys(spoken(self._workspace.warnings.about(post.key)) for post in posts),
        ]
        return ", ".join(fact for fact in facts if fact)

    def _whose(self, post: PlannedPost) -> str:
        account = self._workspace.accounts.get(post.account_key)
        platform = words.platform_name(post.ruled_by)
        if account is None:
            return platform
        marked = words.marked(platform, account)
        return tr("{account} on {platform}", account=account.name, platform=marked)
