"""Names for files on this computer, made of names that somebody else chose."""

import re
import unicodedata
from collections.abc import Collection
from typing import Final

NAME_MAX: Final = 80
"""Longest name, in characters. Windows limits paths to 259, and the folder of a copy takes up to 152."""
_BYTES_MAX: Final = 200
"""File systems take 255 bytes, and a copy that is being written has a few more."""
_END: Final = 500
"""Characters that are read at each end of a longer name: composing it could take quadratic time."""
_FALLBACK: Final = "file"
_FORBIDDEN: Final = re.compile(r'[<>:"|?*]')
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\.|$)", re.IGNORECASE)


def safe_name(name: str, endings: Collection[str] = ()) -> str:
    """Return a name for a file that stays in its folder, shows whole, and works on every system.

    Only the last part of a path is kept, without control characters and marks that turn text around. The name
    is not hidden and not one that Windows reserves.

    Args:
        name: what somebody calls the file.
        endings: what it may end in, without dots, such as `jpg` and `jpeg`; another name gets the first one.
    """
    last = re.split(r"[/\\]", name)[-1]
    ends = last if len(last) <= 2 * _END else last[:_END] + last[-_END:]
    shown = "".join(each for each in unicodedata.normalize("NFC", ends) if each.isprintable())
    plain = _FORBIDDEN.sub("_", shown).strip().lstrip(".~ ").rstrip(". ") or _FALLBACK
    if _RESERVED.match(plain):
        plain = f"_{plain}"
    stem, dot, ending = plain.rpartition(".")
    if endings and not (dot and stem and ending.lower() in endings):
        stem, ending = plain, next(iter(endings))
    elif not dot or len(ending) > NAME_MAX // 4:
        stem, ending = plain, ""
    tail = f".{ending}" if ending else ""
    return _cut(stem, NAME_MAX - len(tail), _BYTES_MAX - len(tail.encode())) + tail


def _cut(stem: str, characters: int, size: int) -> str:
    cut = stem[:characters].encode()[:size].decode(errors="ignore")
    return cut.rstrip(". ") or _FALLBACK
