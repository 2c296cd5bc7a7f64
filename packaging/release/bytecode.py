"""Which of the bundled modules keep their docstrings.

A bundle is compiled without docstrings: those of the libraries take 9 MB of memory in the window and the
service. Nothing reads them, except that the service describes its API with its own and the contract's.
"""

import py_compile
from pathlib import Path
from typing import Final

from release.trim import Entry

_DESCRIBED: Final = ("app.contract.", "app.service.")
_WITH_DOCSTRINGS: Final = 1
"""Python's level of optimization that removes assertions, but no docstrings."""


def described(entries: list[Entry], root: Path, work: Path) -> list[Entry]:
    """Return the entries, with docstrings in the modules that describe the API.

    These are compiled again from their source below ``root``, into ``work``.
    """
    return [_described(entry, root, work) for entry in entries]


def _described(entry: Entry, root: Path, work: Path) -> Entry:
    place, source, kind = entry
    if not place.replace("/", ".").startswith(_DESCRIBED):
        return entry
    if kind.startswith("PYMODULE"):
        return place, source, f"PYMODULE-{_WITH_DOCSTRINGS}"
    if not place.endswith(".pyc"):
        return entry
    module, compiled = Path(place).with_suffix(".py"), work / place
    py_compile.compile(
        str(root / module),
        str(compiled),
        dfile=str(module),  # in tracebacks
        doraise=True,
        optimize=_WITH_DOCSTRINGS,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
    return place, str(compiled), kind
