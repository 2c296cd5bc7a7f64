"""Every emoji with its names, as Unicode orders them (Emojibase, made by `packaging/emoji.py`)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass as checked

from app.language import tr, trc

GROUPS: Final = MappingProxyType(
    {
        "Smileys & emotion": tr("Smileys & emotion"),
        "People & body": tr("People & body"),
        "Animals & nature": tr("Animals & nature"),
        "Food & drink": tr("Food & drink"),
        "Travel & places": tr("Travel & places"),
        "Activities": tr("Activities"),
        "Objects": tr("Objects"),
        "Symbols": tr("Symbols"),
        "Flags": tr("Flags"),
    }
)
"""What people read, by the name of a group in the file."""
SHOWN_TONES: Final = (
    tr("No skin tone"),
    trc("skin tone", "Light"),
    trc("skin tone", "Medium-light"),
    trc("skin tone", "Medium"),
    trc("skin tone", "Medium-dark"),
    trc("skin tone", "Dark"),
)
"""Entries of a menu, by the number of the tone."""
SPOKEN_TONES: Final = (
    trc("skin tone", "none"),
    trc("skin tone", "light"),
    trc("skin tone", "medium-light"),
    trc("skin tone", "medium"),
    trc("skin tone", "medium-dark"),
    trc("skin tone", "dark"),
)
"""Behind "Skin tone:", by number."""
TONES = ("none", "light", "medium-light", "medium", "medium-dark", "dark")
"""By number, in the words of emoji's names."""
_WORST = 3


@checked(frozen=True, slots=True)
class Emoji:
    """One emoji, or one of its forms with a tone of skin.

    Attributes:
        text: The whole sequence.
        name: What it is called, in English.
        words: More words by which it is found.
        tones: The sequences in the five tones of skin, from light to dark; empty where it has none.
    """

    text: str
    name: str
    words: tuple[str, ...] = ()
    tones: Annotated[tuple[str, ...], "none or five"] = ()

    def in_tone(self, tone: int) -> "Emoji":
        """Return it in a tone from 1 to 5, as a whole sequence; itself if it has no tones, or for 0."""
        if not (tone and self.tones):
            return self
        return Emoji(self.tones[tone - 1], f"{self.name}, {TONES[tone]} skin tone", self.words)


@checked(frozen=True, slots=True)
class Group:
    """Emoji of one kind."""

    name: str
    emoji: tuple[Emoji, ...]


_SHAPE = TypeAdapter(tuple[Group, ...])


@dataclass(frozen=True)
class Catalogue:
    """All groups in their order."""

    groups: tuple[Group, ...]

    @classmethod
    def read(cls, path: Path) -> "Catalogue":
        """Read a file of groups. Blocking; raises OSError, and ValueError for a damaged one."""
        return cls(_SHAPE.validate_json(path.read_bytes()))

    def find(self, typed: str) -> list[Emoji]:
        """Return those that have words which begin with every word that was typed, the best ones first."""
        wanted = typed.casefold().split()
        if not wanted:
            return []
        ranked = [(rank, one) for one in self._all() if (rank := _rank(one, wanted)) < _WORST]
        return [one for _rank_, one in sorted(ranked, key=lambda found: found[0])]

    def named(self, texts: Iterable[str]) -> list[Emoji]:
        """Return emoji by their sequences, also by those with a tone; unknown ones are left out."""
        return [found for text in texts if (found := self._by_text.get(text)) is not None]

    @cached_property
    def _by_text(self) -> dict[str, Emoji]:
        toned = (one.in_tone(tone) for one in self._all() if one.tones for tone in range(1, len(TONES)))
        return {one.text: one for one in (*toned, *self._all())}

    def _all(self) -> Iterator[Emoji]:
        return (one for group in self.groups for one in group.emoji)


def _rank(one: Emoji, wanted: list[str]) -> int:
    """0 for a name that begins so, 1 for a name with such words, 2 for other words, 3 for none."""
    name = one.name.casefold()
    named, known = name.replace(":", " ").replace("-", " ").split(), (*one.words, one.text)
    if name.startswith(" ".join(wanted)):
        return 0
    if all(_begins(named, word) for word in wanted):
        return 1
    return 2 if all(_begins((*named, *known), word) for word in wanted) else _WORST


def _begins(words: Iterable[str], wanted: str) -> bool:
    return any(word.startswith(wanted) for word in words)
