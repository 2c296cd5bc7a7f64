"""The files that go with a release."""

import hashlib
import importlib.metadata
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from release import fetched, freeze, gate, image, sums
from setup.project import LOCKS, ROOT, SetupError


@pytest.fixture(autouse=True)
def dist(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    folder = tmp_path / "dist"
    folder.mkdir()
    monkeypatch.setattr(sums, "_DIST", folder)
    monkeypatch.setattr(freeze, "BUNDLE", folder / "kalends")
    return folder


def test_the_sums_are_those_that_sha256sum_checks(dist: Path) -> None:
    (dist / "Kalends.exe").write_bytes(b"MZ")
    (dist / "kalends").mkdir()
    made = sums.make_sums()
    assert made.read_text("utf-8") == f"{hashlib.sha256(b'MZ').hexdigest()}  Kalends.exe\n"
    assert sums.make_sums().read_text("utf-8").count("\n") == 1
    subprocess.run(["sha256sum", "--check", "--strict", made.name], cwd=dist, check=True, capture_output=True)
    (dist / "Kalends.exe").write_bytes(b"Mz")
    done = subprocess.run(["sha256sum", "--check", made.name], cwd=dist, check=False, capture_output=True)
    assert done.returncode == 1


def test_the_list_of_parts_names_packages_and_shared_libraries(dist: Path) -> None:
    (dist / "kalends" / "_internal").mkdir(parents=True)
    (dist / "kalends" / "_internal" / "libx264-d6533a8d.so.165").write_bytes(b"\x7fELF")
    found = sums.sbom(dist / "kalends", [("av", "18.1.0")])
    assert found["bomFormat"] == "CycloneDX"
    package, library = found["components"]
    assert package["purl"] == "pkg:pypi/av@18.1.0"
    assert (library["name"], library["version"]) == ("x264", "165")
    assert library["licenses"] == [{"expression": "GPL-2.0-or-later"}]
    assert library["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(b"\x7fELF").hexdigest()}]
    references = [part["bom-ref"] for part in found["components"]]
    assert len(references) == len(set(references))


def test_notices_and_the_licence_of_the_whole_are_given_out(dist: Path) -> None:
    assert sums.make_notices().read_bytes() == (ROOT / "THIRD_PARTY_NOTICES.md").read_bytes()
    assert "GNU GENERAL PUBLIC LICENSE" in (dist / "COPYING.txt").read_text("utf-8")


def test_the_sources_hold_the_build_scripts_and_name_what_is_bundled(
    dist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream = local(tmp_path / "x264-1.tar.bz2", b"source")
    monkeypatch.setattr(fetched, "SOURCES", {"18.1.0": (upstream,)})
    named = sums.make_sources().read_text("utf-8")
    for work in ("FFmpeg", "x264", "x265", "Qt", "PyAV-Org/pyav-ffmpeg", "x264-1.tar.bz2"):
        assert work in named
    assert (dist / "x264-1.tar.bz2").read_bytes() == b"source"
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        assert any(name.endswith("packaging/release/kalends.spec") for name in archive.getnames())


def local(file: Path, content: bytes) -> fetched.Fetched:
    """A local file that can be downloaded."""
    file.write_bytes(content)
    return fetched.Fetched(file.name, file.as_uri(), hashlib.sha256(content).hexdigest())


def test_what_is_fetched_is_what_it_was_when_it_was_chosen(tmp_path: Path) -> None:
    wanted = local(tmp_path / "tool", b"tool")
    assert fetched.fetch(wanted, tmp_path / "kept").read_bytes() == b"tool"
    (tmp_path / "tool").write_bytes(b"TOOL")
    assert fetched.fetch(wanted, tmp_path / "kept").read_bytes() == b"tool"
    with pytest.raises(SetupError, match="has changed"):
        fetched.fetch(wanted, tmp_path / "other")
    (tmp_path / "tool").unlink()
    with pytest.raises(SetupError, match="can't be downloaded"):
        fetched.fetch(wanted, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_the_sources_are_those_of_every_pyav_in_the_lock() -> None:
    locked = re.findall(r"^av==([\d.]+)", (LOCKS / "desktop.txt").read_text("utf-8"), re.MULTILINE)
    assert set(locked) == set(fetched.SOURCES)


def test_the_sources_are_those_of_the_libraries_that_are_installed() -> None:
    distribution = importlib.metadata.distribution("av")
    folder = Path(str(distribution.locate_file("av.libs")))
    if not folder.is_dir():
        pytest.skip("this system's wheels keep them elsewhere")
    ffmpeg, x264, x265, _ = fetched.SOURCES[distribution.version]
    content = next(folder.glob("libavcodec-*")).read_bytes()
    assert f"FFmpeg version {ffmpeg.version}\0".encode() in content
    assert next(folder.glob("libx264-*")).suffix == f".{x264.version}"
    assert f"\0{x265.version}+".encode() in next(folder.glob("libx265-*")).read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
@pytest.mark.parametrize("code", [0, 3])
def test_the_gate_lets_nothing_through_that_fails_its_self_test(dist: Path, code: int) -> None:
    program = dist / "kalends" / "kalends"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n[ "$1" = --selftest ] && exit {code}\n', "utf-8")
    program.chmod(0o755)
    if code:
        with pytest.raises(SetupError, match="self-test with code 3"):
            gate.check()
    else:
        assert gate.check() == freeze.BUNDLE


def test_without_a_builder_of_images_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "PATH", "")
    with pytest.raises(SetupError, match="podman, buildah or docker"):
        image.make()
