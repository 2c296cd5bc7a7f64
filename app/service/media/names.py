"""Storage paths: ``{principal_id}/{stem}-{8 hex}.{ext}``, safe on every file system and in every URL.

Paths consist of letters, digits, ``-``, ``_`` and ``.``, so they need no escaping. The displayed name is
stored separately. Older paths may contain spaces and letters of any script.
"""

import secrets
import unicodedata
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote, urlsplit
from uuid import UUID

import regex

from app.contract.media_kinds import MediaKind

STEM_BYTES_MAX: Final = 120
"""Longest stem in UTF-8. Keeps names well below 255 bytes, the shortest limit of file systems."""

_SEPARATORS = regex.compile(r"[/\\]")
# Control and direction characters, unassigned code points, and characters with a meaning in file systems and
# URLs. The two joiners stay, because Persian names and family emoji need them.
_UNWANTED = regex.compile(
    r"""[\p{C}\p{Zl}\p{Zp}--\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}]|[<>:"|?*%#&;+~$`'{}^]""", regex.V1
)
_SPACES = regex.compile(r"\s+")
_ESCAPED = regex.compile(r"[^A-Za-z0-9._-]+")
_ENDING = regex.compile(r"(?=.*[A-Za-z])[A-Za-z0-9]{1,5}")
_EDGES = " .-_\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"


def new_storage_path(account_id: UUID, filename: str, kind: MediaKind) -> str:
    """Return a path that is almost certainly unused; ``filename`` may be anything."""
    stem, extension = clean(filename, kind)
    return f"{account_id}/{_plain(stem) or kind.post_type.value}-{secrets.token_hex(4)}.{extension}"


def shown_name(filename: str, kind: MediaKind) -> str:
    """Return the name to display for a file with any external name."""
    stem, extension = clean(filename, kind)
    return f"{stem}.{extension}"


def clean(filename: str, kind: MediaKind) -> tuple[str, str]:
    """Return the stem and extension of an external name: its last part, in NFC, without harmful characters.

    The name's own extension is kept if it fits the file type.
    """
    last = _SEPARATORS.split(filename)[-1] or filename
    printable = _UNWANTED.sub("", unicodedata.normalize("NFC", _SEPARATORS.sub("", last)))
    tidy = _SPACES.sub(" ", printable).strip(_EDGES)
    stem, dot, ending = tidy.rpartition(".")
    if not dot or not _ENDING.fullmatch(ending):
        stem, ending = tidy, ""
    extension = ending.lower() if ending.lower() in kind.extensions else kind.extension
    return _shortened(stem).strip(_EDGES) or kind.post_type.value, extension


def name_in_url(url: str) -> str:
    """Return the last part of a URL's path as a file name; empty if it has none."""
    return PurePosixPath(unquote(urlsplit(url).path, errors="replace")).name


def is_within(storage_path: str, account_id: UUID) -> bool:
    """Whether a path belongs to the account."""
    return storage_path.startswith(f"{account_id}/")


def _plain(stem: str) -> str:
    """Drop accents, and replace everything but ASCII letters and digits by ``-``."""
    letters = unicodedata.normalize("NFKD", stem.replace("ß", "ss"))
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return _ESCAPED.sub("-", bare)[:STEM_BYTES_MAX].strip("-_.")


def _shortened(stem: str) -> str:
    """Cut a stem to the maximum length, without splitting a grapheme."""
    if len(stem.encode()) <= STEM_BYTES_MAX:
        return stem
    kept, size = [], 0
    for character in regex.findall(r"\X", stem):
        size += len(character.encode())
        if size > STEM_BYTES_MAX:
            break
        kept.append(character)
    return "".join(kept)
