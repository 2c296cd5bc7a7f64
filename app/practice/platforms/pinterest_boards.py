"""The boards of the simulated users on Pinterest, which never change."""

from dataclasses import dataclass

from app.practice.identities import ACCOUNTS, Identity

_BOARDS = (
    ("Before and after", "Rooms, desks and gardens, twice each.", "PUBLIC"),
    ("Kitchen notes", "What worked, with the amounts.", "PUBLIC"),
    ("Studio", "", "PUBLIC"),
    ("Small spaces", "Ideas for less than thirty square metres.", "PUBLIC"),
    ("Paper and print", "Letterpress, risograph, bindings.", "PUBLIC"),
    ("Trails", "Walks that can be done in a day.", "PROTECTED"),
    ("Drafts", "Not for others yet.", "SECRET"),
)
# One built-in user has more boards than fit on a page of any usual size.
_COLLECTOR = ACCOUNTS[1]
_SEASONS = ("Spring", "Summer", "Autumn", "Winter")
_COLLECTED = tuple(
    (f"{season} {year}", f"What was seen in the {season.lower()} of {year}.", "PUBLIC")
    for year in range(2026, 2008, -1)
    for season in _SEASONS
)


@dataclass(frozen=True)
class Board:
    """A board; ``privacy`` is PUBLIC, PROTECTED or SECRET."""

    id: str
    name: str
    description: str
    privacy: str
    pin_count: int


def boards_of(person: Identity) -> list[Board]:
    """Return the user's boards, newest first."""
    return [
        Board(
            str(10**17 + (person.seed + place) % 10**17),
            name,
            description,
            privacy,
            3 + (person.seed >> place) % 90,
        )
        for place, (name, description, privacy) in enumerate(_named(person))
    ]


def _named(person: Identity) -> tuple[tuple[str, str, str], ...]:
    return _BOARDS + (_COLLECTED if person.account == _COLLECTOR else ())
