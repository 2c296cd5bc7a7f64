"""API keys: in the keyring where it answers, else in a file that is the owner's alone."""

import asyncio
from pathlib import Path
from uuid import uuid4

import pytest

from app.workspace.homes.credentials import Credentials, read_key_file
from app.workspace.messages import Problem

KEY = "stp_rest_" + "0123456789abcdef" * 4


def test_without_a_keyring_the_key_is_in_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    home = uuid4()

    async def keep_and_find() -> tuple[str, str | None]:
        credentials = Credentials(tmp_path)
        return await credentials.keep(home, KEY), await credentials.find(home)

    where, found = asyncio.run(keep_and_find())

    file = next((tmp_path / "keys").iterdir())
    assert found == KEY
    assert str(file) in where
    assert file.stat().st_mode & 0o077 == 0


def test_a_home_without_a_key_has_none(tmp_path: Path) -> None:
    assert asyncio.run(Credentials(tmp_path).find(uuid4())) is None


def test_a_key_file_is_read_with_its_line_end(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(KEY + "\n")

    assert read_key_file(path) == KEY


@pytest.mark.parametrize("contents", ["", "secret", KEY[:-1], KEY.upper(), "\0"])
def test_what_is_not_a_key_is_refused_without_repeating_it(tmp_path: Path, contents: str) -> None:
    path = tmp_path / "key"
    path.write_text(contents)

    with pytest.raises(Problem) as refused:
        read_key_file(path)
    assert "secret" not in refused.value.text


def test_a_key_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="cannot be read"):
        read_key_file(tmp_path / "missing")


def test_a_place_that_takes_no_key_is_said_in_words_without_the_key(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("a file where the folder should be")

    with pytest.raises(Problem, match="could not be kept") as refused:
        asyncio.run(Credentials(tmp_path).keep(uuid4(), KEY))
    assert KEY not in refused.value.text + refused.value.details
