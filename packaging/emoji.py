"""Build the app's emoji, font and names, from npm packages.

    npm install --prefix FOLDER emojibase-data twemoji-colr-font
    uv run --with 'fonttools[woff]' packaging/emoji.py FOLDER

The font is decompressed, which makes it open a hundred times as fast. It also gets ligatures for sequences
without variation selectors, because Qt removes these before shaping. The names cover the sequences that the
font contains.
"""

import json
import shutil
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

from fontTools.ttLib import TTFont

ROOT = Path(__file__).resolve().parents[1]
NEWEST = 15.0
"""Unicode emoji version of the font."""
_COMPONENTS = "component"
_SELECTOR = "ufe0f"
_SHOWN_AS_EMOJI = 1
_TONES = range(1, 6)


def write_font(package: Path, folder: Path) -> None:
    font = TTFont(package / "twemoji.woff2")
    for lookup in font["GSUB"].table.LookupList.Lookup:
        for subtable in lookup.SubTable:
            for ligatures in getattr(getattr(subtable, "ExtSubTable", subtable), "ligatures", {}).values():
                shorten(ligatures)
    font.flavor = None
    font.save(folder / "Twemoji.ttf")
    shutil.copy(package / "LICENSE", folder / "Twemoji-LICENSE.txt")


def shorten(ligatures: list[Any]) -> None:
    """Add each sequence without its selectors, with the required order from long to short."""
    known = {tuple(one.Component) for one in ligatures}
    for one in tuple(ligatures):
        short = [glyph for glyph in one.Component if glyph != _SELECTOR]
        if short and tuple(short) not in known:
            known.add(tuple(short))
            added = deepcopy(one)
            added.Component, added.CompCount = short, len(short) + 1
            ligatures.append(added)
    ligatures.sort(key=lambda one: -len(one.Component))


def write_names(package: Path, folder: Path) -> None:
    every = json.loads((package / "en" / "data.json").read_text("utf-8"))
    titles = json.loads((package / "en" / "messages.json").read_text("utf-8"))["groups"]
    groups = [
        {
            "name": title["message"].capitalize(),
            "emoji": [
                entry(one)
                for one in sorted(every, key=lambda one: one.get("order", 0))
                if one.get("group") == title["order"] and one["version"] <= NEWEST
            ],
        }
        for title in titles
        if title["key"] != _COMPONENTS
    ]
    text = json.dumps(groups, ensure_ascii=False, separators=(",", ":")).replace("},{", "},\n{")
    (folder / "en.json").write_text(f"{text}\n", "utf-8")
    shutil.copy(package.parent / "emojibase-data" / "LICENSE", folder / "emojibase-LICENSE.txt")


def entry(one: dict[str, Any]) -> dict[str, Any]:
    found = {"text": sequence(one), "name": one["label"]}
    if words := one.get("tags"):
        found["words"] = words
    if tones := in_tones(one):
        found["tones"] = tones
    return found


def sequence(one: dict[str, Any]) -> str:
    """Return the fully qualified form: with a selector only where text would be shown without it."""
    if one["type"] == _SHOWN_AS_EMOJI:
        return "".join(chr(int(code, 16)) for code in one["hexcode"].split("-"))
    return str(one["emoji"])


def in_tones(one: dict[str, Any]) -> list[str]:
    """Return the sequences in each of the five skin tones; empty if there are none.

    All people in a sequence have the same tone.
    """
    by_tone = {}
    for skin in one.get("skins", []):
        tones = skin["tone"] if isinstance(skin["tone"], list) else [skin["tone"]]
        if len(set(tones)) == 1 and skin["version"] <= NEWEST:
            by_tone[tones[0]] = sequence(skin)
    return [by_tone[tone] for tone in _TONES] if set(by_tone) == set(_TONES) else []


def main(folder: Path) -> None:
    modules = folder / "node_modules"
    write_font(modules / "twemoji-colr-font", ROOT / "resources" / "fonts")
    write_names(modules / "emojibase-data", ROOT / "resources" / "emoji")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
