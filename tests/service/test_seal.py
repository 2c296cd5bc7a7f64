"""Sealed secrets and private files."""

import stat
import sys
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.disk import read_or_make, write_private
from app.service.store.seal import Seal, SealBrokenError

SEAL = Seal(b"k" * 32)


@given(secret=st.text(), row=st.uuids(), other=st.uuids())
def test_a_secret_opens_with_its_key_for_its_row_alone(secret: str, row: UUID, other: UUID) -> None:
    sealed = SEAL.close(secret, row)

    assert SEAL.open(sealed, row) == secret
    with pytest.raises(SealBrokenError):
        Seal(b"x" * 32).open(sealed, row)
    if other != row:
        with pytest.raises(SealBrokenError):
            SEAL.open(sealed, other)


@given(row=st.uuids(), at=st.integers(0, 33), noise=st.binary(max_size=40))
def test_damage_is_noticed(row: UUID, at: int, noise: bytes) -> None:
    sealed = bytearray(SEAL.close("secret", row))
    sealed[at % len(sealed)] ^= 1

    for damaged in (bytes(sealed), noise):
        with pytest.raises(SealBrokenError):
            SEAL.open(damaged, row)


def test_a_short_key_is_none() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Seal(b"short")


def test_a_secret_file_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "secrets" / "a.key"

    assert read_or_make(path, lambda: b"one") == b"one"
    assert read_or_make(path, lambda: b"two") == b"one"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps permissions elsewhere")
def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "secrets" / "a.key"
    read_or_make(path, lambda: b"one")
    write_private(path, b"two")

    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]
