"""The locks: complete for every platform, true to pyproject.toml, and without the name of any host."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.architecture.sources import ROOT

LOCKS = {"desktop": ("desktop", None), "server": ("server", None), "dev": ("desktop", "dev")}
# An address, an option that names an index, a word that ends like a host, an absolute path.
_NAMED = re.compile(
    r"://|--(?:find-links|index|extra-index)|\b[\w-]+\.(?:org|com|net|io|dev)\b|^/", re.MULTILINE
)
PLACES = [
    {"python_version": python, "python_full_version": f"{python}.5", "sys_platform": system}
    for python in ("3.11", "3.12", "3.13")
    for system in ("linux", "darwin", "win32")
]


@dataclass(frozen=True)
class Pin:
    """One entry of a lock."""

    name: str
    version: Version
    marker: Marker | None
    hashes: int

    def applies(self, place: dict[str, str]) -> bool:
        return self.marker is None or self.marker.evaluate(environment(place))


@cache
def pins(lock: str) -> tuple[Pin, ...]:
    text = (ROOT / "packaging" / "locks" / f"{lock}.txt").read_text("utf-8")
    entries = re.split(r"\n(?=\S)", text.strip())
    return tuple(_pin(entry) for entry in entries)


def _pin(entry: str) -> Pin:
    requirement = Requirement(entry.partition("\\")[0].strip())
    (exact,) = requirement.specifier
    return Pin(
        canonicalize_name(requirement.name),
        Version(exact.version),
        requirement.marker,
        len(re.findall(r"--hash=sha256:[0-9a-f]{64}", entry)),
    )


def environment(place: dict[str, str]) -> dict[str, str]:
    """The markers of this interpreter, moved to another place."""
    return {key: str(value) for key, value in default_environment().items()} | place


@cache
def declared(lock: str) -> tuple[Requirement, ...]:
    """What pyproject.toml asks for in one lock."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extra, group = LOCKS[lock]
    asked = [*project["project"]["dependencies"], *project["project"]["optional-dependencies"][extra]]
    asked += _members(project["dependency-groups"], group) if group else []
    return tuple(map(Requirement, asked))


def _members(groups: dict[str, list[Any]], name: str) -> list[str]:
    members = []
    for member in groups[name]:
        members += [member] if isinstance(member, str) else _members(groups, member["include-group"])
    return members


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_host_and_no_folder(lock: str) -> None:
    text = (ROOT / "packaging" / "locks" / f"{lock}.txt").read_text("utf-8")
    assert _NAMED.findall(text) == []


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize(
    "place", PLACES, ids=lambda place: f"{place['python_version']}-{place['sys_platform']}"
)
def test_what_is_asked_for_is_locked_once_in_every_place(lock: str, place: dict[str, str]) -> None:
    for asked in declared(lock):
        if asked.marker and not asked.marker.evaluate(environment(place)):
            continue
        name = canonicalize_name(asked.name)
        locked = [pin.version for pin in pins(lock) if pin.name == name and pin.applies(place)]
        assert len(locked) == 1, f"{asked} has {locked}"
        assert locked[0] in asked.specifier


@pytest.mark.parametrize("lock", LOCKS)
def test_every_entry_has_its_hashes(lock: str) -> None:
    assert [pin.name for pin in pins(lock) if not pin.hashes] == []


def test_qt_is_locked_for_every_platform() -> None:
    """One wheel each for Linux on two processors, macOS, and Windows on two."""
    assert all(pin.hashes >= 4 for pin in pins("desktop") if pin.name == "pyside6-essentials")


@pytest.mark.parametrize("lock", ["desktop", "server"])
def test_a_package_has_one_version_in_all_locks(lock: str) -> None:
    others = {(pin.name, str(pin.marker)): pin.version for pin in pins("dev")}
    assert [p.name for p in pins(lock) if others.get((p.name, str(p.marker)), p.version) != p.version] == []
