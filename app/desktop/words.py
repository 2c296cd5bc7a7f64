"""Formatted names and times, the same in every pane."""

from collections.abc import Sequence
from datetime import date, datetime
from zoneinfo import ZoneInfo

from app import language
from app.language import city, month_name, month_short, number, tr, trc, weekday_name, weekday_short
from app.platforms.cards import brand_of, name_of
from app.workspace.accounts.account import Account

day = language.day

platform_name = name_of


def handle(name: str | None, platform: str) -> str:
    """Return a handle in its platform's format: ``@maya.makes`` on TikTok, ``okafor-studio`` on LinkedIn."""
    if not name or not brand_of(platform).at_sign:
        return name or ""
    return f"@{name.removeprefix('@')}"


def foreign(value: str) -> str:
    """Return a value of the service that this version doesn't know, in quotation marks."""
    return tr("“{text}”", text=value)


def status_detail(value: str) -> str:
    """Return a sentence with the service's own word for a status that this version doesn't know."""
    return tr("The service calls this status {name}.", name=foreign(value))


def joined(names: Sequence[str]) -> str:
    """``X``, ``X and LinkedIn``, ``X, LinkedIn and Pinterest``."""
    *before, last = names or ("",)
    return tr("{names} and {last}", names=", ".join(before), last=last) if before else last


def day_long(moment: date) -> str:
    """``Wednesday 25 November``."""
    return trc(
        "names in full",
        "{weekday} {day} {month}",
        weekday=weekday_name(moment),
        day=moment.day,
        month=month_name(moment),
    )


def day_and_year(moment: date) -> str:
    """``Wednesday 25 November 2026``."""
    return f"{day_long(moment)} {moment.year}"


def date_short(moment: date) -> str:
    """``25 Nov``."""
    return tr("{day} {month}", day=moment.day, month=month_short(moment))


def date_with_year(moment: date) -> str:
    """``25 Nov 2026``."""
    return tr("{day} {month} {year}", day=moment.day, month=month_short(moment), year=str(moment.year))


def date_long(moment: date) -> str:
    """``25 November 2026``."""
    return trc(
        "names in full",
        "{day} {month} {year}",
        day=moment.day,
        month=month_name(moment),
        year=str(moment.year),
    )


def month_year(moment: date) -> str:
    """``November 2026``."""
    return f"{month_name(moment)} {moment.year}"


def marked(name: str, account: Account) -> str:
    """Return a name, such as that of an account's platform, marked if it's a practice or sample account."""
    if account.is_sample:
        return tr("{name} (sample)", name=name)
    return tr("{name} (practice)", name=name) if account.practice else name


def hours(minutes: float) -> str:
    """``23 h``, ``23.5 h``."""
    whole = minutes % 60 == 0
    return tr("{n} h", n=number(minutes / 60, 0 if whole else 1))


def dollars(mills: int) -> str:
    """Format thousandths of a US dollar: ``$0.015``, ``$0.20``; in German ``0,015 $``."""
    return tr("${amount}", amount=number(mills / 1_000, 3 if mills % 10 else 2))


def clock(moment: datetime) -> str:
    """``09:30``."""
    return f"{moment:%H:%M}"


def day_and_time(moment: datetime) -> str:
    """``Wed 25 Nov, 09:30``."""
    return f"{day(moment)}, {clock(moment)}"


def day_year_and_time(moment: datetime) -> str:
    """``Wed 25 Nov 2026, 09:30``."""
    return f"{weekday_short(moment)} {date_with_year(moment)}, {clock(moment)}"


def zone_time(zone: ZoneInfo) -> str:
    """``Lisbon time``, ``UTC``."""
    place = city(zone)
    return place if place == "UTC" else tr("{city} time", city=place)


def when(moment: datetime, today: date) -> str:
    """``09:30`` for today, ``Wed 25 Nov, 09:30`` for another day."""
    return clock(moment) if moment.date() == today else day_and_time(moment)


def utc_offset(moment: datetime) -> str:
    """The offset from UTC, such as ``UTC+1`` or ``UTC+5:30``."""
    minutes = round((moment.utcoffset() or moment - moment).total_seconds() / 60)
    hours, rest = divmod(abs(minutes), 60)
    sign = "−" if minutes < 0 else "+"  # noqa: RUF001  a true minus is as wide as the plus
    return f"UTC{sign}{hours}" + (f":{rest:02}" if rest else "")
