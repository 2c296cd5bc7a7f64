"""Sizes, docstrings, and what the desktop may not do: wait inside the event loop, or name a colour."""

import ast
import itertools
import re
from collections.abc import Iterator

import pytest

from tests.architecture.sources import Source, sources

MOST_LINES = 600
MOST_FUNCTION_LINES = 40
# Functions that a reviewer found better long, as "app/room/file.py:name". Kept short.
LONG_FUNCTIONS = frozenset(
    {
        # One list of tables, never to be changed once released.
        "app/service/store/migrations/0001_create_the_first_tables.py:upgrade",
    }
)

# Calls that start an event loop inside the running one, and wedge every other task.
_NESTED_LOOPS = {"exec", "exec_", "processEvents"}
_STATIC_DIALOGS = {
    "QMessageBox": {"about", "aboutQt", "critical", "information", "question", "warning"},
    "QInputDialog": {"getDouble", "getInt", "getItem", "getMultiLineText", "getText"},
    "QColorDialog": {"getColor"},
    "QFontDialog": {"getFont"},
}
_HEX_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{8})\b|^#[0-9a-fA-F]{3,4}$")
_COLOUR_MAKERS = {
    "QColor",
    "QRgba64",
    "qRgb",
    "qRgba",
    "fromRgb",
    "fromRgbF",
    "fromHsv",
    "fromHsl",
    "fromString",
}


def functions(source: Source) -> Iterator[tuple[str, int]]:
    """Every function's name and its length in lines, without decorators and docstring."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            docstring = (
                (first.end_lineno or 0) - first.lineno + 1 if ast.get_docstring(node) is not None else 0
            )
            yield f"{source.name}:{node.name}", (node.end_lineno or 0) - node.lineno + 1 - docstring


def nested_loops(tree: ast.Module) -> list[int]:
    """Lines of calls that start a nested event loop."""
    return [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Call) and _nests(node.func)]


def _nests(called: ast.expr) -> bool:
    if isinstance(called, ast.Name):
        return called.id in _NESTED_LOOPS
    if not isinstance(called, ast.Attribute):
        return False
    owner = called.value.attr if isinstance(called.value, ast.Attribute) else getattr(called.value, "id", "")
    if owner == "QFileDialog" and called.attr.startswith("get"):
        return True
    return called.attr in _NESTED_LOOPS or called.attr in _STATIC_DIALOGS.get(owner, ())


def lone_texts(tree: ast.Module) -> list[int]:
    """Lines of strings as statements that neither begin a body nor follow the assignment of a name."""
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef)]
    return [
        after.lineno
        for body in bodies
        for before, after in itertools.pairwise(body)
        if isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
        and isinstance(after.value.value, str)
        and not isinstance(before, ast.Assign | ast.AnnAssign)
    ]


def colours(tree: ast.Module) -> list[int]:
    """Lines that name a colour: hexadecimal in a string, numbers or a name for QColor, a global colour."""
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    expressions = [node for node in ast.walk(tree) if isinstance(node, ast.expr) and id(node) not in prose]
    return [node.lineno for node in expressions if _names_colour(node)]


def _names_colour(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str(text)):
            return bool(_HEX_COLOUR.search(text))
        case ast.Call(
            func=ast.Name(id=maker) | ast.Attribute(attr=maker), args=[ast.Constant(value=value), *_]
        ):
            return maker in _COLOUR_MAKERS and not (isinstance(value, str) and _HEX_COLOUR.search(value))
        case ast.Attribute(value=ast.Attribute(attr="GlobalColor"), attr=name):
            return name != "transparent"
    return False


@pytest.mark.parametrize("folder", ["app", "tests", "packaging"])
def test_no_file_is_too_long(folder: str) -> None:
    assert [source.name for source in sources(folder) if source.lines > MOST_LINES] == []


@pytest.mark.parametrize("folder", ["app", "packaging"])
def test_no_function_is_too_long(folder: str) -> None:
    long = {
        name for source in sources(folder) for name, lines in functions(source) if lines > MOST_FUNCTION_LINES
    }
    assert sorted(long - LONG_FUNCTIONS) == []


def test_the_list_of_long_functions_holds_no_others() -> None:
    long = {
        name for source in sources("app") for name, lines in functions(source) if lines > MOST_FUNCTION_LINES
    }
    assert sorted(LONG_FUNCTIONS - long) == []


@pytest.mark.parametrize("folder", ["app", "packaging"])
def test_every_module_says_what_it_is(folder: str) -> None:
    assert [source.name for source in sources(folder) if not ast.get_docstring(source.tree)] == []


@pytest.mark.parametrize("folder", ["app", "tests", "packaging"])
def test_every_text_below_a_name_describes_it(folder: str) -> None:
    assert [f"{source.name}:{line}" for source in sources(folder) for line in lone_texts(source.tree)] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('"""Module."""\n_SIZE = 3\n"""Bytes."""', []),
        ('_SIZE = 3\n"""Bytes."""\n"""Bits."""', [3]),
        ('def f(): pass\n"""Bytes."""', [2]),
        ('class A:\n    """A."""\n    """Bytes."""\n    b: int\n    """Bits."""', [3]),
    ],
)
def test_a_text_that_describes_nothing_is_seen(text: str, found: list[int]) -> None:
    assert lone_texts(ast.parse(text)) == found


def test_every_folder_of_tests_is_a_package() -> None:
    """Two folders may hold a file of the same name only when both are packages."""
    folders = {source.path.parent for source in sources("tests")}
    assert sorted(folder.name for folder in folders if not (folder / "__init__.py").exists()) == []


def test_the_desktop_starts_no_nested_event_loop() -> None:
    """But that of a drag: `tests/real_input` tries that everything goes on meanwhile."""
    found = [source.name for source in sources("app/desktop") for _ in nested_loops(source.tree)]
    assert found == ["app/desktop/carried.py"]


def test_only_one_module_opens_other_programs() -> None:
    """What a service names must not start a program: `app/desktop/opening.py` looks at it first."""
    ways = {"openUrl", "webbrowser", "startfile", "startDetached", "setOpenExternalLinks", "setOpenLinks"}
    found = {
        source.name
        for source in sources("app/desktop")
        for node in ast.walk(source.tree)
        if (isinstance(node, ast.Attribute) and node.attr in ways)
        or (isinstance(node, ast.Name | ast.alias) and getattr(node, "id", getattr(node, "name", "")) in ways)
    }
    assert found == {"app/desktop/opening.py"}


def test_enter_presses_every_button() -> None:
    """A button that paints itself has `EnterPresses` for its base, or handles keys itself."""
    plain = [
        f"{source.name}:{node.name}"
        for source in sources("app/desktop")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ClassDef)
        and {"QAbstractButton", "QPushButton", "QToolButton"}
        & {getattr(base, "id", "") for base in node.bases}
        and "keyPressEvent" not in {getattr(part, "name", "") for part in node.body}
    ]
    assert plain == []


def test_every_item_view_is_the_kits() -> None:
    """Qt's own say to a screen reader that their items show while the view is hidden."""
    qts = {"QListView", "QListWidget", "QTableView", "QTableWidget", "QTreeView", "QTreeWidget"}
    kit = {"app/desktop/widgets/screen_reader.py", "app/desktop/widgets/inputs.py"}
    found = [
        f"{source.name}:{node.lineno}"
        for source in sources("app/desktop")
        if source.name not in kit
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ClassDef | ast.Call)
        for used in (node.bases if isinstance(node, ast.ClassDef) else [node.func])
        if isinstance(used, ast.Name) and used.id in qts
    ]
    assert found == []


def test_only_one_package_moves_things() -> None:
    """It knows whether the user and the system want motion."""
    ways = {"QPropertyAnimation", "QVariantAnimation", "QAnimationGroup", "QParallelAnimationGroup"}
    ways |= {"QSequentialAnimationGroup", "QTimeLine", "QMovie", "QScroller", "setAnimated"}
    ways |= {"QGraphicsOpacityEffect", "QGraphicsBlurEffect"}
    found = {
        source.name
        for source in sources("app/desktop")
        for node in ast.walk(source.tree)
        if (isinstance(node, ast.Attribute) and node.attr in ways)
        or (isinstance(node, ast.alias) and node.name in ways)
    }
    assert found == set()


def test_only_one_module_asks_for_files() -> None:
    """Names that a service chose are made safe there."""
    named = {
        source.name
        for source in sources("app/desktop")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.alias) and node.name == "QFileDialog"
    }
    assert named == {"app/desktop/file_dialogs.py"}


def test_no_text_is_taken_for_markup() -> None:
    """Other people's texts may name files: `app/desktop/theme/stylesheet.py` shows all of them plain."""
    ways = {"RichText", "AutoText", "MarkdownText", "setHtml", "insertHtml", "appendHtml", "setMarkdown"}
    ways |= {"convertFromPlainText", "mightBeRichText", "QTextBrowser", "QGraphicsTextItem"}
    ways |= {"setWhatsThis", "QWhatsThis", "QErrorMessage", "TextItem", "LabelItem"}
    found = {
        source.name
        for source in sources("app/desktop")
        for node in ast.walk(source.tree)
        if (isinstance(node, ast.Attribute) and node.attr in ways)
        or (isinstance(node, ast.alias) and node.name in ways)
    }
    # The guide is our own text, and its viewer reads nothing outside of its folder.
    assert found == {"app/desktop/guide.py", "app/desktop/theme/stylesheet.py"}


def test_only_the_texts_of_posts_are_in_widgets_for_rich_text() -> None:
    """Both take plain text only: `test_pasting` of the composer, and `test_post_text` of the inspector."""
    made = {
        source.name
        for source in sources("app/desktop")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ClassDef | ast.Call)
        for used in (node.bases if isinstance(node, ast.ClassDef) else [node.func])
        if isinstance(used, ast.Name) and used.id == "QTextEdit"
    }
    assert made == {"app/desktop/composer/text_box.py", "app/desktop/inspector/post_text.py"}


def test_only_the_theme_names_colours() -> None:
    outside = [
        source for source in sources("app/desktop") if not source.name.startswith("app/desktop/theme/")
    ]
    assert [f"{source.name}:{line}" for source in outside for line in colours(source.tree)] == []


@pytest.mark.parametrize(
    "text",
    [
        "dialog.exec()",
        "QMenu(self).exec_(point)",
        "QMessageBox.question(self, 'a', 'b')",
        "QtWidgets.QFileDialog.getOpenFileName(self)",
        "QApplication.processEvents()",
        "QEventLoop().exec()",
    ],
)
def test_a_nested_loop_is_seen(text: str) -> None:
    assert nested_loops(ast.parse(text)) == [1]


@pytest.mark.parametrize(
    "text",
    [
        "a = '#C23A1C'",
        "a = 'color: #c23a1c80; border: 0'",
        "a = '#fff'",
        "a = QColor(1, 2, 3)",
        "a = QColor('red')",
        "a = QtGui.QColor.fromRgb(1, 2, 3)",
        "a = Qt.GlobalColor.red",
    ],
)
def test_a_colour_is_seen(text: str) -> None:
    assert colours(ast.parse(text)) == [1]


@pytest.mark.parametrize(
    "text", ["'''Like #C23A1C.'''", "a = QColor(token)", "a = 'Post #1234'", "a = Qt.GlobalColor.transparent"]
)
def test_what_is_no_colour_is_let_through(text: str) -> None:
    assert colours(ast.parse(text)) == []


def test_a_long_function_is_measured_without_its_docstring() -> None:
    body = "\n".join(f"    a = {number}" for number in range(41))
    tree = ast.parse(f'def f():\n    """One.\n\n    Two.\n    """\n{body}\n')
    source = Source(sources("tests")[0].root, sources("tests")[0].path, tree, 46)
    assert [lines for _, lines in functions(source)] == [42]


def test_the_wheel_scrolls_past_every_input() -> None:
    """Qt's own change when a form is scrolled below the pointer."""
    numbers = {"QSpinBox", "QDoubleSpinBox", "QAbstractSpinBox"}
    times = {"QDateEdit", "QTimeEdit", "QDateTimeEdit"}
    qts = {"QComboBox", "QFontComboBox", "QSlider", "QDial", "QTabBar", "QTabWidget", *numbers, *times}
    found = [
        f"{source.name}:{node.lineno}"
        for source in sources("app/desktop")
        for node in ast.walk(source.tree)
        if (isinstance(node, ast.Call) and getattr(node.func, "id", "") in qts)
        or (
            isinstance(node, ast.ClassDef)
            and qts & {getattr(base, "id", "") for base in node.bases}
            and "scroll_past"
            not in {getattr(part.func, "id", "") for part in ast.walk(node) if isinstance(part, ast.Call)}
        )
    ]
    assert found == []


def test_all_times_are_in_the_zone_of_the_calendar() -> None:
    """Not in the computer's, which may be another one."""
    own = re.compile(r"\.astimezone\(\)|\bdatetime\.now\(\)|(?<![.\w])date\.today\b|\.currentDate(?:Time)?\(")
    found = [source.name for source in sources("app/desktop") if own.search(source.path.read_text("utf-8"))]
    assert found == []
