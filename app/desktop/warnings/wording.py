"""Warnings in words, put together where one thing helps them all."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from app.desktop import words
from app.desktop.warnings.plan_wording import NO_ROOM, PLAN_TEXTS
from app.language import sentence_start, tr, trn
from app.workspace.accounts.account import Account
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.posts.refusal import named
from app.workspace.warnings.warning import PlanWarning, PlanWarnings, WarningKind

_OF_CONTENTS = frozenset(
    {WarningKind.RULE, WarningKind.NO_FILE, WarningKind.NO_BOARD, WarningKind.NO_AUDIENCE}
)
_TOGETHER = frozenset({WarningKind.SUBSCRIPTION, WarningKind.TOO_LATE, WarningKind.USUALLY_OFF})
"""One thing is wrong with all posts that have these, whatever their accounts."""
_LINE = 34
_GONE = tr("An account that is no longer connected")
_NO_TEXT = tr("No text")


@dataclass(frozen=True, slots=True)
class Concern:
    """One entry of the list: what is wrong, with which posts.

    Attributes:
        kind: The kind of the warnings in it.
        title: The post's first words, or the account's name.
        whose: The account and platform, and for one post its time.
        text: What is wrong.
        keys: The posts, in the order of time; none where it is about the plan as a whole.
        account_key: Their account.
        warnings: What is put together in it.
    """

    kind: WarningKind
    title: str
    whose: str
    text: str
    keys: tuple[str, ...] = ()
    account_key: str = ""
    warnings: tuple[PlanWarning, ...] = ()

    @property
    def has_lines(self) -> bool:
        """Whether its posts are listed below it; a post that stands for itself needs no line."""
        return self.kind.is_of_account or self.kind in _TOGETHER or len(self.keys) > 1


def summary(warnings: PlanWarnings) -> str:
    """What is said beside the calendar, such as ``2 posts will fail``; "" for nothing."""
    if failing := len(warnings.failing()):
        return trn("{n} post will fail", "{n} posts will fail", failing)
    if any(one.kind is WarningKind.NO_ROOM for one in warnings.listed):
        return NO_ROOM
    doubtful = len(warnings.by_key)
    return trn("{n} post to check", "{n} posts to check", doubtful) if doubtful else ""


def spoken(warnings: Iterable[PlanWarning]) -> str:
    """What is wrong with one post, in a few words for the end of its description."""
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
    """Says what is wrong, with times in one zone."""

    def __init__(self, posts: Timeline, accounts: Mapping[str, Account], zone: ZoneInfo) -> None:
        self._posts = posts
        self._accounts = accounts
        self._zone = zone

    def concerns(self, warnings: PlanWarnings) -> list[Concern]:
        """The entries of the list, in its order; posts that are gone meanwhile are left out."""
        grouped: dict[tuple[WarningKind | None, str], list[PlanWarning]] = {}
        for one in warnings.listed:
            if one.kind.is_of_plan or one.key in self._posts:
                grouped.setdefault(_group(one), []).append(one)
        found = [self._concern(together) for together in grouped.values()]
        return sorted(found, key=lambda one: (not one.kind.fails, one.kind is WarningKind.ASLEEP))

    def about(self, warnings: Iterable[PlanWarning]) -> str:
        """What is wrong with one post, in sentences; "" for nothing."""
        return " ".join(dict.fromkeys(map(self._told, warnings)))

    def line(self, post: PlannedPost) -> str:
        """A post in one line: its time and first words."""
        headline = post.headline or _NO_TEXT
        shown = headline if len(headline) <= _LINE else headline[: _LINE - 1].rstrip() + "…"
        return f"{self.when(post.at)}  {shown}"

    def when(self, at: int) -> str:
        """Day and time of an instant: ``Mon 23 Nov, 09:00``."""
        moment = datetime.fromtimestamp(at / 1_000, self._zone)
        return f"{words.day(moment)}, {words.clock(moment)}"

    def _concern(self, together: Sequence[PlanWarning]) -> Concern:
        first = together[0]
        if first.kind.is_of_account:
            return self._about_account(together)
        if first.kind.is_of_plan or first.kind in _TOGETHER:
            return self._about_plan(together)
        if first.kind is WarningKind.DAY_FULL and len(together) > 1:
            return self._about_account(together)
        post = self._posts.get(first.key)
        text = " ".join(dict.fromkeys(self._sentence(one) for one in together))
        return Concern(
            kind=first.kind,
            title=(post.headline if post else "") or _NO_TEXT,
            whose=f"{self._whose(first)} · {self.when(first.at)}",
            text=text,
            keys=(first.key,),
            account_key=first.account_key,
            warnings=tuple(together),
        )

    def _about_plan(self, together: Sequence[PlanWarning]) -> Concern:
        first = together[0]
        title, say = PLAN_TEXTS[first.kind]
        return Concern(
            kind=first.kind,
            title=title,
            whose="",
            text=say(together, self.when),
            keys=tuple(one.key for one in together if one.key),
            warnings=tuple(together),
        )

    def _about_account(self, together: Sequence[PlanWarning]) -> Concern:
        first = together[0]
        account = self._accounts.get(first.account_key)
        return Concern(
            kind=first.kind,
            title=account.name if account else _GONE,
            whose=self._platform(first),
            text=first.message or _ACCOUNT_TEXTS[first.kind](account, len(together), self),
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

    def _whose(self, warning: PlanWarning) -> str:
        account = self._accounts.get(warning.account_key)
        return f"{account.name} · {self._platform(warning)}" if account else self._platform(warning)

    def _platform(self, warning: PlanWarning) -> str:
        post = self._posts.get(warning.key)
        return words.platform_name(post.platform) if post else ""


def _group(warning: PlanWarning) -> tuple[WarningKind | None, str]:
    """Accounts are mended once for all their posts, and a post's contents once for all that is wrong."""
    if warning.kind.is_of_account:
        return warning.kind, warning.account_key
    if warning.kind is WarningKind.DAY_FULL:
        return warning.kind, f"{warning.account_key} {warning.message}"
    key = "" if warning.kind in _TOGETHER else warning.key
    return (None if warning.kind in _OF_CONTENTS else warning.kind), key


def _ended(_account: Account | None, count: int, _wording: Wording) -> str:
    return trn(
        "Access to this account has expired. {n} post will fail.",
        "Access to this account has expired. {n} posts will fail.",
        count,
    )


def _ends(account: Account | None, count: int, wording: Wording) -> str:
    ends = account.access_ends_at if account else None
    told = tr("Access to this account will expire.")
    if ends is not None:
        told = tr(
            "Access to this account expires on {when}.", when=wording.when(round(ends.timestamp() * 1_000))
        )
    come = trn("{n} post comes later and will fail.", "{n} posts come later and will fail.", count)
    return f"{told} {come}"


def _gone(_account: Account | None, count: int, _wording: Wording) -> str:
    return trn(
        "{n} post will fail. Reconnect the account, or cancel it.",
        "{n} posts will fail. Reconnect the account, or cancel them.",
        count,
    )


_ACCOUNT_TEXTS: dict[WarningKind, Callable[[Account | None, int, Wording], str]] = {
    WarningKind.ACCESS_ENDED: _ended,
    WarningKind.ACCESS_ENDS: _ends,
    WarningKind.NO_ACCOUNT: _gone,
}
