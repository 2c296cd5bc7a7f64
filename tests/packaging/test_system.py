"""The package of a library, and when it may be installed."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from setup import for_tests
from setup.project import SetupError
from setup.system import MANAGERS, Program, arch_package, debian_package, provide, rpm_capability


@pytest.mark.parametrize(
    ("library", "package"),
    [
        ("libEGL.so.1", "libegl1"),
        ("libX11.so.6", "libx11-6"),
        ("libbrotlidec.so.1", "libbrotli1"),
        ("libdbus-1.so.3", "libdbus-1-3"),
        ("libglib-2.0.so.0", "libglib2.0-0"),
        ("libgssapi_krb5.so.2", "libgssapi-krb5-2"),
        ("libgthread-2.0.so.0", "libglib2.0-0"),
        ("libxcb-cursor.so.0", "libxcb-cursor0"),
        ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
        ("libz.so.1", "zlib1g"),
    ],
)
def test_debian_names_follow_its_policy(library: str, package: str) -> None:
    assert debian_package(library) == package


@pytest.mark.parametrize(
    ("library", "package"),
    [
        ("libGLX.so.0", "libglvnd"),
        ("libfontconfig.so.1", "libfontconfig"),
        ("libxcb-icccm.so.4", "xcb-util-wm"),
        ("libxcb-shape.so.0", "libxcb"),
    ],
)
def test_arch_keeps_many_libraries_in_one_package(library: str, package: str) -> None:
    assert arch_package(library) == package


def test_rpm_systems_install_by_what_a_package_provides() -> None:
    assert rpm_capability("libEGL.so.1").startswith("libEGL.so.1")


def test_sudo_stands_before_every_command() -> None:
    for manager in MANAGERS:
        lines = manager.lines(["one", "two"], sudo=True)
        assert all(line[0] == "sudo" for line in lines)
        assert lines[-1][-2:] == ["one", "two"]


def test_nothing_missing_needs_no_manager(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    provide([], allowed=True)


def test_without_a_known_manager_the_libraries_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match=r"lacks libEGL\.so\.1"):
        provide(["libEGL.so.1"], allowed=True)


@pytest.mark.skipif(sys.platform == "win32", reason="no package manager that set-up knows")
class TestWithApt:
    """A stand-in for apt-get, alone on the PATH, that records its calls."""

    @pytest.fixture
    def calls(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
        program = tmp_path / "apt-get"
        program.write_text(f'#!/bin/sh\necho "$@" >> "{tmp_path}/calls"\n')
        program.chmod(0o755)
        if ldd := shutil.which("ldd"):
            (tmp_path / "ldd").symlink_to(ldd)
        monkeypatch.setenv("PATH", str(tmp_path))
        return tmp_path / "calls"

    def test_when_not_allowed_one_line_says_what_to_run(self, calls: Path) -> None:
        with pytest.raises(SetupError) as refused:
            provide(["libEGL.so.1", "libGL.so.1"], venv=True, allowed=False)
        line = str(refused.value)
        assert "\n" not in line
        assert "apt-get update && apt-get install -y --no-install-recommends python3" in line
        assert line.endswith("-venv libegl1 libgl1")
        assert not calls.exists()

    def test_programs_are_installed_beside_libraries(self, calls: Path) -> None:
        with pytest.raises(SetupError) as refused:
            provide(["libEGL.so.1"], programs=[Program("Xvfb", "xvfb")], allowed=False)
        assert str(refused.value).startswith("This system lacks libEGL.so.1, Xvfb.")
        assert str(refused.value).endswith(" libegl1 xvfb")
        assert not calls.exists()

    def test_tests_without_their_programs_go_on_after_one_line(
        self, calls: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        for_tests.provide(system_allowed=False)
        (line,) = capfd.readouterr().out.splitlines()
        assert line.startswith("Some tests will be skipped. This system lacks ")
        assert {"xvfb", "xdotool", "chromium", "nodejs"} <= set(line.split())
        assert not calls.exists()

    def test_root_installs_at_once_and_nobody_else_without_sudo(
        self, calls: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        if os.geteuid() == 0:
            provide(["libEGL.so.1"], allowed=True)
            assert calls.read_text(encoding="utf-8").splitlines() == [
                "update",
                "install -y --no-install-recommends libegl1",
            ]
            assert "Running: apt-get update && apt-get install" in capfd.readouterr().out
        else:
            with pytest.raises(SetupError, match="Run as root: apt-get update"):
                provide(["libEGL.so.1"], allowed=True)
            assert not calls.exists()
