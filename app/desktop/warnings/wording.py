"""Warnings in words, grouped if one fix solves them all."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from app.desktop import words
from app.language import data_size, number, sentence_start, tr, trn, weekday_short
from app.workspace.accounts.account import Account
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.posts.refusal import named
from app.workspace.warnings.warning import PlanWarning, PlanWarnings, WarningKind

When = Callable[[int], str]
"""Day and time of an instant in words."""

Say = Callable[[Sequence[PlanWarning], When], str]

NO_ROOM = tr("Not enough storage")
_GRACE = tr("Missed posts are published when it wakes, up to 12 hours late.")


def _asleep(_together: Sequence[PlanWarning], _when: When) -> str:
    return _GRACE


def _usually_off(together: Sequence[PlanWarning], _when: When) -> str:
    habits = {one.message for one in together}
    several = tr("Kalends wasn't running at these times in recent weeks.")
    return habits.pop() if len(habits) == 1 else several


def _no_room(together: Sequence[PlanWarning], when: When) -> str:
    [one] = together
    needed = data_size(one.needs)
    need = tr("Pending uploads need {size}, but storage is full.", size=needed)
    if one.free:
        need = tr(
            "Pending uploads need {size}, but only {free} of storage is left.",
            size=needed,
            free=data_size(one.free),
        )
    first = (
        tr("The first post without its file is scheduled for {when}.", when=when(one.at)) if one.at else ""
    )
    return f"{need} {first}".rstrip()


def _subscription(together: Sequence[PlanWarning], _when: When) -> str:
    return trn(
        "The subscription isn't paid. {n} post is scheduled after it ends and may not be published.",
        "The subscription isn't paid. {n} posts are scheduled after it ends and may not be published.",
        len(together),
    )


def _too_late(together: Sequence[PlanWarning], _when: When) -> str:
    many = tr("More posts are waiting to be sent than the service accepts in the time left.")
    late = trn(
        "{n} of them will be late.",
        "{n} of them will be late.",
        len(together),
    )
    return f"{many} {late}"


PLAN_TEXTS: dict[WarningKind, tuple[str, Say]] = {
    WarningKind.ASLEEP: (tr("This computer must be on when posts are due."), _asleep),
    WarningKind.USUALLY_OFF: (tr("Kalends is usually off at these times"), _usually_off),
    WarningKind.NO_ROOM: (NO_ROOM, _no_room),
    WarningKind.SUBSCRIPTION: (tr("Subscription may end before these posts"), _subscription),
    WarningKind.TOO_LATE: (tr("Posts may be late"), _too_late),
}
"""By the kind of warning: a title, and what says the rest."""


_OF_CONTENTS = frozenset(
    {WarningKind.RULE, WarningKind.NO_FILE, WarningKind.NO_BOARD, WarningKind.NO_AUDIENCE}
)
_TOGETHER = frozenset({WarningKind.SUBSCRIPTION, WarningKind.TOO_LATE, WarningKind.USUALLY_OFF})
"""One thing is wrong with all posts that have these, whatever their accounts."""
_PAIRS = frozenset({WarningKind.SAME_TEXT, WarningKind.TOO_CLOSE})
_LINE = 26
"""Characters of a headline."""
_GONE = tr("This account is no longer connected.")
_NO_TEXT = tr("No text")


class NamedPost(NamedTuple):
    """What a post is called where space is known only later."""

    words: str
    """Its title or its first words."""
    when: str

    def __str__(self) -> str:
        return f"{self.words} · {self.when}"


@dataclass(frozen=True, slots=True)
class Concern:
    """An entry of the list.

    Attributes:
        kind: The kind of its warnings.
        title: The problem.
        text: The posts concerned, or the consequence.
        posts: The posts that are the text, one a line.
        keys: The posts in chronological order; empty if it concerns the whole plan.
        account_key: Their account.
        warnings: The grouped warnings.
    """

    kind: WarningKind
    title: str
    text: str
    posts: tuple[NamedPost, ...] = ()
    keys: tuple[str, ...] = ()
    account_key: str = ""
    warnings: tuple[PlanWarning, ...] = ()

    @property
    def has_lines(self) -> bool:
        """Whether its posts are listed below it; a single post is named in the text instead."""
        return self.kind.is_of_account or self.kind in _TOGETHER or len(self.keys) > 1

    def is_same(self, other: "Concern") -> bool:
        """Whether it's the same problem, perhaps with fewer or more posts."""
        is_alike = self.kind is other.kind and self.account_key == other.account_key
        return is_alike and (self.keys == other.keys or not set(self.keys).isdisjoint(other.keys))


class Summary(NamedTuple):
    """The text next to the calendar, in three lengths; all are "" for nothing."""

    text: str = ""
    """Such as ``2 posts will fail``."""
    brief: str = ""
    """Such as ``2 will fail``."""
    figure: str = ""
    """Such as ``2``; "" if nothing is counted."""


def summary(warnings: PlanWarnings) -> Summary:
    """Return the text next to the calendar."""
    if failing := len(warnings.failing()):
        text = trn("{n} post will fail", "{n} posts will fail", failing)
        return Summary(text, trn("{n} will fail", "{n} will fail", failing), number(failing))
    if any(one.kind is WarningKind.NO_ROOM for one in warnings.listed):
        return Summary(NO_ROOM, NO_ROOM)
    if doubtful := len(warnings.by_key):
        text = trn("{n} post to check", "{n} posts to check", doubtful)
        return Summary(text, trn("{n} to check", "{n} to check", doubtful), number(doubtful))
    return Summary()


def spoken(warnings: Iterable[PlanWarning]) -> str:
    """Return a post's problems in a few words, for the end of its description."""
    return ", ".join(dict.fromkeys(_SHORT[one.kind] for one in warnings))


_SHORT = {
    WarningKind.NO_ACCOUNT: tr("will fail: account not connected"),
    WarningKind.ACCESS_ENDED: tr("will fail: account access has expired"),
    WarningKind.ACCESS_ENDS: tr("will fail: account access expires first"),
    WarningKind.NO_FILE: tr("will fail: file missing"),
    WarningKind.NO_BOARD: tr("will fail: no board selected"),
    WarningKind.NO_AUDIENCE: tr("will fail: no TikTok audience selected"),
    WarningKind.RULE: tr("will fail: not allowed by the platform"),
    WarningKind.DAY_FULL: tr("will fail: the platform's daily limit is reached"),
    WarningKind.NO_ROOM: "",
    WarningKind.TOO_LATE: tr("will fail: reaches the service too late"),
    WarningKind.SUBSCRIPTION: tr("after the end of the service's subscription"),
    WarningKind.USUALLY_OFF: tr("at a time when Kalends usually isn't running"),
    WarningKind.SAME_TEXT: tr("same text as another post"),
    WarningKind.TOO_CLOSE: tr("within an hour of another post"),
    WarningKind.ASLEEP: "",
}


class Wording:
    """Describes warnings, with times in a zone."""

    def __init__(self, posts: Timeline, accounts: Mapping[str, Account], zone: ZoneInfo) -> None:
        self._posts = posts
        self._accounts = accounts
        self._zone = zone

    def concerns(self, warnings: PlanWarnings) -> list[Concern]:
        """Return the entries in order, without posts that were removed meanwhile."""
        grouped: dict[tuple[WarningKind | None, str], list[PlanWarning]] = {}
        for one in warnings.listed:
            if one.kind.is_of_plan or one.key in self._posts:
                grouped.setdefault(_group(one), []).append(one)
        found = [self._concern(together) for together in grouped.values()]
        return sorted(found, key=lambda one: (not one.kind.fails, one.kind is WarningKind.ASLEEP))

    def about(self, warnings: Iterable[PlanWarning]) -> str:
        """Return a post's problems in sentences; "" for none."""
        return " ".join(dict.fromkeys(map(self._told, warnings)))

    def named(self, post: PlannedPost) -> str:
        """Return a post's first words and time."""
        return f"{_first_words(post)} · {self.when(post.at)}"

    def when(self, at: int) -> str:
        """Return ``Mon 23 Nov, 09:00``."""
        moment = datetime.fromtimestamp(at / 1_000, self._zone)
        return f"{words.day(moment)}, {words.clock(moment)}"

    def short(self, at: int, now: int) -> str:
        """Return ``Mon 09:00`` within a week from ``now``, otherwise with the date."""
        moment = datetime.fromtimestamp(at / 1_000, self._zone)
        is_near = at - now < 6 * 86_400_000
        return f"{weekday_short(moment)} {words.clock(moment)}" if is_near else self.when(at)

    def _weekday_and_time(self, post: PlannedPost) -> str:
        moment = datetime.fromtimestamp(post.at / 1_000, self._zone)
        return f"{weekday_short(moment)} {words.clock(moment)}"

    def _concern(self, together: Sequence[PlanWarning]) -> Concern:
        first = together[0]
        if first.kind.is_of_account:
            return self._about_account(together)
        if first.kind.is_of_plan or first.kind in _TOGETHER:
            return self._about_plan(together)
        if first.kind is WarningKind.DAY_FULL and len(together) > 1:
            return self._about_account(together)
        post = self._posts.get(first.key)
        if first.kind in _PAIRS:
            return self._about_pair(first)
        title = " ".join(dict.fromkeys(self._sentence(one) for one in together))
        posts = (NamedPost(_headline(post), self.when(post.at)),) if post else ()
        return Concern(
            kind=first.kind,
            title=title.removesuffix("."),
            text="\n".join(map(str, posts)),
            posts=posts,
            keys=(first.key,),
            account_key=first.account_key,
            warnings=tuple(together),
        )

    def _about_pair(self, warning: PlanWarning) -> Concern:
        """Describe a post that is too close to an earlier one of its account, or repeats it."""
        posts = [post for key in (warning.other, warning.key) if (post := self._posts.get(key))]
        named = tuple(NamedPost(_headline(post), self._weekday_and_time(post)) for post in posts)
        if warning.kind is WarningKind.SAME_TEXT:
            title = tr("Same text twice on {platform}", platform=self._platform(warning))
        else:
            apart = (posts[-1].at - posts[0].at) // 60_000 if posts else 0
            title = trn(
                "Two {platform} posts {n} minute apart",
                "Two {platform} posts {n} minutes apart",
                apart,
                platform=self._platform(warning),
            )
            if not apart:
                title = tr("Two {platform} posts at the same time", platform=self._platform(warning))
        return Concern(
            kind=warning.kind,
            title=title,
            text="\n".join(map(str, named)),
            posts=named,
            keys=(warning.key,),
            account_key=warning.account_key,
            warnings=(warning,),
        )

    def _about_plan(self, together: Sequence[PlanWarning]) -> Concern:
        first = together[0]
        title, say = PLAN_TEXTS[first.kind]
        return Concern(
            kind=first.kind,
            title=title,
            text=say(together, self.when),
            keys=tuple(one.key for one in together if one.key),
            warnings=tuple(together),
        )

    def _about_account(self, together: Sequence[PlanWarning]) -> Concern:
        first = together[0]
        account = self._accounts.get(first.account_key)
        if first.kind is WarningKind.DAY_FULL:
            title, text = first.message.removesuffix("."), account.name if account else _GONE
        else:
            title, text = _ACCOUNT_TEXTS[first.kind](account, self._platform(first), self)
        return Concern(
            kind=first.kind,
            title=title,
            text=text,
            keys=tuple(one.key for one in together),
            account_key=first.account_key,
            warnings=tuple(together),
        )

    def _sentence(self, warning: PlanWarning) -> str:
        if warning.message:
            return warning.message
        other = self._posts.get(warning.other)
        if warning.kind is WarningKind.SAME_TEXT:
            if other is None:
                return tr("This account has another post with the same text.")
            return tr("This account posts the same text on {when}.", when=self.when(other.at))
        minutes = (warning.at - other.at) // 60_000 if other else 0
        if minutes:
            return trn(
                "{n} minute after {post} on the same account.",
                "{n} minutes after {post} on the same account.",
                minutes,
                post=named(other),
            )
        return tr("At the same time as {post} on the same account.", post=named(other))

    def _told(self, warning: PlanWarning) -> str:
        if warning.message or warning.kind in (WarningKind.SAME_TEXT, WarningKind.TOO_CLOSE):
            return self._sentence(warning)
        return f"{sentence_start(_SHORT[warning.kind])}."

    def _platform(self, warning: PlanWarning) -> str:
        post = self._posts.get(warning.key)
        return words.platform_name(post.platform) if post else ""


def _first_words(post: PlannedPost) -> str:
    headline = _headline(post)
    return headline if len(headline) <= _LINE else headline[: _LINE - 1].rstrip() + "…"


def _headline(post: PlannedPost) -> str:
    return post.headline or _NO_TEXT


def _group(warning: PlanWarning) -> tuple[WarningKind | None, str]:
    """Return the group of a warning: account problems are fixed once for all posts, a post's content once."""
    if warning.kind.is_of_account:
        return warning.kind, warning.account_key
    if warning.kind is WarningKind.DAY_FULL:
        return warning.kind, f"{warning.account_key} {warning.message}"
    key = "" if warning.kind in _TOGETHER else warning.key
    return (None if warning.kind in _OF_CONTENTS else warning.kind), key


def _ended(account: Account | None, platform: str, _wording: Wording) -> tuple[str, str]:
    text = tr("{platform} ended access to this account.", platform=platform)
    return _reconnect(account), text


def _ends(account: Account | None, platform: str, wording: Wording) -> tuple[str, str]:
    ends = account.access_ends_at if account else None
    if ends is None:
        return _reconnect(account), tr("{platform} ends access before these posts.", platform=platform)
    when = wording.when(round(ends.timestamp() * 1_000))
    return _reconnect(account), tr("{platform} ends access on {when}.", platform=platform, when=when)


def _gone(_account: Account | None, platform: str, _wording: Wording) -> tuple[str, str]:
    return tr("Reconnect {account}", account=platform), _GONE


def _reconnect(account: Account | None) -> str:
    return tr("Reconnect {account}", account=account.name if account else _GONE)


_ACCOUNT_TEXTS: dict[WarningKind, Callable[[Account | None, str, Wording], tuple[str, str]]] = {
    WarningKind.ACCESS_ENDED: _ended,
    WarningKind.ACCESS_ENDS: _ends,
    WarningKind.NO_ACCOUNT: _gone,
}
"""What to do, and why."""
