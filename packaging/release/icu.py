"""Removes from Qt's ICU data what the app doesn't use: 28 of 32 MB.

Qt for Linux loads ICU for time zones, sorting and letter case. The data also has names of languages,
currencies and units in 800 locales, and tables of other encodings. If an item is missing, ICU falls back to
its root locale.

Sources: ICU User Guide, "ICU Data"; ``source/common/ucmndata.h`` for the table of contents.
"""

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

LIBRARY: Final = "libicudata.so.*"
_MAGIC: Final = b"\xda\x27"
_FORMAT: Final = slice(12, 16)
_INFORMATION_BYTES: Final = 20
_ALIGNMENT: Final = 16
_PT_LOAD: Final = 1
_SHT_NOBITS: Final = 8

_KEPT: Final = re.compile(
    r"""[^/]+/(
        (coll/|zone/)?(root|pool|res_index|ucadata|(en|de)(_\w+)?|tzdbNames)\.(res|icu)
        | brkitr/(root|res_index|char|word|line|sent|title)\.(res|brk)
        | [^/]+\.nrm | cnvalias\.icu
        | (currencyNumericCodes|dayPeriods|genderList|grammaticalFeatures|icustd|icuver|keyTypeData|langInfo
          |likelySubtags|metaZones|metadata|numberingSystems|pluralRanges|plurals|supplementalData
          |timezoneTypes|windowsZones|zoneinfo64)\.res
    )""",
    re.VERBOSE,
)


class NotIcuError(Exception):
    """The library isn't built as expected, so it stays as it is."""


def trim(library: Path) -> None:
    """Shrink ``libicudata`` in place. Raises NotIcuError."""
    content = library.read_bytes()
    place = _Place.of(content)
    data = chosen(content[place.begin : place.end], lambda name: _KEPT.fullmatch(name) is not None)
    library.write_bytes(_cut(content, place, data))


def items(data: bytes) -> dict[str, bytes]:
    """Return the items of ICU's common data by name, such as ``icudt73l/de.res``. Raises NotIcuError."""
    if data[2:4] != _MAGIC or data[_FORMAT] != b"CmnD":
        raise NotIcuError("no common data")
    contents = data[struct.unpack_from("<H", data)[0] :]
    (count,) = struct.unpack_from("<I", contents)
    pairs = [struct.unpack_from("<II", contents, 4 + 8 * number) for number in range(count)]
    ends = [start for _, start in pairs[1:]] + [len(contents)]
    names = [contents[name : contents.index(b"\0", name)].decode("ascii") for name, _ in pairs]
    return {name: contents[start:end] for name, (_, start), end in zip(names, pairs, ends, strict=True)}


def chosen(data: bytes, is_kept: Callable[[str], bool]) -> bytes:
    """Return common data with only the items that ``is_kept``. Raises NotIcuError."""
    header = data[: struct.unpack_from("<H", data)[0]]
    kept = {name: item for name, item in items(data).items() if is_kept(name)}
    names, table, body = b"", b"", b""
    names_at = 4 + 8 * len(kept)
    body_at = _rounded(names_at + sum(len(name) + 1 for name in kept), _ALIGNMENT)
    for name, item in kept.items():
        table += struct.pack("<II", names_at + len(names), body_at + len(body))
        names += name.encode("ascii") + b"\0"
        body += item.ljust(_rounded(len(item), _ALIGNMENT), b"\0")
    return header + (struct.pack("<I", len(kept)) + table + names).ljust(body_at, b"\0") + body


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the data is in the library: ``begin`` to ``end``, in a segment that is aligned to ``page``."""

    begin: int
    end: int
    page: int

    @classmethod
    def of(cls, content: bytes) -> Self:
        begin = content.find(_MAGIC + struct.pack("<HH", _INFORMATION_BYTES, 0)) - 2
        if content[:6] != b"\x7fELF\x02\x01" or begin < 0:
            raise NotIcuError("no 64-bit little-endian ELF file with ICU's data")
        for at in _segments(content):
            (kind,) = struct.unpack_from("<I", content, at)
            offset, length = (struct.unpack_from("<Q", content, at + field)[0] for field in (8, 32))
            if kind == _PT_LOAD and offset <= begin < offset + length:
                return cls(begin, offset + length, *struct.unpack_from("<Q", content, at + 48))
        raise NotIcuError("no segment with data")


def _segments(content: bytes | bytearray) -> range:
    """Return where each entry of ELF's table of segments begins."""
    (table,) = struct.unpack_from("<Q", content, 32)
    size, count = struct.unpack_from("<HH", content, 54)
    return range(table, table + size * count, size)


def _sections(content: bytes | bytearray) -> range:
    (table,) = struct.unpack_from("<Q", content, 40)
    size, count = struct.unpack_from("<HH", content, 58)
    return range(table, table + size * count, size)


def _cut(content: bytes, place: _Place, data: bytes) -> bytes:
    """Put shorter data into the library, and move what follows in the file by whole pages.

    Addresses stay, so nothing has to be linked again; the pages between have no content.
    """
    begin, end = place.begin, place.end
    gone = (end - begin - len(data)) // place.page * place.page
    cut = bytearray(content[:begin] + data.ljust(end - begin - gone, b"\0") + content[end:])

    def correct(offset_at: int, *length_at: int) -> None:
        (offset,) = struct.unpack_from("<Q", cut, offset_at)
        if offset >= end:
            struct.pack_into("<Q", cut, offset_at, offset - gone)
        for at in length_at:
            (length,) = struct.unpack_from("<Q", cut, at)
            if offset <= begin < offset + length:
                struct.pack_into("<Q", cut, at, length - gone)

    for at in _segments(content):
        correct(at + 8, at + 32, at + 40)
    correct(40)  # the table of sections itself
    for at in _sections(cut):
        (kind,) = struct.unpack_from("<I", cut, at + 4)
        correct(at + 24, *([] if kind == _SHT_NOBITS else [at + 32]))
    return bytes(cut)


def _rounded(size: int, step: int) -> int:
    return -(-size // step) * step
