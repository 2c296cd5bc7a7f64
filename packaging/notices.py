"""Write THIRD_PARTY_NOTICES.md: the packages in the locks, and the works in their shared libraries.

    .venv/bin/python packaging/notices.py [FOLDER ...]

A FOLDER contains more installed packages, for other platforms, from `pip install --target`.
"""

import json
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from importlib.metadata import Distribution, PackagePath, distributions
from pathlib import Path

import libraries
from libraries import Library

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "THIRD_PARTY_NOTICES.md"
LOCKS = ("desktop", "server")
HEADER = """# Third-party notices

Kalends is licensed under Apache-2.0 (`LICENSE`). It uses the work of others, each under its own licence.

Qt, PySide6 and Shiboken are used under the LGPL-3.0, unchanged and as shared libraries that may be replaced.
Its text and that of the GPL-3.0, which it builds on, are in `packaging/licences/`. Their source is at
<https://code.qt.io/>.

Installers, packages and images include FFmpeg with x264 and x265, which are licensed under the GPL. Each is
therefore distributed as a whole under the GPL, version 3 or later (`packaging/licences/GPL-3.0.txt`). The
code of Kalends itself stays under Apache-2.0. Its source code and its wheel contain none of these works. The
tables below say where to get the source code of what is bundled; each release lists it in `SOURCES.md`.

This file is made by `packaging/notices.py`.
"""
TEXTS = ROOT / "packaging" / "licences" / "libraries"
# Third-party works in the repository itself: name, licence, file with the text.
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
    ("@atproto/api 0.19.19, patterns of links and tags, © Bluesky Social PBC", "Apache-2.0", "LICENSE"),
    ("tlds 1.261.0, list of domain endings", "MIT", "resources/licences/tlds-LICENSE.txt"),
    ("twitter-text 3.1.0, list of domain endings, © 2018 Twitter, Inc.", "Apache-2.0", "LICENSE"),
)
# Packages whose licence metadata is a sentence, or an incomplete name.
NAMED_BY_HAND = {
    "httpx-aiohttp": "BSD-3-Clause",
    "pyenchant": "LGPL-2.1-or-later",
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",
    "pywin32": "BSD-3-Clause",
}
_CLASSIFIED = {
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
}
_SPDX = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "MIT License": "MIT",
}
_LICENCE_FILE = re.compile(r"(licen[cs]e|copying|notice)", re.IGNORECASE)


@dataclass(frozen=True)
class Package:
    """A library in the locks."""

    name: str
    version: str
    licence: str
    texts: tuple[str, ...]


def locked() -> dict[str, str]:
    """Return names and versions of everything that's shipped. Qt's version depends on the Python version."""
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
    """Return the SPDX expression, or the short licence field, or the classifier."""
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


@dataclass(frozen=True)
class Bundled:
    """A work in shared libraries, with its versions and the packages that contain it."""

    library: Library
    versions: tuple[str, ...]
    carriers: tuple[str, ...]


def find_bundled(folders: list[Path]) -> list[Bundled]:
    """Return the works in the shared libraries of installed packages; exits if one is unknown."""
    versions: defaultdict[Library, set[str]] = defaultdict(set)
    carriers: defaultdict[Library, set[str]] = defaultdict(set)
    for folder in folders:
        for file in shipped(folder):
            library = libraries.library_of(file, folder)
            if library is None:
                sys.exit(f"Unknown library: {file}. Name it in packaging/libraries.py.")
            versions[library].add(libraries.version_of(library, file))
            carriers[library].add(re.sub(r"[.-]libs$", "", file.relative_to(folder).parts[0]))
    for package, name, _proof in libraries.STATIC:
        library = next(each for each in (*libraries.LINKED_IN, *libraries.LIBRARIES) if each.name == name)
        carriers[library].add(package)
    for library in libraries.LIBRARIES:
        if library not in carriers:  # from the build machine
            carriers[library].add("installers")
    ordered = sorted(carriers, key=lambda each: each.name.lower())
    return [Bundled(each, _sorted(versions[each]), _sorted(carriers[each])) for each in ordered]


def shipped(folder: Path) -> list[Path]:
    """Return the shared libraries of the locked packages in a folder, without development packages."""
    names = {canonical(name) for name in locked()}
    owned = {
        Path(file.parts[0] if file.parts else "")
        for distribution in distributions(path=[str(folder)])
        if canonical(distribution.metadata["Name"]) in names
        for file in distribution.files or []
    }
    found = [file for each in sorted(owned) if (folder / each).is_dir() for file in _libraries(folder / each)]
    return [file for file in found if "dist-info" not in file.as_posix()]


def _libraries(folder: Path) -> list[Path]:
    return list(libraries.shared_libraries(folder)) if folder.name not in ("", ".", "..", "bin") else []


def _sorted(texts: set[str]) -> tuple[str, ...]:
    return tuple(sorted(text for text in texts if text))


def find_crates(found: dict[str, Distribution]) -> list[tuple[str, str, str, str]]:
    """Return name, version, licence and package of the components in packages' own SBOMs (PEP 770)."""
    rows = set()
    for package in locked().keys() & found.keys():
        for file in found[package].files or []:
            if "sboms" in file.parts and "auditwheel" not in file.name:
                for part in json.loads(Path(str(file.locate())).read_text("utf-8")).get("components", []):
                    if part.get("purl", "").startswith("pkg:cargo/") and (licence := _expression(part)):
                        rows.add((part["name"], part["version"], licence, package))
    return sorted(rows)


def _expression(part: dict[str, list[dict[str, str | dict[str, str]]]]) -> str:
    for each in part.get("licenses", []):
        named = each.get("license", {})
        found = each.get("expression") or (
            named.get("id") or named.get("name") if isinstance(named, dict) else ""
        )
        if isinstance(found, str) and found:
            return found
    return ""


def _row_of(bundled: Bundled) -> str:
    library = bundled.library
    versions, carriers = ", ".join(bundled.versions) or "not told", ", ".join(bundled.carriers)
    return f"| {library.name} | {versions} | {library.licence} | {carriers} | <{library.source}> |"


def _bundled_lines(bundled: list[Bundled], crates: list[tuple[str, str, str, str]]) -> list[str]:
    lines = [
        "",
        "## Inside of shared libraries",
        "",
        "Versions are as the file or its name gives them; names count the interface, not the release.",
        "",
        "| Work | Version | Licence | Carried by | Source |",
        "|---|---|---|---|---|",
        *map(_row_of, bundled),
        "",
        "Written in Rust, as the packages list them:",
        "",
        "| Work | Version | Licence | Carried by |",
        "|---|---|---|---|",
    ]
    return [*lines, *(f"| {' | '.join(crate)} |" for crate in crates)]


def _bundled_texts(bundled: list[Bundled]) -> list[str]:
    lines = []
    for name in sorted({each.library.text for each in bundled} - {"", "pillow"}):
        names = ", ".join(each.library.name for each in bundled if each.library.text == name)
        lines += [
            "",
            f"### {names}",
            "",
            "~~~text",
            _trimmed((TEXTS / f"{name}.txt").read_text("utf-8")),
            "~~~",
        ]
    for name in ("GPL-2.0", "LGPL-2.1"):
        text = (ROOT / "packaging" / "licences" / f"{name}.txt").read_text("utf-8")
        lines += ["", f"### {name}", "", "~~~text", _trimmed(text), "~~~"]
    return lines


def _trimmed(text: str) -> str:
    return re.sub(r"[ \t\f]+$", "", text, flags=re.MULTILINE).strip()


def render(packages: list[Package], bundled: list[Bundled], crates: list[tuple[str, str, str, str]]) -> str:
    lines = [HEADER, "## Carried in this repository", "", "| Work | Licence | Text |", "|---|---|---|"]
    lines += [f"| {work} | {licence} | `{text}` |" for work, licence, text in ASSETS]
    lines += ["", "## Libraries", "", "| Library | Version | Licence |", "|---|---|---|"]
    lines += [f"| {package.name} | {package.version} | {package.licence} |" for package in packages]
    lines += [*_bundled_lines(bundled, crates), "", "## Licence texts"]
    by_text: defaultdict[str, list[str]] = defaultdict(list)
    for package in packages:
        for text in package.texts:
            by_text[re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)].append(package.name)
    for text, names in by_text.items():
        lines += ["", f"### {', '.join(names)}", "", "~~~text", text, "~~~"]
    return "\n".join([*lines, *_bundled_texts(bundled), ""])


def main(folders: list[str]) -> None:
    found = {canonical(each.metadata["Name"]): each for each in distributions(path=[*folders, *sys.path])}
    if absent := sorted(locked().keys() - found.keys()):
        sys.exit(
            f"Not installed: {', '.join(absent)}. Install them with --target FOLDER and name the folder."
        )
    packages = [read_package(name, versions, found[name]) for name, versions in locked().items()]
    places = [
        Path(folder) for folder in [*folders, *sys.path] if Path(folder).is_dir() and _holds_packages(folder)
    ]
    OUTPUT.write_text(render(packages, find_bundled(places), find_crates(found)), "utf-8")
    print(f"Wrote {OUTPUT.name}")


def _holds_packages(folder: str) -> bool:
    return any(Path(folder).glob("*.dist-info"))


if __name__ == "__main__":
    main(sys.argv[1:])
