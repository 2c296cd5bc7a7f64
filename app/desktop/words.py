"""Names and times in a person's words, the same in every pane."""

from datetime import datetime

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


def platform_name(platform: str) -> str:
    """The platform's own spelling of its name; an unknown one as it is."""
    return PLATFORM_NAMES.get(platform, platform)


def counted(number: int, thing: str) -> str:
    """``1 post``, ``2 posts``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


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


def data_size(size: int) -> str:
    """``640 KB``, ``12.4 MB``; the units of file managers, in steps of 1024."""
    for unit, name in ((1024**3, "GB"), (1024**2, "MB"), (1024, "KB")):
        if size >= unit:
            return f"{size / unit:.1f}".removesuffix(".0") + f" {name}"
    return counted(size, "byte")
