"""How the bytes of a spreadsheet's file spell their letters."""

import codecs
from typing import Final

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""The longer mark of UTF-32 comes before that of UTF-16, which it begins with."""
_USUAL: Final = "cp1252"
_SAVED_BY_SPREADSHEETS: Final = [
    *(_USUAL, "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
    *("cp932", "gb18030", "big5", "cp949", "mac_roman"),
]
_SAMPLE: Final = 64 * 1024
_AS_GOOD: Final = 0.05
"""Guesses whose disorder differs by less are equally good; the usual one is taken then."""


def encoding_of(content: bytes) -> str:
    """The name of the most likely encoding, as Python calls it."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return name
    if (wide := _unmarked_utf16(content)) is not None:
        return wide
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return _guessed(content)
    return "utf-8"


def decoded(content: bytes, encoding: str) -> str:
    """The text; what the encoding does not know becomes U+FFFD."""
    return content.decode(encoding, "replace").removeprefix("\ufeff")


def _unmarked_utf16(content: bytes) -> str | None:
    """Separators and digits of UTF-16 have a zero byte each; no other encoding of text has so many."""
    head = content[:4096]
    if len(head) < 4:
        return None
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) * 5 < len(head) or min(even, odd) * 5 > max(even, odd):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _guessed(content: bytes) -> str:
    """Of the letters that are not ASCII alone, since the others say nothing."""
    from charset_normalizer import from_bytes  # takes a while, and few files need it

    telling = b"\n".join(line for line in content[:_SAMPLE].splitlines() if not line.isascii())
    found = from_bytes(telling or content[:_SAMPLE], cp_isolation=_SAVED_BY_SPREADSHEETS)
    best = found.best()
    if best is None:
        return _USUAL
    usual = next((one for one in found if one.encoding == _USUAL), None)
    if usual is not None and usual.chaos - best.chaos < _AS_GOOD and usual.coherence >= best.coherence:
        return _USUAL
    return best.encoding
