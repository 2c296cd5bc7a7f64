"""The hosted workflows: valid, thin, with minimal permissions, and with every action pinned."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from release.feed import COMMANDS as FEED_COMMANDS
from release.main import COMMANDS
from setup.project import ROOT

from tests.packaging.linters import LOCKED, lint, passes

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
KNOWN = {*COMMANDS, *FEED_COMMANDS}


def _steps(file: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(file.read_text("utf-8"))["jobs"].values()
    return [step for job in jobs for step in job.get("steps", [])]


@LOCKED
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("zizmor", ("--offline", "--no-progress")),
        ("check-jsonschema", ("--builtin-schema", "vendor.github-workflows")),
    ],
)
def test_the_linters_find_nothing(name: str, arguments: tuple[str, ...]) -> None:
    lint(name, *arguments, files=WORKFLOWS)


def test_actionlint_finds_nothing() -> None:
    actionlint = shutil.which("actionlint")
    if actionlint is None:
        pytest.skip("needs actionlint, which isn't on PyPI as a wheel")
    passes([actionlint, *WORKFLOWS])


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_every_action_is_pinned_by_its_full_sha_with_its_version_beside(file: Path) -> None:
    used = re.findall(r"uses: (\S+)(?: # (\S+))?", file.read_text("utf-8"))
    assert used
    for action, version in used:
        if not action.startswith("./"):
            assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", action), action
            assert re.fullmatch(r"v\d+\.\d+\.\d+", version), action


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_rights_are_given_by_name_and_no_step_keeps_the_token(file: Path) -> None:
    told = yaml.safe_load(file.read_text("utf-8"))
    assert told["permissions"] in ({}, {"contents": "read"})
    for name, job in told["jobs"].items():
        writes = {scope for scope, right in job.get("permissions", {}).items() if right == "write"}
        assert writes <= ({"contents", "id-token", "attestations"} if name == "draft" else set()), name
    for step in _steps(file):
        if step.get("uses", "").startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_every_command_of_a_step_is_there(file: Path) -> None:
    for step in _steps(file):
        for words in re.findall(r"packaging/build\.py ([^\n\"]+)", step.get("run", "")):
            commands = [word for word in words.split(" --")[0].split() if word]
            assert set(commands) <= KNOWN, step


def test_types_are_checked_as_on_every_system() -> None:
    """A usual run on Linux doesn't."""
    steps = _steps(ROOT / ".github" / "workflows" / "check.yml")
    assert any("packaging/dev.py test --types" in step.get("run", "") for step in steps)


def test_tests_come_before_packages_and_the_self_test_before_any_package_is_made() -> None:
    told = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"))["jobs"]
    assert told["package"]["needs"] == told["image"]["needs"] == "check"
    runs = [step.get("run", "") for step in told["package"]["steps"]]
    gate = next(place for place, run in enumerate(runs) if "build.py selftest" in run)
    assert all(gate < place for place, run in enumerate(runs) if "commands[@]" in run)


def test_secrets_reach_only_the_step_that_uses_them() -> None:
    for file in WORKFLOWS:
        told = yaml.safe_load(file.read_text("utf-8"))
        outside = [told.get("env", {}), *(job.get("env", {}) for job in told["jobs"].values())]
        for values in outside:
            assert all("secrets." not in str(value) or "!= ''" in str(value) for value in values.values())
        for step in _steps(file):
            assert "secrets." not in step.get("run", "")
            assert "secrets." not in str(step.get("with", ""))


def test_the_commands_of_the_matrix_are_known_or_of_a_system_that_this_tree_lacks() -> None:
    told = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"))["jobs"]
    rows = told["package"]["strategy"]["matrix"]["include"]
    assert {row["system"] for row in rows} == {"linux-x64", "linux-arm64", "windows-x64", "macos-arm64"}
    assert {word for row in rows for word in row["commands"].split()} <= KNOWN | {"nsis", "dmg", "appimage"}
