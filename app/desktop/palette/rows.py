"""What a list of results is made of: headings, and entries that can be chosen."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from app.desktop.commands import Command, key_caps, spoken
from app.desktop.palette.matching import Match

Spans: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """Stands above a group of entries; ``count`` is how many there are in all, empty for no need to say."""

    title: str
    count: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line that does something.

    Attributes:
        key: The same for the same thing, so that the choice stays while the list changes.
        title: In one line; ``spans`` are the parts of it that were looked for.
        run: What choosing it does.
        icon: With its ``tint``, a colour role or `#RRGGBB`.
        detail: Said quietly behind the title.
        facts: Columns at the end, such as account and time.
        glyph: An icon for its state and that icon's colour role, or empty.
        caps: The keys that do the same, each with what stands on its caps.
        words: The whole line for a screen reader.
        enabled: Whether it can be chosen.
    """

    key: str
    title: str
    run: Callable[[], object]
    icon: str
    tint: str = "text2"
    spans: Spans = ()
    detail: str = ""
    facts: tuple[str, ...] = ()
    glyph: str = ""
    glyph_tint: str = "text3"
    caps: tuple[str, ...] = ()
    words: str = ""
    enabled: bool = True


Row: TypeAlias = Heading | Entry


def group(title: str, entries: Iterable[Entry], count: str = "") -> list[Row]:
    """A heading and its entries; nothing without entries."""
    listed = list(entries)
    return [Heading(title, count), *listed] if listed else []


def command_entry(command: Command, match: Match, run: Callable[[], object]) -> Entry:
    """The line of a command."""
    enabled, detail = command.enabled(), command.detail()
    key = next(iter(command.all_keys), "")
    facts = (command.name, detail, f"{command.group} command", spoken(key), "" if enabled else "not now")
    return Entry(
        key=f"command {command.name}",
        title=command.name,
        run=run,
        icon=command.icon,
        spans=match.spans,
        detail=detail,
        caps=key_caps(key) if key else (),
        words=", ".join(fact for fact in facts if fact),
        enabled=enabled,
    )
