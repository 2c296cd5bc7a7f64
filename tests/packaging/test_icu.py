"""Qt's ICU data without what the app doesn't use: it still loads, and what is kept is unchanged."""

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from release import icu

LIBRARIES = ("data", "uc", "i18n")
USE = """
import ctypes, sys
from ctypes import byref, c_char_p, c_int, c_void_p

folder, version = sys.argv[1:]
for name in ("data", "uc", "i18n"):
    i18n = ctypes.CDLL(f"{folder}/libicu{name}.so.{version}", ctypes.RTLD_GLOBAL)
status = c_int()

def call(name, result, kinds, *values):
    function = getattr(i18n, f"{name}_{version}")
    function.restype, function.argtypes = result, [*kinds, c_void_p]
    found = function(*values, byref(status))
    assert status.value <= 0, (name, status.value)
    return found

zone = "Europe/Berlin\\0".encode("utf-16-le")
calendar = call("ucal_open", c_void_p, [c_char_p, c_int, c_char_p, c_int], zone, -1, b"de", 0)
name = ctypes.create_string_buffer(200)
kinds = [c_void_p, c_int, c_char_p, c_void_p, c_int]
length = call("ucal_getTimeZoneDisplayName", c_int, kinds, calendar, 0, b"de", name, 100)
assert name.raw[: 2 * length].decode("utf-16-le") == "Mitteleuropäische Normalzeit"

for locale in (b"de", b"en_US", b"sv", b"zh"):
    order = call("ucol_open", c_void_p, [c_char_p], locale)
    kinds = [c_void_p, c_char_p, c_int, c_char_p, c_int]
    assert call("ucol_strcollUTF8", c_int, kinds, order, "\u00e4".encode(), -1, b"b", -1) == -1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with copies of ICU's libraries, as in the wheels of Qt."""
    package = find_spec("PySide6")
    assert package is not None
    assert package.origin is not None
    found = [
        file for name in LIBRARIES for file in Path(package.origin).parent.glob(f"Qt/lib/libicu{name}.so.*")
    ]
    if not found:
        pytest.skip("Qt uses the ICU of this system")
    for file in found:
        shutil.copy(file, tmp_path)
    return tmp_path


def test_trimmed_data_is_small_and_still_sorts_and_names_time_zones(folder: Path) -> None:
    [data] = folder.glob(icu.LIBRARY)
    before = data.stat().st_size

    icu.trim(data)

    assert data.stat().st_size < before / 10
    subprocess.run([sys.executable, "-c", USE, folder, data.suffix[1:]], check=True)


def test_stripping_leaves_trimmed_data_as_it_is(folder: Path) -> None:
    [data] = folder.glob(icu.LIBRARY)
    icu.trim(data)
    subprocess.run(["strip", "--strip-unneeded", data], check=True)
    subprocess.run([sys.executable, "-c", USE, folder, data.suffix[1:]], check=True)


def test_items_that_are_kept_are_unchanged(folder: Path) -> None:
    [data] = folder.glob(icu.LIBRARY)
    whole = _items(data)
    icu.trim(data)
    kept = _items(data)
    assert {
        f"icudt{data.suffix[1:]}l/{name}" for name in ("de.res", "zone/de.res", "coll/ucadata.icu")
    } <= kept.keys()
    assert not [name for name, item in kept.items() if not item.startswith(whole[name].rstrip(b"\0"))]


@pytest.mark.parametrize("content", [b"", b"MZ" * 100, b"\x7fELF\x02\x01" + bytes(200)])
def test_a_library_that_is_built_otherwise_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    library = tmp_path / "libicudata.so.99"
    library.write_bytes(content)
    with pytest.raises(icu.NotIcuError):
        icu.trim(library)
    assert library.read_bytes() == content


def _items(library: Path) -> dict[str, bytes]:
    content = library.read_bytes()
    header = content.find(b"\xda\x27\x14\x00") - 2
    items: dict[str, bytes] = icu.items(content[header:])
    return items
