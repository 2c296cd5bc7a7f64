"""The rows of a list of results: headings, and entries that can be chosen."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from app.desktop.commands import Command, key_caps, spoken
from app.desktop.palette.matching import Match
from app.language import tr

Spans: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading above a group. ``count`` is the total number of entries as text, or empty."""

    title: str
    count: str = ""


class Said(NamedTuple):
    """The texts of an entry in addition to its title.

    ``words`` are the whole line for a screen reader, ``facts`` columns at the end, such as account and time,
    ``spans`` the parts of the title that were looked for.
    """

    words: str
    facts: tuple[str, ...] = ()
    spans: Spans = ()


@dataclass(frozen=True)
class Entry:
    """A line with an action.

    Attributes:
        key: Identifies the entry, so the selection survives changes of the list.
        title: In one line.
        run: The action.
        tell: Returns its other texts; called once, when the line becomes visible.
        icon: With its ``tint``, a colour role or `#RRGGBB`.
        detail: Quiet text after the title.
        glyph: An icon for its state and that icon's colour role, or empty.
        caps: Its keys, each as the texts on its caps.
        enabled: Whether it can be chosen.
    """

    key: str
    title: str
    run: Callable[[], object]
    tell: Callable[[], Said]
    icon: str
    tint: str = "text2"
    detail: str = ""
    glyph: str = ""
    glyph_tint: str = "text3"
    caps: tuple[str, ...] = ()
    enabled: bool = True

    @cached_property
    def said(self) -> Said:
        return self.tell()


Row: TypeAlias = Heading | Entry


def group(title: str, entries: Iterable[Entry], count: str = "") -> list[Row]:
    """Return a heading and its entries; empty without entries."""
    listed = list(entries)
    return [Heading(title, count), *listed] if listed else []


def command_entry(command: Command, match: Match, run: Callable[[], object]) -> Entry:
    """Return the line of a command."""
    enabled, detail = command.enabled(), command.detail()
    key = next(iter(command.all_keys), "")

    def tell() -> Said:
        group = tr("{group} command", group=command.group)
        facts = (command.name, detail, group, spoken(key), "" if enabled else tr("not available now"))
        return Said(", ".join(fact for fact in facts if fact), spans=match.spans)

    return Entry(
        key=f"command {command.name}",
        title=command.name,
        run=run,
        tell=tell,
        icon=command.icon,
        detail=detail,
        caps=key_caps(key) if key else (),
        enabled=enabled,
    )
