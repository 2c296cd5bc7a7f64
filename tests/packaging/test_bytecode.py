"""Modules that describe the API keep their docstrings in a bundle; others don't."""

from importlib.machinery import SourcelessFileLoader
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from release import bytecode


def _compiled(source: str, tmp_path: Path) -> CodeType:
    module = tmp_path / "from" / "app" / "service" / "posts.py"
    module.parent.mkdir(parents=True)
    module.write_text(source, "utf-8")
    given = [("app/service/posts.pyc", "/without/docstrings.pyc", "DATA")]
    ((place, made, kind),) = bytecode.described(given, tmp_path / "from", tmp_path / "work")
    assert (place, kind) == ("app/service/posts.pyc", "DATA")
    code = SourcelessFileLoader("posts", made).get_code("posts")
    assert code is not None
    return code


def test_an_endpoint_keeps_its_docstring(tmp_path: Path) -> None:
    names: dict[str, FunctionType] = {}
    exec(_compiled('def create():\n    """Create a post."""\n', tmp_path), names)  # noqa: S102  our own code
    assert names["create"].__doc__ == "Create a post."


def test_it_has_no_assertions_and_no_folder_of_the_build(tmp_path: Path) -> None:
    code = _compiled("assert False\n", tmp_path)
    exec(code, {})  # noqa: S102  our own code
    assert code.co_filename == str(Path("app/service/posts.py"))


def test_a_module_with_a_mistake_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="SyntaxError"):
        _compiled("def", tmp_path)


def test_modules_in_an_archive_are_compiled_by_their_type(tmp_path: Path) -> None:
    given = [
        ("app.contract.posts", "/from/app/contract/posts.py", "PYMODULE-2"),
        ("app.desktop.words", "/from/app/desktop/words.py", "PYMODULE-2"),
        ("app.service", "/from/app/service/__init__.py", "PYMODULE-2"),
    ]
    made = bytecode.described(given, tmp_path, tmp_path / "work")
    assert [kind for _, _, kind in made] == ["PYMODULE-1", "PYMODULE-2", "PYMODULE-2"]


def test_everything_else_stays_as_it_is(tmp_path: Path) -> None:
    given = [
        ("sqlalchemy/orm/query.pyc", "/from/query.pyc", "DATA"),
        ("app/desktop/words.pyc", "/from/words.pyc", "DATA"),
        ("app/service/store/migrations/v001.py", "/from/v001.py", "DATA"),
    ]
    assert bytecode.described(given, tmp_path, tmp_path / "work") == given
