"""Posts, drafts and files as lines."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from zoneinfo import ZoneInfo

from app.desktop import words
from app.desktop.calendar.looks import DRESSES, STATUS_WORDS, look_of
from app.desktop.palette.matching import word_spans
from app.desktop.palette.rows import Entry, Said
from app.desktop.theme import icons, theme
from app.language import mid_sentence, tr, trn
from app.workspace.accounts.account import Account
from app.workspace.drafts.drafts import Draft
from app.workspace.media.library import MediaItem
from app.workspace.posts.planned import PlannedPost, headline

_NO_TEXT = tr("No text")
_KINDS = {"image": tr("Image"), "video": tr("Video")}
_KIND_ICONS = {"image": "image", "video": "play"}


class PostRows:
    """Makes lines of what is found; times are those of ``zone``."""

    def __init__(self, zone: ZoneInfo, accounts: Mapping[str, Account], now: int) -> None:
        self._zone = zone
        self._accounts = accounts
        self._now = now
        self._year = datetime.fromtimestamp(now / 1_000, zone).year

    def post(self, post: PlannedPost, typed: str, run: Callable[[], object]) -> Entry:
        """The line of a post: account, time with its zone, and state."""
        account = self._accounts.get(post.account_key)
        look = look_of(post, self._now)
        known = str(post.platform) in icons.BRANDS
        title = post.headline or _NO_TEXT

        def tell() -> Said:
            when, platform = self._when(post.at), words.platform_name(post.platform)
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
        """The line of a draft: for whom, and when it was changed."""
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
        """The line of a file: in how many posts it is."""

        def tell() -> Said:
            kind = _KINDS.get(item.file.kind.value, item.file.kind.value)
            used = trn("in {n} post", "in {n} posts", uses) if uses else ""
            said = _joined(item.name, mid_sentence(kind), used)
            return Said(said, (kind, used), word_spans(typed, item.name))

        icon = _KIND_ICONS.get(item.file.kind.value, "image")
        return Entry(f"file {item.path}", item.name, run, tell, icon)

    def date(self, day: date, run: Callable[[], object]) -> Entry:
        """The line that leads to a day."""
        title = tr("Go to {day}", day=f"{words.day_long(day)} {day.year}")
        return Entry("date", title, run, lambda: Said(title), "calendar-days")

    def plan(self, text: str, at: int, run: Callable[[], object]) -> Entry:
        """The line that begins a post with a text at a time."""
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
