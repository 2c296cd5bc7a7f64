"""What a person chose, kept as text by name, as versions before this one kept it."""

from datetime import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.workspace.notices.notice import NoticeKind
from app.workspace.preferences import Preferences, QuietHours

MINUTES = st.builds(time, st.integers(0, 23), st.integers(0, 59))


class Memory(dict[str, object]):
    """Keeps what QSettings would."""

    def value(self, name: str, /) -> object:
        return self.get(name)

    def setValue(self, name: str, value: str, /) -> None:  # noqa: N802  Qt's
        self[name] = value


KEPT: dict[str, object] = {
    "language": "de",
    "zone": "Asia/Tokyo",
    "first_weekday": 6,
    "appearance": "dark",
    "motion": "off",
    "text_size": "125",
    "updates/check": "on",
    "background/keep": "off",
    "background/login_asked": "on",
    "notices/all": "off",
    "notices/uploaded": "off",
    "notices/quiet": "on",
    "notices/quiet_begin": "20:00",
    "notices/quiet_end": "06:30",
    "palette/recent": '["New post","Undo"]',
}
"""A file as earlier versions wrote it, and as QSettings reads it."""


def chosen(preferences: Preferences) -> dict[str, object]:
    return {
        "language": preferences.language,
        "zone": preferences.zone,
        "first_weekday": preferences.first_weekday,
        "appearance": preferences.appearance,
        "motion": preferences.motion,
        "text_size": preferences.text_size,
        "checks_updates": preferences.checks_updates,
        "keeps_publishing": preferences.keeps_publishing,
        "was_asked_about_login": preferences.was_asked_about_login,
        "notifies": preferences.notifies,
        "kinds": [kind for kind in NoticeKind if not preferences.has_chosen(kind)],
        "quiet_hours": preferences.quiet_hours,
        "recent_commands": preferences.recent_commands,
    }


USUAL = {
    "language": "",
    "zone": "",
    "first_weekday": 0,
    "appearance": "system",
    "motion": "system",
    "text_size": 100,
    "checks_updates": False,
    "keeps_publishing": None,
    "was_asked_about_login": False,
    "notifies": True,
    "kinds": [],
    "quiet_hours": QuietHours(is_on=False, begin=time(22), end=time(8)),
    "recent_commands": (),
}


def test_without_a_file_everything_is_as_usual() -> None:
    assert chosen(Preferences(Memory())) == USUAL


def test_files_of_earlier_versions_are_read_and_written_alike() -> None:
    preferences = Preferences(Memory(KEPT))
    found = chosen(preferences)
    assert found == {
        "language": "de",
        "zone": "Asia/Tokyo",
        "first_weekday": 6,
        "appearance": "dark",
        "motion": "off",
        "text_size": 125,
        "checks_updates": True,
        "keeps_publishing": False,
        "was_asked_about_login": True,
        "notifies": False,
        "kinds": [NoticeKind.UPLOADED],
        "quiet_hours": QuietHours(is_on=True, begin=time(20), end=time(6, 30)),
        "recent_commands": ("New post", "Undo"),
    }
    memory = Memory()
    copy = Preferences(memory)
    for name, value in found.items():
        if name != "kinds":
            setattr(copy, name, value)
    copy.choose(NoticeKind.UPLOADED, on=False)
    assert {name: str(value).replace(" ", "") for name, value in memory.items()} == {
        name: str(value).replace(" ", "") for name, value in KEPT.items()
    }


@pytest.mark.parametrize("nonsense", ["late", "[", "[" * 100_000, "[1]", ["a", "b"], "-1", "25:00"])
def test_what_cannot_be_read_was_not_chosen(nonsense: object) -> None:
    found = chosen(Preferences(Memory(dict.fromkeys(KEPT, nonsense))))
    for free in ("language", "zone"):  # whoever uses them checks them
        del found[free]
    assert found == {name: value for name, value in USUAL.items() if name in found}


def test_the_last_five_commands_are_known() -> None:
    preferences = Preferences(Memory())
    for name in "abcdefb":
        preferences.use_command(name)
    assert preferences.recent_commands == ("b", "f", "e", "d", "c")


def test_quiet_hours_are_none_until_they_are_chosen() -> None:
    assert not QuietHours().include(time(3))
    assert QuietHours(is_on=True).include(time(3))


@pytest.mark.parametrize(
    ("now", "is_quiet"),
    [(time(21, 59), False), (time(22), True), (time(0), True), (time(7, 59, 59), True), (time(8), False)],
)
def test_quiet_hours_last_over_midnight(now: time, is_quiet: bool) -> None:
    assert QuietHours(is_on=True).include(now) == is_quiet


@given(MINUTES, MINUTES, MINUTES)
def test_quiet_hours_and_the_rest_of_the_day_share_no_minute(begin: time, end: time, now: time) -> None:
    quiet, rest = (QuietHours(True, *one) for one in ((begin, end), (end, begin)))
    assert quiet.include(now) + rest.include(now) == (begin != end)
