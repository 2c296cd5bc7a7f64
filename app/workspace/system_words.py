"""The operating system's reason for a failure, in the app's language."""

import errno
import os
from types import MappingProxyType
from typing import Final

from app.language import current, tr

_BY_NUMBER: Final = MappingProxyType(
    {
        errno.ENOSPC: tr("no space left on device"),
        errno.EDQUOT: tr("disk quota exceeded"),
        errno.EFBIG: tr("file too large"),
        errno.EACCES: tr("permission denied"),
        errno.EPERM: tr("operation not permitted"),
        errno.EROFS: tr("read-only file system"),
        errno.EIO: tr("input/output error"),
        errno.ENOENT: tr("no such file or directory"),
        errno.ENOTDIR: tr("not a directory"),
        errno.EISDIR: tr("is a directory"),
        errno.ENAMETOOLONG: tr("file name too long"),
        errno.EEXIST: tr("file exists"),
        errno.ENOTEMPTY: tr("directory not empty"),
        errno.EBUSY: tr("device or resource busy"),
        errno.EMFILE: tr("too many open files"),
        errno.ECONNREFUSED: tr("connection refused"),
        errno.ECONNRESET: tr("connection reset by peer"),
        errno.ENETUNREACH: tr("network is unreachable"),
        errno.EHOSTUNREACH: tr("no route to host"),
    }
)
_WORDS: Final = MappingProxyType(
    {os.strerror(number).lower(): words for number, words in _BY_NUMBER.items()}
    | {
        "name or service not known": tr("unknown host name"),
        "temporary failure in name resolution": tr("host names can't be resolved right now"),
    }
)
"""By what the C library says."""


def why(error: OSError) -> str:
    """Some words for the middle or the end of a sentence."""
    said = error.strerror or str(error)
    if said.lower() in _WORDS or current() == "en":
        return in_words(said)
    # The system's own words may be in any language, so that a number is all that can be said of the others.
    known = _BY_NUMBER.get(error.errno or 0)
    return known or (tr("system error {number}", number=error.errno) if error.errno else in_words(said))


def in_words(said: str) -> str:
    """The same of what another process was told; unknown words are left out of other languages."""
    if known := _WORDS.get(said.lower()):
        return known
    return said.lower() if current() == "en" else tr("an unknown error")
