"""Storage paths: whatever a file is called, its path is below the account's folder and goes through a URL."""

import re
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.contract.media_kinds import KINDS, MediaKind, kind_of
from app.service.media.files import LocalMediaStore
from app.service.media.settings import LinkSigner
from app.service.media.stores import clean, is_within, name_in_url, new_storage_path, shown_name

ACCOUNT = UUID("0b9d2b55-7f4e-4a53-9f26-3c1d1f0a7e11")
ROOT = Path("/media")
PATH = re.compile(rf"{ACCOUNT}/[A-Za-z0-9][A-Za-z0-9._-]*-[0-9a-f]{{8}}\.[a-z0-9]{{2,4}}")


def png() -> MediaKind:
    kind = kind_of("image/png")
    assert kind is not None
    return kind


@given(st.text(min_size=1, max_size=255), st.sampled_from(KINDS))
@example("../../etc/passwd", KINDS[0])
@example("..", KINDS[0])
@example("\u202egnp.exe", KINDS[0])
@example("a" * 255, KINDS[0])
@example("👨‍👩‍👧‍👦" * 36, KINDS[0])
@example("e\u0301" * 127, KINDS[0])
@example("CON", KINDS[0])
@example("-rf .png", KINDS[0])
def test_every_name_becomes_a_path_below_the_accounts_folder(name: str, kind: MediaKind) -> None:
    path = new_storage_path(ACCOUNT, name, kind)
    last = path.partition("/")[2]

    assert PATH.fullmatch(path)
    assert path.rpartition(".")[2] in kind.extensions
    assert is_within(path, ACCOUNT)
    assert LocalMediaStore(ROOT).locate(path) == ROOT / str(ACCOUNT) / last
    assert len(last.encode()) <= 200
    assert len(f"{last}.12345678.part".encode()) <= 255
    assert unicodedata.normalize("NFC", last) == last
    assert not any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in last)
    assert not set(last) & set('/\\<>:"|?*%#')
    assert not last.startswith((".", " ", "-"))


@given(st.text(min_size=1, max_size=255))
def test_a_path_goes_through_a_url_and_back(name: str) -> None:
    path = new_storage_path(ACCOUNT, name, png())
    url = LinkSigner(b"key").view("https://service.example", path, datetime(2026, 11, 21, 12, tzinfo=UTC))

    assert urlsplit(url).path == f"/media/v1/{path}"  # no escapes
    assert quote(path) == unquote(path) == path


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("photo.png", "photo"),
        ("Sommer am See.PNG", "Sommer-am-See"),
        ("Café Zürich, große Straße (2).png", "Cafe-Zurich-grosse-Strasse-2"),
        ("Version 1.2", "Version-1.2"),
        ("a_b-c.png", "a_b-c"),
        ("写真.png", "image"),
        ("…!?.png", "image"),
        ("ﬁne ①.png", "fine-1"),
        ("a — b.png", "a-b"),
    ],
)
def test_a_path_needs_no_escapes_and_the_name_is_kept_for_people(name: str, stem: str) -> None:
    last = new_storage_path(ACCOUNT, name, png()).partition("/")[2]

    assert re.fullmatch(re.escape(stem) + r"-[0-9a-f]{8}\.png", last)
    assert shown_name(name, png()) == ".".join(clean(name, png()))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("photo.png", ("photo", "png")),
        ("Sommer am See.PNG", ("Sommer am See", "png")),
        ("cafe\u0301.png", ("café", "png")),
        ("photo.jpeg", ("photo", "png")),
        ("photo", ("photo", "png")),
        (".png", ("png", "png")),
        ("Version 1.2", ("Version 1.2", "png")),
        ("archive.tar.gz", ("archive.tar", "png")),
        ("../../etc/passwd", ("passwd", "png")),
        ("C:\\Users\\me\\photo.png", ("photo", "png")),
        ("a/b/", ("ab", "png")),
        ("..", ("image", "png")),
        ("///", ("image", "png")),
        ("\0\x1f\x7f", ("image", "png")),
        ("a\0b\r\nc.png", ("abc", "png")),
        ("%2e%2e%2fpasswd.png", ("2e2e2fpasswd", "png")),
        ("invoice\u202egnp.exe", ("invoicegnp", "png")),
        ("写真 १२३ صور.png", ("写真 १२३ صور", "png")),
    ],
)
def test_names_are_cleaned(name: str, expected: tuple[str, str]) -> None:
    assert clean(name, png()) == expected


def test_an_extension_of_the_kind_is_kept() -> None:
    jpeg = kind_of("image/jpeg")
    assert jpeg is not None
    assert clean("photo.JPEG", jpeg) == ("photo", "jpeg")
    assert clean("photo.png", jpeg) == ("photo", "jpg")


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.com/wool.jpg?size=2#x", "wool.jpg"),
        ("https://example.com/a%20b%2Fc.png", "c.png"),
        ("https://example.com", ""),
        ("https://example.com/", ""),
        ("https://example.com/%ff%fe", "��"),
        ("https://example.com/a/..", ".."),
    ],
)
def test_a_url_names_its_file(url: str, name: str) -> None:
    assert name_in_url(url) == name


@pytest.mark.parametrize(
    "path", ["", "name", "/name", "a/", "a/..", "../a", "a/b/c", "a/b\\c", "a/\0", "./a"]
)
def test_no_file_is_looked_for_outside_the_store(path: str) -> None:
    with pytest.raises(ValueError, match="storage path"):
        LocalMediaStore(ROOT).locate(path)
