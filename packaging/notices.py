"""Write THIRD_PARTY_NOTICES.md from the locks and what the installed packages say of themselves.

    .venv/bin/python packaging/notices.py [FOLDER ...]

A FOLDER holds further installed packages: those of other platforms, put there by `pip install --target`.
"""

import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from importlib.metadata import Distribution, PackagePath, distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "THIRD_PARTY_NOTICES.md"
LOCKS = ("desktop", "server")
HEADER = """# Third-party notices

Kalends is licensed under Apache-2.0 (`LICENSE`). It uses the work of others, each under its own licence.

Qt, PySide6 and Shiboken are used under the LGPL-3.0, unchanged and as shared libraries that may be replaced.
Its text and that of the GPL-3.0, which it builds on, are in `packaging/licences/`. Their source is at
<https://code.qt.io/>.

This file is made by `packaging/notices.py`.
"""
# What the repository itself carries: name, licence, where the text is.
ASSETS = (
    ("Inter, typeface", "OFL-1.1", "resources/fonts/Inter-LICENSE.txt"),
    ("JetBrains Mono, typeface", "OFL-1.1", "resources/fonts/JetBrainsMono-LICENSE.txt"),
    (
        "Twemoji 15.0 by Twitter, Inc. and others, typeface of Mozilla, more ligatures added",
        "OFL-1.1 AND CC-BY-4.0",
        "resources/fonts/Twemoji-LICENSE.txt",
    ),
    ("Emojibase, names of emoji", "MIT", "resources/emoji/emojibase-LICENSE.txt"),
    ("Lucide, icons", "ISC", "resources/icons/lucide/LICENSE.txt"),
    ("Simple Icons, brand marks", "CC0-1.0", "resources/icons/brands/simple-icons-LICENSE.txt"),
    ("Tabler Icons, brand marks", "MIT", "resources/icons/brands/tabler-icons-LICENSE.txt"),
    ("twitter-text 3.1.0, list of domain endings, © 2018 Twitter, Inc.", "Apache-2.0", "LICENSE"),
)
# Packages whose metadata holds a sentence, or half of the name, where the licence's name belongs.
NAMED_BY_HAND = {
    "httpx-aiohttp": "BSD-3-Clause",
    "pyenchant": "LGPL-2.1-or-later",
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",
}
_CLASSIFIED = {
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
}
_SPDX = {"Apache 2.0": "Apache-2.0", "Apache License 2.0": "Apache-2.0", "MIT License": "MIT"}
_LICENCE_FILE = re.compile(r"(licen[cs]e|copying|notice)", re.IGNORECASE)


@dataclass(frozen=True)
class Package:
    """One library of the locks."""

    name: str
    version: str
    licence: str
    texts: tuple[str, ...]


def locked() -> dict[str, str]:
    """Name and versions of what reaches a person's computer or a server; Qt's depends on the Python."""
    text = "\n".join((ROOT / "packaging" / "locks" / f"{lock}.txt").read_text("utf-8") for lock in LOCKS)
    versions: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for name, version in re.findall(r"^([\w.-]+)==([\w.!]+)", text, re.MULTILINE):
        versions[name][version] = None
    return {name: ", ".join(versions[name]) for name in sorted(versions)}


def read_package(name: str, versions: str, distribution: Distribution) -> Package:
    files = [file for file in distribution.files or [] if is_licence(file)]
    texts = (Path(str(file.locate())).read_text("utf-8", errors="replace").strip() for file in files)
    return Package(name, versions, licence_of(distribution), tuple(dict.fromkeys(texts)))


def licence_of(distribution: Distribution) -> str:
    """The SPDX expression, else the short licence field, else the classifier."""
    name = canonical(distribution.metadata["Name"])
    if name in NAMED_BY_HAND:
        return NAMED_BY_HAND[name]
    for field in ("License-Expression", "License"):
        if field in distribution.metadata:
            return _SPDX.get(distribution.metadata[field], distribution.metadata[field])
    classifiers = distribution.metadata.get_all("Classifier") or []
    return next(_CLASSIFIED[classifier] for classifier in classifiers if classifier in _CLASSIFIED)


def is_licence(file: PackagePath) -> bool:
    return bool(_LICENCE_FILE.search(file.name)) and file.suffix not in {".py", ".pyc"}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def render(packages: list[Package]) -> str:
    lines = [HEADER, "## Carried in this repository", "", "| Work | Licence | Text |", "|---|---|---|"]
    lines += [f"| {work} | {licence} | `{text}` |" for work, licence, text in ASSETS]
    lines += ["", "## Libraries", "", "| Library | Version | Licence |", "|---|---|---|"]
    lines += [f"| {package.name} | {package.version} | {package.licence} |" for package in packages]
    lines += ["", "## Licence texts"]
    by_text: defaultdict[str, list[str]] = defaultdict(list)
    for package in packages:
        for text in package.texts:
            by_text[re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)].append(package.name)
    for text, names in by_text.items():
        lines += ["", f"### {', '.join(names)}", "", "~~~text", text, "~~~"]
    return "\n".join([*lines, ""])


def main(folders: list[str]) -> None:
    found = {canonical(each.metadata["Name"]): each for each in distributions(path=[*folders, *sys.path])}
    if absent := sorted(locked().keys() - found.keys()):
        sys.exit(
            f"Not installed: {', '.join(absent)}. Install them with --target FOLDER and name the folder."
        )
    OUTPUT.write_text(
        render([read_package(name, versions, found[name]) for name, versions in locked().items()]), "utf-8"
    )
    print(f"Wrote {OUTPUT.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
