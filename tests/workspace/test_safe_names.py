"""Names of files that a service chooses and this computer keeps."""

from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.workspace.safe_names import NAME_MAX, safe_name

JPEG = ("jpg", "jpeg")


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("coat.jpg", "coat.jpg"),
        ("Café №1.JPEG", "Café №1.JPEG"),
        ("coat", "coat.jpg"),
        ("coat.hta", "coat.hta.jpg"),
        (".jpg", "jpg.jpg"),
        ("", "file.jpg"),
        ("...", "file.jpg"),
        ("~/.bashrc", "bashrc.jpg"),
        ("~root", "root.jpg"),
        ("../../../etc/cron.d/job", "job.jpg"),
        ("\\\\host\\share\\run.jpg", "run.jpg"),
        ("C:\\Windows\\x.jpg", "x.jpg"),
        ("x.jpg:stream", "x.jpg_stream.jpg"),
        ("\u202egnp.desktop", "gnp.desktop.jpg"),
        ("a\nb\x00c\u2028.jpg", "abc.jpg"),
        ("con.jpg", "_con.jpg"),
        ("LPT1", "_LPT1.jpg"),
        ("nul .jpg", "_nul.jpg"),
        ("console.jpg", "console.jpg"),
        ("walk.jpg. .", "walk.jpg"),
        ("a" * 500 + ".jpeg", "a" * 75 + ".jpeg"),
    ],
)
def test_a_name_is_made_safe(name: str, safe: str) -> None:
    assert safe_name(name, JPEG) == safe


def test_without_endings_a_name_keeps_its_own() -> None:
    assert safe_name("Kalends-backup.zip") == "Kalends-backup.zip"
    assert safe_name("notes") == "notes"


@given(st.text() | st.text("./\\~:\u202econ 💡\n", max_size=300), st.sampled_from([(), JPEG, ("mp4",)]))
def test_any_name_becomes_one_that_is_safe(
    tmp_path_factory: pytest.TempPathFactory, name: str, endings: tuple[str, ...]
) -> None:
    made = safe_name(name, endings)

    assert 0 < len(made) <= NAME_MAX
    assert made.isprintable()
    assert made[0] not in ".~ "
    assert made[-1] not in ". "
    assert not set(made) & set('/\\<>:"|?*')
    assert not PureWindowsPath(made).is_reserved()
    assert not endings or Path(made).suffix[1:].lower() in endings
    assert safe_name(made, endings) == made
    assert Path("folder", made).parent == Path("folder")
    file = tmp_path_factory.getbasetemp() / f".{made}.part"
    file.write_bytes(b"")
    file.unlink()
