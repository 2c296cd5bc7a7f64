"""The notices name everything that's shipped, and all referenced texts exist."""

from importlib.metadata import distribution
from pathlib import Path

import libraries
import pytest
from notices import ASSETS, OUTPUT, ROOT, TEXTS, find_crates, locked, shipped

SITE = Path(str(distribution("av").locate_file("")))


def test_every_locked_library_is_listed_in_its_version() -> None:
    text = OUTPUT.read_text("utf-8")
    assert [name for name, versions in locked().items() if f"| {name} | {versions} | " not in text] == []


@pytest.mark.parametrize(("work", "licence", "path"), ASSETS)
def test_what_the_repository_carries_has_its_licence(work: str, licence: str, path: str) -> None:
    assert (ROOT / path).stat().st_size > 0
    assert f"| {work} | {licence} | `{path}` |" in OUTPUT.read_text("utf-8")


def test_the_licences_of_qt_are_shipped() -> None:
    for name, title in {
        "LGPL-3.0": "GNU LESSER GENERAL PUBLIC LICENSE",
        "GPL-3.0": "GNU GENERAL PUBLIC LICENSE",
    }.items():
        assert title in (ROOT / "packaging" / "licences" / f"{name}.txt").read_text("utf-8")


def test_every_shared_library_of_the_packages_has_a_notice() -> None:
    text, files = OUTPUT.read_text("utf-8"), shipped(SITE)
    assert libraries.unknown(files, SITE) == []
    found = {library.name: library for file in files if (library := libraries.library_of(file, SITE))}
    assert {"FFmpeg", "x264", "x265", "Qt", "ICU", "libheif", "dav1d", "libpq", "OpenSSL"} <= found.keys()
    for file in files:
        library = libraries.library_of(file, SITE)
        assert library is not None
        row = next(line for line in text.splitlines() if line.startswith(f"| {library.name} | "))
        assert f" | {library.licence} | " in row
        assert libraries.version_of(library, file) in row.split(" | ")[1], (file.name, row)


def test_a_library_that_nobody_named_is_found(tmp_path: Path) -> None:
    for name in (
        "libnew-0123abcd.so.1.2",
        "libavcodec-5e6b81c2.so.62.28.102",
        "module.cpython-311-x86_64-linux-gnu.so",
    ):
        (tmp_path / name).touch()
    files = libraries.shared_libraries(tmp_path)
    assert libraries.unknown(files, tmp_path) == ["libnew-0123abcd.so.1.2"]


@pytest.mark.parametrize(
    ("file", "stem"),
    [
        ("libavcodec-5e6b81c2.so.62.28.102", "avcodec"),
        ("avcodec-63-2756d4fffb772585dcdece87427716a4.dll", "avcodec"),
        ("libavcodec.63.1.102.dylib", "avcodec"),
        ("libz.1.3.1.zlib-ng.dylib", "z"),
        ("libstdc++-6-7ad22040206bf70776b13a24ec3f87b2.dll", "stdc++"),
        ("libdbus-1.so.3", "dbus-1"),
        ("libglib-2.0-0.dll", "glib-2.0"),
        ("libx264-165-0f71f37cf3f3ee0e2ecac2b06829e9ff.dll", "x264"),
        ("Qt6Core.dll", "qt6core"),
        ("libpython3.11.so.1.0", "python3"),
    ],
)
def test_a_file_is_known_by_its_stem_on_every_system(file: str, stem: str) -> None:
    assert libraries.stem(file) == stem


def test_every_text_is_there_and_every_text_is_used() -> None:
    named = {each.text for each in (*libraries.LIBRARIES, *libraries.LINKED_IN)} - {"", "pillow"}
    assert named == {file.stem for file in TEXTS.glob("*.txt")}
    text = OUTPUT.read_text("utf-8")
    for name in named:
        first = (TEXTS / f"{name}.txt").read_text("utf-8").strip().splitlines()[0].rstrip()
        assert first
        assert first in text, name


def test_works_without_a_text_have_a_licence_whose_text_is_there() -> None:
    general = ("GPL-2.0", "GPL-3.0", "LGPL-2.0", "LGPL-2.1", "LGPL-3.0", "LicenseRef-Microsoft")
    for each in libraries.LIBRARIES:
        assert each.text or each.licence.startswith(general), each.name


@pytest.mark.parametrize(("package", "work", "proof"), libraries.STATIC)
def test_what_is_linked_into_modules_is_named(package: str, work: str, proof: bytes) -> None:
    modules = [
        Path(str(file.locate()))
        for file in distribution(package).files or []
        if file.suffix in (".so", ".pyd")
    ]
    assert any(proof in module.read_bytes() for module in modules)
    assert f"| {work} | " in OUTPUT.read_text("utf-8")


def test_works_in_rust_are_named() -> None:
    text = OUTPUT.read_text("utf-8")
    crates = find_crates({name: distribution(name) for name in ("cryptography", "pydantic-core")})
    assert len(crates) > 50
    assert [crate for crate in crates if f"| {' | '.join(crate)} |" not in text] == []


def test_the_whole_is_given_out_under_the_gpl() -> None:
    assert "GPL, version 3 or later" in OUTPUT.read_text("utf-8")
    assert "GPL-3.0-or-later" in (ROOT / "README.md").read_text("utf-8")
