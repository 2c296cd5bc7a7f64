"""Storage paths: ``{principal_id}/{stem}-{8 hex}.{ext}``, safe on every file system and in every URL.

Paths hold letters, digits, ``-``, ``_`` and ``.``, so they need no escapes; the name that people see is kept
beside them. Older paths may hold blanks and letters of any script.
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
"""Longest stem in UTF-8, so that the whole name stays far below 255 bytes, the shortest limit there is."""

_SEPARATORS = regex.compile(r"[/\\]")
# Controls, what only changes the direction of text, what is no character, and what file systems and URLs
# use for themselves. The two joiners stay: names in Persian and pictures of families need them.
_UNWANTED = regex.compile(
    r"""[\p{C}\p{Zl}\p{Zp}--\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}]|[<>:"|?*%#&;+~$`'{}^]""", regex.V1
)
_SPACES = regex.compile(r"\s+")
_ESCAPED = regex.compile(r"[^A-Za-z0-9._-]+")
_ENDING = regex.compile(r"(?=.*[A-Za-z])[A-Za-z0-9]{1,5}")
_EDGES = " .-_\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"


def new_storage_path(account_id: UUID, filename: str, kind: MediaKind) -> str:
    """A path that nothing has yet, for all one can know; ``filename`` may be anything."""
    stem, extension = clean(filename, kind)
    return f"{account_id}/{_plain(stem) or kind.post_type.value}-{secrets.token_hex(4)}.{extension}"


def shown_name(filename: str, kind: MediaKind) -> str:
    """A file's name for people, whatever it was called outside."""
    stem, extension = clean(filename, kind)
    return f"{stem}.{extension}"


def clean(filename: str, kind: MediaKind) -> tuple[str, str]:
    """Stem and extension of a name from outside: its last part, in NFC, without what does harm.

    The extension is one of the kind's: the name's own where it fits.
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
    """The last part of a URL's path, as a name for what lies there; empty where it has none."""
    return PurePosixPath(unquote(urlsplit(url).path, errors="replace")).name


def is_within(storage_path: str, account_id: UUID) -> bool:
    """Whether a path belongs to the account."""
    return storage_path.startswith(f"{account_id}/")


def _plain(stem: str) -> str:
    """A stem without accents, and with ``-`` for everything else that isn't a letter or digit in a URL."""
    letters = unicodedata.normalize("NFKD", stem.replace("ß", "ss"))
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return _ESCAPED.sub("-", bare)[:STEM_BYTES_MAX].strip("-_.")


def _shortened(stem: str) -> str:
    """As many whole characters, as people see them, as fit."""
    if len(stem.encode()) <= STEM_BYTES_MAX:
        return stem
    kept, size = [], 0
    for character in regex.findall(r"\X", stem):
        size += len(character.encode())
        if size > STEM_BYTES_MAX:
            break
        kept.append(character)
    return "".join(kept)
