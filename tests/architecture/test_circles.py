"""No modules import each other in a circle, not even for types or inside functions."""

from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.architecture.sources import Source, imports, parse, sources


def circle(modules: Iterable[Source]) -> list[str]:
    """Return the modules of one circle in their order, the first one again at the end; empty without one."""
    by_name = {source.module: source for source in modules}

    def module_of(imported: str) -> str:
        while imported and imported not in by_name:
            imported = imported.rpartition(".")[0]
        return imported

    graph = {
        name: {module_of(imported) for _, imported in imports(source)} - {name, ""}
        for name, source in by_name.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_nothing_is_imported_in_a_circle() -> None:
    assert circle(sources("app")) == []


@pytest.mark.parametrize(
    "second", ["from app import first", "def work():\n    from app.first import thing"], ids=["top", "inside"]
)
def test_a_circle_is_found(tmp_path: Path, second: str) -> None:
    (tmp_path / "app").mkdir()
    for name, text in (("first", "import app.second"), ("second", second), ("third", "import app.first")):
        (tmp_path / "app" / f"{name}.py").write_text(text, "utf-8")
    found = circle(parse(tmp_path, file) for file in sorted((tmp_path / "app").glob("*.py")))
    assert set(found) == {"app.first", "app.second"}
