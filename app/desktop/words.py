"""Names and times in a person's words, the same in every pane."""

from collections.abc import Sequence
from datetime import datetime

from app.workspace import sizes

data_size = sizes.data_size

PLATFORM_NAMES = {
    "linkedin": "LinkedIn",
    "tiktok": "TikTok",
    "pinterest": "Pinterest",
    "instagram": "Instagram",
    "youtube": "YouTube",
    "x": "X",
    "facebook": "Facebook",
    "threads": "Threads",
}


_WITH_AT_SIGN = ("instagram", "threads", "tiktok", "x", "youtube")


def handle(name: str | None, platform: str) -> str:
    """A handle as its platform writes it: ``@maya.makes`` on TikTok, ``okafor-studio`` on LinkedIn."""
    if not name or platform not in _WITH_AT_SIGN:
        return name or ""
    return f"@{name.removeprefix('@')}"


def platform_name(platform: str) -> str:
    """The platform's own spelling of its name; an unknown one as it is."""
    return PLATFORM_NAMES.get(platform, platform)


def counted(number: int, thing: str) -> str:
    """``1 post``, ``2 posts``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def joined(names: Sequence[str]) -> str:
    """``X``, ``X and LinkedIn``, ``X, LinkedIn and Pinterest``."""
    *before, last = names or ("",)
    return f"{', '.join(before)} and {last}" if before else last


def day(moment: datetime) -> str:
    """``Wed 25 Nov``."""
    return f"{moment:%a} {moment.day} {moment:%b}"


def clock(moment: datetime) -> str:
    """``09:30``."""
    return f"{moment:%H:%M}"


def utc_offset(moment: datetime) -> str:
    """The distance from UTC, such as ``UTC+1`` or ``UTC+5:30``."""
    minutes = round((moment.utcoffset() or moment - moment).total_seconds() / 60)
    hours, rest = divmod(abs(minutes), 60)
    sign = "−" if minutes < 0 else "+"  # noqa: RUF001  a true minus is as wide as the plus
    return f"UTC{sign}{hours}" + (f":{rest:02}" if rest else "")
