"""The limits in ``docs/platforms.md``, written from the tables that the programs use.

    python -m tests.platforms.limits_page

writes them anew after a change of the tables.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from app.contract.enums import ConnectionPlatform, PostType
from app.platforms.hosts import HOSTS
from app.platforms.rules import FILES, RULES, FileRules, PlatformRules, TextUnit

PAGE: Final = Path(__file__).parents[2] / "docs/platforms.md"
_MARKS: Final = ("<!-- written by tests.platforms.limits_page -->\n", "<!-- end of what is written -->\n")
_UNITS: Final = {
    TextUnit.CODE_POINTS: "characters",
    TextUnit.UTF16_UNITS: "UTF-16 units (an emoji is two)",
    TextUnit.UTF8_BYTES: "bytes of UTF-8",
    TextUnit.X_WEIGHT: "units: a link 23, an emoji or a Chinese, Japanese or Korean character 2",
}
_NAMES: Final = {
    "image/jpeg": "JPEG",
    "image/png": "PNG",
    "image/gif": "GIF",
    "image/webp": "WebP",
    "video/mp4": "MP4",
    "video/quicktime": "MOV",
    "video/webm": "WebM",
    "h264": "H.264",
    "hevc": "H.265",
    "vp8": "VP8",
    "vp9": "VP9",
    "aac": "AAC",
}


def page_with_limits(page: str) -> str:
    """The page with the limits of today between its marks."""
    before, _, rest = page.partition(_MARKS[0])
    _, _, after = rest.partition(_MARKS[1])
    return f"{before}{_MARKS[0]}\n{limits()}\n{_MARKS[1]}{after}"


def limits() -> str:
    """Three tables: texts, files, and the versions of the APIs."""
    texts = [
        f"| {rules.name} | {_kinds(rules)} | {_text(rules)} | {_title(rules)} | {_alt_text(rules)} "
        f"| {rules.source} |"
        for rules in RULES.values()
    ]
    files = [
        f"| {RULES[platform].name}, {kind.value} | {_listed(rules.content_types) or 'any'} "
        f"| {_size(rules)} | {'; '.join(_shape(rules)) or 'any'} | {'; '.join(_coding(rules)) or 'any'} "
        f"| {rules.source} |"
        for (platform, kind), rules in FILES.items()
    ]
    versions = [
        f"| {platform.value} | `{hosts.api}` | {hosts.version} | {_other_versions(platform)} |"
        for platform, hosts in HOSTS.items()
    ]
    return "\n".join(
        [
            "| Platform | Posts | Text | Title | Description of the file | From |",
            "|---|---|---|---|---|---|",
            *texts,
            "",
            "| Platform, kind | Formats | Size | Shape and length | Coding | From |",
            "|---|---|---|---|---|---|",
            *files,
            "",
            "| Platform | API | Version | Others |",
            "|---|---|---|---|",
            *versions,
            "",
        ]
    )


def _kinds(rules: PlatformRules) -> str:
    return ", ".join(kind.value for kind in PostType if kind in rules.publishable)


def _text(rules: PlatformRules) -> str:
    parts = [f"{rules.text_max} {_UNITS[rules.text_unit]}"]
    if rules.image_text_max is not None:
        parts.append(f"{rules.image_text_max} with an image")
    for most, what in (
        (rules.hashtags_max, "hashtag"),
        (rules.mentions_max, "mention"),
        (rules.cashtags_max, "cashtag"),
    ):
        if most is not None:
            parts.append(f"{most} {what}{'' if most == 1 else 's'}")
    if all(char.isprintable() and char.isascii() for char in rules.forbidden) and rules.forbidden:
        parts.append(f"no {' '.join(f'`{char}`' for char in rules.forbidden)}")
    return "; ".join(parts)


def _title(rules: PlatformRules) -> str:
    if not rules.title_types:
        return "ignored"
    kinds = " and ".join(kind.value for kind in PostType if kind in rules.title_types)
    longest = "" if rules.title_max is None else f", {rules.title_max} characters"
    return f"with {kind_words(kinds)}{longest}{'; needed, else the first line' if rules.title_needed else ''}"


def kind_words(kinds: str) -> str:
    """``image and video`` as people say it of several."""
    return " and ".join(f"{kind}s" for kind in kinds.split(" and "))


def _alt_text(rules: PlatformRules) -> str:
    kinds = " and ".join(kind.value for kind in PostType if kind in rules.alt_text_types)
    return f"of {kind_words(kinds)}, {rules.alt_text_max} characters" if kinds else "not taken"


def _size(rules: FileRules) -> str:
    parts = [f"{_amount(rules.bytes_min)} or more"] if rules.bytes_min > 1 else []
    if rules.bytes_max is not None:
        parts.append(f"{_amount(rules.bytes_max)} at most")
    if rules.gif_bytes_max is not None:
        parts.append(f"GIF {_amount(rules.gif_bytes_max)}")
    return ", ".join(parts) or "any"


def _shape(rules: FileRules) -> Iterator[str]:
    if rules.pixels_max is not None:
        yield f"fewer than {rules.pixels_max:,} pixels"
    if rules.side is not None:
        yield f"{rules.side[0]} to {rules.side[1]} pixels per side"
    if rules.width_max is not None:
        yield f"{rules.width_max} pixels wide at most"
    if rules.ratio is not None:
        yield f"width {rules.ratio[0]:.3g} to {rules.ratio[1]:.3g} times the height"
    if rules.duration_ms is not None:
        shortest, longest = rules.duration_ms
        yield f"{_time(shortest)} to {_time(longest)}" if shortest else f"{_time(longest)} at most"
    if rules.pulled:
        yield "fetched from a public address"


def _coding(rules: FileRules) -> Iterator[str]:
    if codecs := _listed(rules.video_codecs | rules.audio_codecs):
        yield codecs
    if rules.frame_rate is not None:
        yield f"{rules.frame_rate[0]:g} to {rules.frame_rate[1]:g} frames per second"


def _other_versions(platform: ConnectionPlatform) -> str:
    hosts = HOSTS[platform]
    parts = [f"sign-in {hosts.login_version}"] if hosts.login_version else []
    if hosts.reports:
        parts.append(f"numbers `{hosts.reports}` {hosts.reports_version}")
    return ", ".join(parts)


def _listed(names: frozenset[str]) -> str:
    return ", ".join(sorted(_NAMES[name] for name in names))


def _amount(size: int) -> str:
    for unit, name in ((1024**3, "GB"), (1024**2, "MB"), (1024, "KB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} bytes"


def _time(milliseconds: int) -> str:
    for unit, name in ((3_600_000, "h"), (60_000, "min")):
        if milliseconds >= unit and milliseconds % unit == 0:
            return f"{milliseconds // unit} {name}"
    return f"{milliseconds / 1000:g} s"


if __name__ == "__main__":
    PAGE.write_text(page_with_limits(PAGE.read_text("utf-8")), "utf-8")
