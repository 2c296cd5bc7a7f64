"""Scenes can be shown with nothing going wrong meanwhile, and screen readers can tell everything apart.

Shows those that have a mock-up and every twentieth of the others; with ``--whole`` all, in every look.
"""

import asyncio
import json
from pathlib import Path

import pytest
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtWidgets import QApplication, QWidget

from tests.gallery.accessible import faults
from tests.gallery.scene import LARGE, MOCKUP, MODES, Scene, find
from tests.gallery.showing import Failure, play, show
from tests.gallery.stage import Look, Stage, run

_LOOK = Look("light", (1280, 800))
_COLOURS_OF_A_SCREEN = 20
_EVERY = 20


def colours(picture: QImage) -> int:
    """How many colours there are on a coarse grid of points."""
    points = ((x, y) for x in range(0, picture.width(), 7) for y in range(0, picture.height(), 7))
    return len({picture.pixel(x, y) for x, y in points})


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "look" in metafunc.fixturenames:
        whole = metafunc.config.getoption("whole")
        shown = [
            pytest.param(
                scene,
                look,
                id=f"{scene.name}-{look}" if whole else scene.name,
                marks=() if scene.has_mockup or nth % _EVERY == 0 else pytest.mark.variation,
            )
            for nth, scene in enumerate(find().values())
            for look in (scene.looks() if whole else [_LOOK])
        ]
        metafunc.parametrize(("scene", "look"), shown)


@pytest.mark.usefixtures("listening")
def test_a_scene_can_be_seen_and_heard(scene: Scene, look: Look, qapp: QApplication) -> None:
    """One test for both, because playing a scene takes longer than looking at it."""
    failures: list[Failure] = []
    pictures: list[QImage] = []
    found: list[str] = []

    async def look_and_read(stage: Stage) -> None:
        assert stage.window is not None
        pictures.append(stage.picture())
        for top in (stage.window, *stage.menus()):
            found.extend(faults(QAccessible.queryAccessibleInterface(top)))

    async def work() -> None:
        failures.extend(await play(scene, look, look_and_read))

    run(qapp, work())
    assert [str(failure) for failure in failures] == []
    (picture,) = pictures
    assert (picture.width(), picture.height()) == look.size
    assert colours(picture) >= _COLOURS_OF_A_SCREEN
    assert found == []


def test_a_picture_is_kept_in_a_file(qapp: QApplication, tmp_path: Path) -> None:
    file = tmp_path / "picture.png"
    failures: list[Failure] = []
    left: list[QWidget] = []

    async def work() -> None:
        before = QApplication.allWidgets()
        failures.extend(await show(find()["drafts"], _LOOK, file))
        left.extend(widget for widget in QApplication.allWidgets() if widget not in before)

    run(qapp, work())
    assert failures == []
    assert left == []
    picture = QImage(str(file))
    assert (picture.width(), picture.height()) == _LOOK.size
    assert colours(picture) >= _COLOURS_OF_A_SCREEN


def test_a_scene_that_fails_is_named(qapp: QApplication, tmp_path: Path) -> None:
    async def play(stage: Stage) -> None:
        await stage.bare_window()
        asyncio.get_running_loop().call_soon(lambda: 1 / 0)
        raise LookupError("nothing to see")

    failures = []

    async def work() -> None:
        failures.extend(await show(Scene("broken", play), _LOOK, tmp_path / "picture.png"))

    run(qapp, work())
    told = "\n".join(str(failure) for failure in failures)
    assert "broken (light-1280x800)" in told
    assert "LookupError: nothing to see" in told
    assert "ZeroDivisionError" in told
    assert not (tmp_path / "picture.png").exists()


def test_a_scene_waits_for_its_pictures(qapp: QApplication) -> None:
    came: list[str] = []
    failures: list[Failure] = []
    loading: list[asyncio.Task[None]] = []

    async def load_picture() -> None:
        await asyncio.sleep(0.3)
        came.append("coat")

    async def play_scene(stage: Stage) -> None:
        await stage.bare_window()
        loading.append(asyncio.create_task(load_picture()))

    async def take(_stage: Stage) -> None:
        assert came == ["coat"]

    async def work() -> None:
        failures.extend(await play(Scene("slow", play_scene), _LOOK, take))

    run(qapp, work())
    assert failures == []


def test_what_has_a_mockup_is_also_shown_in_its_size() -> None:
    with_mockup = {scene.name for scene in find().values() if scene.has_mockup}
    assert {"month", "week", "composer", "connections", "welcome"} <= with_mockup
    looks = find()["month"].looks()
    assert {look.mode for look in looks if look.size == MOCKUP} == set(MODES)


def test_every_window_fits_on_the_screen_so_that_menus_open_where_they_do_for_users() -> None:
    (screen,) = json.loads(Path(__file__).with_name("screen.json").read_text(encoding="utf-8"))["screens"]
    sizes = {look.size for scene in find().values() for look in scene.looks()}
    assert LARGE in sizes
    assert all(width <= screen["width"] and height <= screen["height"] for width, height in sizes)
