"""The film: frames at a steady rate, with motions in the time of the film."""

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtWidgets import QApplication

from app.children import SOURCE
from app.desktop import motion
from app.desktop.widgets import Sheet
from tests.gallery.camera import Camera
from tests.gallery.scene import Scene
from tests.gallery.showing import play
from tests.gallery.stage import Look, Stage, run


@pytest.mark.parametrize("mode", ["on", "off"])
def test_a_film_shows_motions_in_its_own_time(qapp: QApplication, tmp_path: Path, mode: motion.Mode) -> None:
    """A sheet takes 120 ms to arrive: two frames of it on the way are between the first and the last look."""
    file = tmp_path / "film.webp"

    async def act(stage: Stage) -> None:
        window = await stage.bare_window()
        window.set_motion(mode)
        camera = Camera(stage, 320)
        with camera.running():
            await camera.hold(0.5)
            Sheet(window, "A sheet").present()
            await camera.hold(0.5)
        camera.save(file)
        assert camera.seconds == 1
        window.set_motion("off")

    async def nothing(_stage: Stage) -> None:
        """The film is written while the scene plays."""

    failures = []

    async def work() -> None:
        failures.extend(await play(Scene("film", act), Look("light", (1280, 800)), nothing))

    run(qapp, work())
    assert [str(failure) for failure in failures] == []
    with Image.open(file) as film:
        frames = int(getattr(film, "n_frames", 1))
        durations = []
        for number in range(frames):
            film.seek(number)
            film.load()
            durations.append(film.info["duration"])
    assert film.size == (320, 200)
    assert sum(durations) == 1_000
    assert (frames > 2) is (mode == "on")
    assert durations[0] in (500, 550)  # the first moment of a motion looks like the one before


def test_pictures_show_the_end_of_motions(qapp: QApplication, tmp_path: Path) -> None:
    files = {mode: tmp_path / f"{mode}.png" for mode in ("on", "off")}

    async def work() -> None:
        for mode, file in files.items():

            async def act(stage: Stage, mode: str = mode) -> None:
                window = await stage.bare_window()
                window.set_motion(mode)
                Sheet(window, "A sheet").present()

            async def keep(stage: Stage, file: Path = file) -> None:
                assert not motion.is_moving()
                stage.picture().save(str(file))

            assert await play(Scene("still", act), Look("light", (1280, 800)), keep) == []

    run(qapp, work())
    motion.choose("system")
    assert files["on"].read_bytes() == files["off"].read_bytes()


@pytest.mark.variation
def test_the_film_for_the_readme_is_short_and_small(tmp_path: Path) -> None:
    file = tmp_path / "recording.webp"
    subprocess.run([sys.executable, "-m", "tests.gallery.recording", str(file)], check=True, cwd=SOURCE)
    with Image.open(file) as film:
        length = 0
        for number in range(int(getattr(film, "n_frames", 1))):
            film.seek(number)
            film.load()
            length += film.info["duration"]
    assert 18_000 < length < 22_000
    assert file.stat().st_size < 3_000_000
