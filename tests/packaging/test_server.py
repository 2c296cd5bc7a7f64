"""Files for operators: the container image, the composition, and units for systemd."""

import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from app.service.cli import parse
from app.service.settings import read_settings
from tests.architecture.sources import ROOT
from tests.packaging.linters import LOCKED, lint

SERVER = ROOT / "packaging" / "server"
COMPOSE = SERVER / "compose"
UNITS = sorted((SERVER / "systemd").glob("*.service"))
_EXPOSURE_MAX = 2.0


def _services() -> dict[str, dict[str, Any]]:
    services: dict[str, dict[str, Any]] = yaml.safe_load((COMPOSE / "compose.yml").read_text("utf-8"))[
        "services"
    ]
    return services


OURS = ("api", "worker", "migrate")


@pytest.mark.parametrize("name", OURS)
def test_commands_of_the_composition_exist(name: str) -> None:
    options = parse(_services()[name]["command"])
    assert options.config == Path("/etc/kalends/kalends.toml")


@pytest.mark.parametrize("name", OURS)
def test_containers_of_ours_can_change_little(name: str) -> None:
    service = _services()[name]
    assert service["user"] == "10001"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_only_the_proxy_has_open_ports() -> None:
    assert [name for name, service in _services().items() if "ports" in service] == ["proxy"]


def test_images_have_versions() -> None:
    images = [service["image"] for service in _services().values()]
    assert [
        image for image in images if image.endswith(":latest") or ":" not in image.rpartition("/")[2]
    ] == []


def test_what_the_composition_mounts_is_there_or_made() -> None:
    text = (COMPOSE / "compose.yml").read_text("utf-8")
    made = (COMPOSE / "prepare.sh").read_text("utf-8")
    for line in text.splitlines():
        for word in line.replace("}", " ").split():
            path = word.partition(":")[0] if word.startswith("./") else ""
            assert not path or (COMPOSE / path).exists() or f"> {path[2:]}" in made, path


def test_passwords_are_made_for_those_who_need_them_alone(tmp_path: Path) -> None:
    script = shutil.copy(COMPOSE / "prepare.sh", tmp_path)
    stub = tmp_path / "bin"
    stub.mkdir()
    (stub / "chown").write_text('#!/bin/sh\necho "$@" > "$OWNED"\n')
    (stub / "chown").chmod(0o755)
    owned = tmp_path / "owned"

    subprocess.run([script], env={"PATH": f"{stub}:/usr/bin:/bin", "OWNED": str(owned)}, check=True)

    secrets = {file.name: file for file in (tmp_path / "secrets").iterdir()}
    password = secrets["database_password"].read_text("ascii")
    assert len(password) == 48
    assert secrets["database_passfile"].read_text("ascii") == f"database:5432:kalends:kalends:{password}\n"
    assert secrets["storage_password"].read_text("ascii") in secrets["storage_credentials"].read_text("ascii")
    assert {file.stat().st_mode & 0o777 for file in secrets.values()} == {0o600}
    assert owned.read_text("ascii").split() == [
        *("10001", "secrets/database_passfile", "secrets/storage_credentials")
    ]


def test_the_settings_of_the_composition_are_valid() -> None:
    settings = read_settings(COMPOSE / "kalends.toml")
    assert settings.server is not None
    assert not settings.server.migrate_at_start
    assert settings.media.s3 is not None
    assert settings.media.s3.is_public


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_commands_of_units_exist(unit: Path) -> None:
    [line] = [line for line in unit.read_text("utf-8").splitlines() if line.startswith("ExecStart=")]
    program, *words = shlex.split(line.partition("=")[2].replace("%i", "9465"))
    assert Path(program).name == "kalends-service"
    assert parse(words).config == Path("/etc/kalends/kalends.toml")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_are_valid_and_confined(unit: Path, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze")
    for each in UNITS:  # the program isn't installed here
        text = each.read_text("utf-8").replace("/opt/kalends/bin/kalends-service", "/bin/true")
        (tmp_path / each.name).write_text(text, "utf-8")
    name = unit.name.replace("@", "@9465")
    verified = subprocess.run(
        ["systemd-analyze", "verify", f"./{name}"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (verified.returncode, verified.stderr) == (0, "")
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", str(tmp_path / unit.name)],
        capture_output=True,
        text=True,
        check=True,
    )
    [exposure] = [line.split() for line in rated.stdout.splitlines() if "Overall exposure level" in line]
    assert float(next(word for word in exposure if word.replace(".", "").isdecimal())) <= _EXPOSURE_MAX


def test_the_image_has_no_qt_and_no_root() -> None:
    lines = (SERVER / "Containerfile").read_text("utf-8").splitlines()
    assert "USER 10001" in lines
    assert sum(line.startswith("FROM ") for line in lines) == 2
    assert "pyside" not in (ROOT / "packaging" / "locks" / "server.txt").read_text("utf-8").lower()


@LOCKED
def test_the_linters_of_containers_find_nothing() -> None:
    lint("hadolint", files=[SERVER / "Containerfile"])
    lint("check-jsonschema", "--builtin-schema", "vendor.compose-spec", files=[COMPOSE / "compose.yml"])
