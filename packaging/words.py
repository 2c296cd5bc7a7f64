"""Update the translation catalogues from the strings in the code.

    .venv/bin/python packaging/words.py

Extracts all strings from the code, adds new ones to `resources/locale/*/LC_MESSAGES/kalends.po` without a
translation, removes obsolete ones, and compiles the app's `.mo`. Lists missing translations.
"""

import sys
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[1]
LOCALE = ROOT / "resources" / "locale"
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)
_KEYWORDS = {"tr": None, "gettext_noop": None, "trn": (1, 2), "trc": ((1, "c"), 2)}


def sentences() -> Catalog:
    """Return every string in the code."""
    found = Catalog(project="Kalends", charset="utf-8")
    for name, _, words, _, context in extract_from_dir(str(ROOT / "app"), keywords=_KEYWORDS):
        found.add(words, locations=[(name, 0)], context=context)
    return found


def brought_up_to_date(path: Path, code: Catalog) -> Catalog:
    """Return a catalogue with exactly the code's strings, keeping existing translations."""
    with path.open("rb") as file:
        known = read_po(file, locale=path.parents[1].name)
    known.update(code, no_fuzzy_matching=True, update_header_comment=False)
    known.obsolete.clear()
    return known


def as_text(catalogue: Catalog) -> bytes:
    """Return the content of the `.po`: sorted, without source locations and times, to keep changes small."""
    written = BytesIO()
    write_po(written, catalogue, width=0, sort_output=True, no_location=True, omit_header=False)
    lines = written.getvalue().decode().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(('"POT-Creation', '"PO-Revision'))).encode()


def compiled(catalogue: Catalog) -> bytes:
    """Return the content of the `.mo`, reproducible for the same strings."""
    written = BytesIO()
    catalogue.creation_date = catalogue.revision_date = _NO_TIME
    write_mo(written, catalogue)
    return written.getvalue()


def untranslated(catalogue: Catalog) -> list[Message]:
    """Return strings without a translation."""

    def lacks(message: Message) -> bool:
        forms = message.string if isinstance(message.string, (tuple, list)) else (message.string,)
        return not all(forms)

    return [message for message in catalogue if message.id and lacks(message)]


def main() -> int:
    code, missing = sentences(), 0
    for path in sorted(LOCALE.glob("*/LC_MESSAGES/kalends.po")):
        catalogue = brought_up_to_date(path, code)
        path.write_bytes(as_text(catalogue))
        path.with_suffix(".mo").write_bytes(compiled(catalogue))
        for message in untranslated(catalogue):
            missing += 1
            print(f"{path.parents[1].name}: {message.id!r} ({message.locations[0][0]})")
    print(f"{len(code)} strings, {missing} without a translation")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
