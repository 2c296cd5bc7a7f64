"""The package offers its building blocks, and imports each when it is first used."""

import subprocess
import sys
from pkgutil import iter_modules

import pytest

from app.children import SOURCE
from app.desktop import widgets


@pytest.mark.parametrize("name", widgets.__all__)
def test_every_building_block_is_there(name: str) -> None:
    assert getattr(widgets, name).__name__.lower() == name.lower()


def test_no_module_has_the_name_of_a_building_block() -> None:
    """Once such a module is imported, the package's name would be the module."""
    modules = {module.name for module in iter_modules(widgets.__path__)}
    assert modules.isdisjoint(widgets.__all__)


def test_nothing_else_is_offered() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Gadget'"):
        _ = widgets.Gadget


def test_one_building_block_does_not_bring_the_others() -> None:
    program = "import sys; from app.desktop.widgets import Label; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=SOURCE, capture_output=True, text=True, check=True
    )
    imported = set(done.stdout.split())
    assert "app.desktop.widgets.label" in imported
    assert "app.desktop.widgets.sheet" not in imported
