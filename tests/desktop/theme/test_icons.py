import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import QApplication

import app.desktop
from app import resources
from app.desktop.theme import icons, theme
from app.desktop.theme.tokens import DARK, LIGHT
from app.platforms.cards import brand_of

# Where the name of an icon stands among the positional arguments of what takes one.
POSITIONS = {
    "Chip": 1,
    "EmptyState": 0,
    "IconButton": 0,
    "IconLabel": 0,
    "LineEdit": 1,
    "Way": 0,
    "danger": 1,
    "draw_icon": 2,
    "icon": 0,
    "pixmap": 0,
    "primary": 1,
    "quiet": 1,
    "secondary": 1,
    "set_icon": 0,
}


def strongest(pixmap: QPixmap) -> QColor:
    image = pixmap.toImage()
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return max(pixels, key=lambda color: color.alpha())


def used_names() -> Iterator[tuple[str, str]]:
    for source in sorted(Path(app.desktop.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(source.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                yield from ((source.name, name) for name in names_in(node))


def names_in(call: ast.Call) -> Iterator[str]:
    function = call.func
    called = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    position = POSITIONS.get(called)
    given = [keyword.value for keyword in call.keywords if keyword.arg == "icon"]
    if position is not None and len(call.args) > position:
        given.append(call.args[position])
    for value in given:
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
            yield value.value


def test_every_icon_the_app_names_exists() -> None:
    names = set(used_names())
    assert names
    missing = []
    for source, name in sorted(names):
        try:
            icons.pixmap(name)
        except KeyError:
            missing.append(f"{source}: {name}")
    assert missing == []


@pytest.mark.parametrize("name", ["nope", "brand:nope", "../kalends", "", "brand:"])
def test_a_missing_icon_is_refused_at_once(name: str) -> None:
    with pytest.raises(KeyError):
        icons.pixmap(name)


def test_a_missing_color_is_refused_at_once() -> None:
    with pytest.raises(KeyError):
        icons.pixmap("check", "blue")


@pytest.mark.parametrize("name", ["check", "brand:linkedin", "brand:x"])
def test_an_icon_takes_the_color_of_the_theme(qapp: QApplication, name: str) -> None:
    assert strongest(icons.pixmap(name, "bad", 32)) == QColor(LIGHT.bad)
    theme.apply(qapp, "dark")
    assert strongest(icons.pixmap(name, "bad", 32)) == QColor(DARK.bad)
    assert strongest(icons.pixmap(name, LIGHT.account(4), 32)) == QColor(LIGHT.account(4))


def test_every_bundled_icon_draws_something() -> None:
    folder = resources.root() / "icons"
    names = [file.stem for file in (folder / "lucide").glob("*.svg")]
    names += [f"brand:{file.stem}" for file in (folder / "brands").glob("*.svg")]
    drawn = {name.removeprefix("brand:") for name in names if name.startswith("brand:")}
    assert drawn == {brand_of(key).mark or key for key in icons.BRANDS}
    blank = [name for name in names if strongest(icons.pixmap(name, size=24)).alpha() < 100]
    assert blank == []


def test_icons_are_rendered_once_and_sharp() -> None:
    first = icons.pixmap("plus", "text2", 16, 2.0)
    assert first.cacheKey() == icons.pixmap("plus", "text2", 16, 2.0).cacheKey()
    assert first.size() == QSize(32, 32)
    assert first.devicePixelRatio() == 2.0


def test_a_qicon_greys_out() -> None:
    made = icons.icon("trash-2", "bad", 16)
    normal = strongest(made.pixmap(QSize(16, 16), 2.0, QIcon.Mode.Normal))
    disabled = strongest(made.pixmap(QSize(16, 16), 2.0, QIcon.Mode.Disabled))
    assert (normal, disabled) == (QColor(LIGHT.bad), QColor(LIGHT.text3))


def test_the_mark_is_a_page_whose_first_day_is_red() -> None:
    mark = icons.app_mark(64).toImage()
    page, first_day = mark.pixelColor(8, 32), mark.pixelColor(54, 12)
    assert min(page.red(), page.green(), page.blue()) > 200
    assert first_day.red() > 2 * max(first_day.green(), first_day.blue())


def test_the_app_icon_has_every_size() -> None:
    assert {size.width() for size in icons.app_icon().availableSizes()} == {16, 32, 48, 64, 128, 256, 512}


def test_licences_lie_beside_what_they_cover() -> None:
    for name in ("fonts/Inter-LICENSE.txt", "fonts/JetBrainsMono-LICENSE.txt"):
        assert "Open Font License" in resources.path(name).read_text("utf-8")
    for name in ("lucide/LICENSE.txt", "brands/simple-icons-LICENSE.txt", "brands/tabler-icons-LICENSE.txt"):
        assert resources.path(f"icons/{name}").stat().st_size > 500


def test_a_missing_resource_is_refused() -> None:
    with pytest.raises(KeyError):
        resources.path("fonts/Comic.ttf")
