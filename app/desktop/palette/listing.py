"""The rows of the palette and the search, and their order."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from itertools import groupby, islice
from typing import Protocol
from zoneinfo import ZoneInfo

from app.contract.enums import PostStatus
from app.desktop import words
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.looks import DRESSES, STATUS_WORDS, look_of
from app.desktop.commands import Command, CommandSet, key_caps
from app.desktop.dates import read_date
from app.desktop.palette.lookup import Fit, Found, Match, match, word_spans
from app.desktop.palette.plans import planned_time, read_plan
from app.desktop.palette.rows import Entry, Row, Said, command_entry, group
from app.desktop.theme import icons, theme
from app.language import mid_sentence, tr, trn
from app.workspace.accounts.account import Account
from app.workspace.clock import wall_clock
from app.workspace.drafts.drafts import Draft
from app.workspace.media.library import MediaItem
from app.workspace.posts.planned import PlannedPost, headline
from app.workspace.time.wall import DAY_MS
from app.workspace.workspace import Workspace

_NO_TEXT = tr("No text")
_KINDS = {"image": tr("Image"), "video": tr("Video")}
_KIND_ICONS = {"image": "image", "video": "play"}
_COMMANDS_MOST = 8
_FOUND_MOST = 5
"""Maximum number of each kind in the palette; the search shows all."""
_WORD_LEAST = 3
"""Minimum number of letters to find a command by hidden words."""
_NEXT_POSTS = 3
_AHEAD_MS = 90 * DAY_MS


class PostRows:
    """Turns hits into lines, with times in ``zone``."""

    def __init__(self, zone: ZoneInfo, accounts: Mapping[str, Account], now: int) -> None:
        self._zone = zone
        self._accounts = accounts
        self._now = now
        self._year = datetime.fromtimestamp(now / 1_000, zone).year

    def post(self, post: PlannedPost, typed: str, run: Callable[[], object]) -> Entry:
        """Return the line of a post: account, time with its zone, and state."""
        account = self._accounts.get(post.account_key)
        look = look_of(post, self._now)
        known = str(post.platform) in icons.BRANDS
        title = post.headline or _NO_TEXT

        def tell() -> Said:
            when, platform = self._when(post.at), words.platform_name(post.ruled_by)
            said = _joined(title, platform, _named(account), when, STATUS_WORDS[look])
            return Said(said, (_named(account), when), word_spans(typed, title))

        return Entry(
            key=f"post {post.key}",
            title=title,
            run=run,
            tell=tell,
            icon=f"brand:{post.platform}" if known else "hash",
            tint=theme.current().tokens.account(account.color_index if account else 0),
            glyph=DRESSES[look].glyph or "clock",
            glyph_tint=DRESSES[look].glyph_color,
        )

    def draft(self, draft: Draft, typed: str, run: Callable[[], object]) -> Entry:
        """Return the line of a draft: its accounts, and when it was changed."""
        content = draft.content
        title = headline(next(iter(content.titles.values()), None), content.text) or _NO_TEXT

        def tell() -> Said:
            chosen = [_named(self._accounts.get(key)) for key in content.account_keys]
            several = trn("{n} account", "{n} accounts", len(chosen)) if chosen else ""
            whom = chosen[0] if len(chosen) == 1 else several
            changed = tr("changed {day}", day=self._day(draft.updated_at))
            said = _joined(title, tr("draft"), whom, changed)
            return Said(said, (whom, changed), word_spans(typed, title))

        return Entry(f"draft {draft.id}", title, run, tell, "file-pen-line")

    def file(self, item: MediaItem, uses: int, typed: str, run: Callable[[], object]) -> Entry:
        """Return the line of a file: the number of its posts."""

        def tell() -> Said:
            kind = _KINDS.get(item.file.kind.value, tr("File"))
            used = trn("in {n} post", "in {n} posts", uses) if uses else ""
            said = _joined(item.name, mid_sentence(kind), used)
            return Said(said, (kind, used), word_spans(typed, item.name))

        icon = _KIND_ICONS.get(item.file.kind.value, "image")
        return Entry(f"file {item.path}", item.name, run, tell, icon)

    def date(self, day: date, run: Callable[[], object]) -> Entry:
        """Return the line that goes to a day."""
        title = tr("Go to {day}", day=f"{words.day_long(day)} {day.year}")
        return Entry("date", title, run, lambda: Said(title), "calendar-days")

    def plan(self, text: str, at: int, run: Callable[[], object]) -> Entry:
        """Return the line that starts a post with a text and a time."""
        when = self._when(at)
        return Entry("plan", text, run, lambda: Said(_joined(tr("New post"), text, when), (when,)), "plus")

    def _when(self, at: int) -> str:
        moment = datetime.fromtimestamp(at / 1_000, self._zone)
        return f"{self._day(at)} {words.clock(moment)} {words.utc_offset(moment)}"

    def _day(self, at: int) -> str:
        moment = datetime.fromtimestamp(at / 1_000, self._zone)
        return words.day(moment) if moment.year == self._year else f"{words.day(moment)} {moment.year}"


def _joined(*facts: str) -> str:
    return ", ".join(fact for fact in facts if fact)


def _named(account: Account | None) -> str:
    if account is None:
        return ""
    return tr("{name} (practice)", name=account.name) if account.practice else account.name


class Actions(Protocol):
    """The actions of rows."""

    def run_command(self, owner: CommandSet, command: Command) -> object: ...

    def open_post(self, key: str) -> object: ...

    def open_draft(self, draft_id: str) -> object: ...

    def open_file(self, path: str) -> object: ...

    def choose_posts(self, keys: Iterable[str]) -> object: ...

    def go_to_day(self, day: int) -> object: ...

    def write_post(self, text: str, at: int) -> object: ...


@dataclass(frozen=True, slots=True)
class Offered:
    """A command and its owner."""

    owner: CommandSet
    command: Command


class Listing:
    """Makes rows of commands and hits."""

    def __init__(
        self, workspace: Workspace, zone: ZoneInfo, actions: Actions, show_all: Callable[[], object]
    ) -> None:
        """``show_all`` switches from the palette to the search."""
        self._workspace = workspace
        self._zone = zone
        self._actions = actions
        self._show_all = show_all

    def palette(
        self, typed: str, sets: Iterable[CommandSet], recent: Sequence[str], found: Found | None
    ) -> list[Row]:
        """Return good matches, hits, then weak matches; without text, the likely choices.

        A match by hidden words is weak: nothing in the row shows it. Before the first hits, only good matches
        are listed, so no row moves when hits arrive.
        """
        offered = [Offered(owner, one) for owner in sets for one in owner.all() if one.listed]
        if not typed.strip():
            return self._likely(offered, recent)
        fitting = self._fitting(typed, offered, recent)
        good = [entry for fit, entry in fitting if fit < Fit.ALSO_KNOWN]
        rows = [*self._plan(typed), *self._day(typed), *group(tr("Commands"), good)]
        if found is None:
            return rows
        others = (entry for fit, entry in fitting if fit >= Fit.ALSO_KNOWN)
        return rows + self._results(found, _FOUND_MOST, more=True) + group(tr("Other commands"), others)

    def search(self, found: Found | None) -> list[Row]:
        """Return all hits, in groups; without text, the next posts."""
        if found is not None:
            return self._results(found, None, more=False)
        rows, drafts = self._rows(), self._workspace.drafts.all()[:_NEXT_POSTS]
        return self._next_posts(_FOUND_MOST) + group(
            tr("Drafts"), (rows.draft(one, "", partial(self._actions.open_draft, one.id)) for one in drafts)
        )

    def _likely(self, offered: list[Offered], recent: Sequence[str]) -> list[Row]:
        """Return recent commands, the next posts, then all commands that can run now."""
        able = [one for one in offered if one.command.enabled()]
        by_name = {one.command.name: one for one in able}
        used = [by_name[name] for name in recent if name in by_name]
        others = [one for one in able if one.command.name not in recent]
        rows = group(tr("Recently used"), (self._command(one, Match(Fit.BEGINNING)) for one in used))
        rows += self._next_posts(_NEXT_POSTS)
        for title, members in groupby(others, key=lambda one: one.command.group):
            rows += group(title, (self._command(one, Match(Fit.BEGINNING)) for one in members))
        return rows

    def _next_posts(self, most: int) -> list[Row]:
        now = wall_clock()
        ahead = self._workspace.posts.between(now, now + _AHEAD_MS)
        scheduled = (post for post in ahead if post.status is PostStatus.SCHEDULED)
        return group(tr("Upcoming posts"), (self._post(post, "") for post in islice(scheduled, most)))

    def _fitting(self, typed: str, offered: list[Offered], recent: Sequence[str]) -> list[tuple[Fit, Entry]]:
        """Return the best commands; of equal ones, the most recently used is first."""
        found = []
        for place, one in enumerate(offered):
            if (fit := _match(typed, one.command)) is not None:
                name = one.command.name
                used = recent.index(name) if name in recent else len(recent)
                found.append(((not one.command.enabled(), fit.fit, used, place), one, fit))
        found.sort(key=lambda each: each[0])
        return [(fit.fit, self._command(one, fit)) for _, one, fit in found[:_COMMANDS_MOST]]

    def _command(self, one: Offered, fit: Match) -> Entry:
        return command_entry(one.command, fit, partial(self._actions.run_command, one.owner, one.command))

    def _day(self, typed: str) -> list[Row]:
        day = read_date(typed, datetime.now(self._zone).date())
        if day is None:
            return []
        run = partial(self._actions.go_to_day, day.toordinal())
        return group(tr("Calendar"), [self._rows().date(day, run)])

    def _plan(self, typed: str) -> list[Row]:
        """Return a row for a new post if the text has a future time."""
        plan, now = read_plan(typed, datetime.now(self._zone).date()), wall_clock()
        at = planned_time(LocalDays(self._zone), now, plan) if plan is not None else None
        if plan is None or at is None:
            return []
        run = partial(self._actions.write_post, plan.text, at)
        return group(tr("New post"), [self._rows().plan(plan.text, at, run)])

    def _results(self, found: Found, most: int | None, *, more: bool) -> list[Row]:
        posts = [post for key in found.hits.posts if (post := self._workspace.posts.get(key))]
        drafts = [draft for key in found.hits.drafts if (draft := self._workspace.drafts.get(key))]
        files = found.files
        rows, typed, actions = self._rows(), found.typed, self._actions
        entries = [self._post(post, typed) for post in posts[:most]]
        if more and len(posts) > len(entries):
            entries.append(_more(self._show_all))
        listed = group(tr("Posts"), entries, _count(len(posts), found.matching))
        listed += group(
            tr("Drafts"),
            (rows.draft(one, typed, partial(actions.open_draft, one.id)) for one in drafts[:most]),
            str(len(drafts)),
        )
        uses = found.uses
        return listed + group(
            tr("Files"),
            (
                rows.file(
                    MediaItem(one),
                    len(uses.get(one.storage_path, ())),
                    typed,
                    partial(actions.open_file, one.storage_path),
                )
                for one in files[:most]
            ),
            str(len(files)),
        )

    def _post(self, post: PlannedPost, typed: str) -> Entry:
        return self._rows().post(post, typed, partial(self._actions.open_post, post.key))

    def _rows(self) -> PostRows:
        return PostRows(self._zone, self._workspace.accounts, wall_clock())


def _match(typed: str, command: Command) -> Match | None:
    """Match a command by its name, or by its hidden words."""
    own = match(typed, command.name)
    if own is not None and own.fit <= Fit.INITIALS:
        return own
    other = match(typed, f"{command.group} {command.words} {command.name}")
    if other is not None and other.fit <= Fit.WORDS and len(typed.strip()) >= _WORD_LEAST:
        return Match(Fit.ALSO_KNOWN)
    return own


def _count(shown: int, matching: frozenset[str] | None) -> str:
    return str(shown if matching is None else max(shown, len(matching)))


def _more(run: Callable[[], object]) -> Entry:
    title = tr("Show all matches")
    return Entry("more", title, run, lambda: Said(title), "search", tint="text3", caps=key_caps("Ctrl+F"))
