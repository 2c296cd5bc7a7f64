"""A release's feed, read by the app."""

import base64
import hashlib
from pathlib import Path

import pytest
from release import feed
from setup.project import SetupError

from app.updates import feed as reader
from app.updates.feed import Reason, Refused

BASE = "https://example.org/kalends/1.2.0"


def test_a_feed_is_signed_with_the_key_of_a_file(tmp_path: Path) -> None:
    public = base64.b64decode(feed.make_key(tmp_path / "key.pem"))
    (tmp_path / "Kalends-1.2.0-windows-x64.exe").write_bytes(b"MZ installer")
    (tmp_path / "Kalends-1.2.0-x86_64.AppImage").write_bytes(b"ELF")
    (tmp_path / "Kalends-1.1.0-windows-x64.exe").write_bytes(b"an older one")
    (tmp_path / "Kalends-1.2.0-windows-x64-portable.zip").write_bytes(b"PK")
    made = feed.make(tmp_path / "key.pem", f"{BASE}/", "1.2.0", tmp_path)

    found = reader.read(made.read_bytes(), [public])
    assert found.version == "1.2.0"
    assert [(one.system, one.kind, one.url) for one in found.installers] == [
        ("windows-x64", "nsis", f"{BASE}/Kalends-1.2.0-windows-x64.exe"),
        ("linux-x64", "appimage", f"{BASE}/Kalends-1.2.0-x86_64.AppImage"),
    ]
    assert found.installers[0].sha256 == hashlib.sha256(b"MZ installer").hexdigest()
    with pytest.raises(Refused) as refused:
        reader.read(made.read_bytes(), [bytes(32)])
    assert refused.value.reason is Reason.SIGNATURE


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    feed.make_key(tmp_path / "key.pem")
    assert (tmp_path / "key.pem").stat().st_mode & 0o777 == 0o600
    (tmp_path / "key.pem").chmod(0o644)
    with pytest.raises(SetupError, match="Other users can read"):
        feed.read_key(tmp_path / "key.pem")


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    feed.make_key(tmp_path / "key.pem")
    before = (tmp_path / "key.pem").read_bytes()
    with pytest.raises(SetupError, match="never overwritten"):
        feed.make_key(tmp_path / "key.pem")
    assert (tmp_path / "key.pem").read_bytes() == before


def test_no_feed_is_made_without_installers_or_for_an_address_without_https(tmp_path: Path) -> None:
    feed.make_key(tmp_path / "key.pem")
    with pytest.raises(SetupError, match="no installer"):
        feed.make(tmp_path / "key.pem", BASE, "1.2.0", tmp_path)
    (tmp_path / "Kalends-1.2.0-macos-arm64.dmg").write_bytes(b"koly")
    with pytest.raises(Refused):
        feed.make(tmp_path / "key.pem", "http://example.org", "1.2.0", tmp_path)
    assert not (tmp_path / feed.NAME).exists()
