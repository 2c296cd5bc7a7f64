"""``[media]`` in the settings file: what is taken, and what is said about the rest."""

from pathlib import Path

import pytest

from app.service.problems import CommandProblem
from app.service.settings import Settings, read_settings


def read(folder: Path, *lines: str) -> Settings:
    file = folder / "service.toml"
    file.write_text("\n".join(lines), "utf-8")
    return read_settings(file)


def test_without_settings_files_lie_in_the_data_folder_and_have_no_public_address(tmp_path: Path) -> None:
    media = read(tmp_path).media

    assert (media.public_origin, media.s3) == (None, None)


def test_an_origin_and_a_bucket_are_taken(tmp_path: Path) -> None:
    media = read(
        tmp_path,
        "[media]",
        'public_origin = "https://files.example:8443/"',
        "[media.s3]",
        'bucket = "our-files"',
        'prefix = "posts"',
    ).media

    assert media.public_origin == "https://files.example:8443"
    assert media.s3 is not None
    assert (media.s3.prefix, media.s3.is_public) == ("posts/", True)


@pytest.mark.parametrize(
    ("line", "public"),
    [
        ("", True),
        ("public = false", False),
        ('endpoint = "https://s3.example"', True),
        ('endpoint = "http://minio.internal:9000"', False),
    ],
)
def test_a_bucket_is_public_when_its_links_begin_with_https(tmp_path: Path, line: str, public: bool) -> None:
    s3 = read(tmp_path, "[media.s3]", 'bucket = "our-files"', line).media.s3

    assert s3 is not None
    assert s3.is_public is public


@pytest.mark.parametrize(
    ("lines", "place", "words"),
    [
        (
            ["[media]", 'public_origin = "http://files.example"'],
            "media.public_origin",
            "must be https://HOST",
        ),
        (["[media]", 'public_origin = "https://files.example/x"'], "media.public_origin", "nothing more"),
        (["[media]", 'origin = "https://files.example"'], "media.origin", "Extra inputs"),
        (["[media.s3]", 'bucket = "Our Files"'], "media.s3.bucket", "pattern"),
        (["[media.s3]", 'bucket = "files"', 'prefix = "../x"'], "media.s3.prefix", "such as kalends/"),
        (["[media.s3]", 'bucket = "files"', 'prefix = ""'], "media.s3.prefix", "such as kalends/"),
        (
            ["[media.s3]", 'bucket = "files"', 'secret_access_key = "k"'],
            "media.s3.secret_access_key",
            "Extra",
        ),
        (
            ["[media.s3]", 'bucket = "files"', 'endpoint = "https://key:word@s3.example"'],
            "media.s3.endpoint",
            "without credentials",
        ),
        (
            ["[media.s3]", 'bucket = "files"', 'endpoint = "http://s3.example"', "public = true"],
            "media.s3",
            "starts with https",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, lines: list[str], place: str, words: str) -> None:
    with pytest.raises(CommandProblem) as caught:
        read(tmp_path, *lines)

    assert f"is invalid at {place}: " in str(caught.value)
    assert words in str(caught.value)
    assert "word" not in str(caught.value).replace(words, "")
