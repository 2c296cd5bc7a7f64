"""A video in the program that decodes it: its pictures arrive, and whatever is wrong ends in a sentence."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.workspace.media.video import Video
from app.workspace.messages import Problem
from tests.media.samples import made_sound, made_video
from tests.workspace.opened import until

BOX = (320, 240)
ENDS = "import sys; sys.stdin.readline(); sys.exit(3)"
SLEEPS = "import sys, time; sys.stdin.readline(); time.sleep(600)"
BABBLES = "import sys; sys.stdin.readline(); print('{', flush=True)"
BOASTS = """
import sys
for line in sys.stdin:
    done = '{"width": 1, "height": 1, "duration_ms": 1, "has_sound": false}'
    said = f'{{"done": {done}, "bytes": %d}}'
    print(said % (0 if "path" in line else 10**12), flush=True)
"""


def program(text: str) -> tuple[str, ...]:
    return sys.executable, "-c", text


def problem_of(work: Callable[[], object]) -> str:
    with pytest.raises(Problem) as raised:
        work()
    return raised.value.text


async def test_its_pictures_come_from_another_program(tmp_path: Path) -> None:
    path = made_video(tmp_path, "walk.mp4", seconds=3, sound="aac")

    video = await Video.open(path)
    assert (video.width, video.height, video.has_sound) == (160, 120, True)
    assert video.duration_ms == pytest.approx(3_000, abs=100)
    for moment in (0, 2_500, 700):
        picture = await video.at(moment, BOX)
        assert picture.ms == moment
        assert len(picture.pixels) == picture.stride * picture.height
    process = video._helper._process
    assert process is not None
    video.close()
    video.close()
    await until(lambda: process.poll() is not None)
    with pytest.raises(Problem):
        await video.at(0, BOX)


async def test_a_picture_that_nobody_waits_for_any_more_is_not_taken_for_the_next(tmp_path: Path) -> None:
    path = made_video(tmp_path, "walk.mp4", seconds=3)

    video = await Video.open(path)
    given_up = asyncio.ensure_future(video.at(2_900, BOX))
    await asyncio.sleep(0)
    given_up.cancel()
    assert (await video.at(100, BOX)).ms == 100
    video.close()


async def test_a_file_that_was_made_to_be_watched_goes_with_the_video(tmp_path: Path) -> None:
    path, bad = made_video(tmp_path, "walk.mp4", seconds=1), tmp_path / "bad.mp4"
    bad.write_bytes(b"nothing")

    video = await Video.open(path, own_file=path)
    assert path.exists()
    video.close()
    await until(lambda: not path.exists())
    with pytest.raises(Problem):
        await Video.open(bad, own_file=bad)
    await until(lambda: not bad.exists())


def test_every_bad_file_ends_in_one_sentence(tmp_path: Path) -> None:
    rubbish = tmp_path / "walk.mp4"
    rubbish.write_bytes(b"\0\0\0\x18ftypmp42" + b"\0" * 500)
    damaged = "This video is damaged or has the wrong type. Export it again and add the new file."
    assert problem_of(lambda: asyncio.run(Video.open(rubbish))) == damaged
    assert problem_of(lambda: asyncio.run(Video.open(tmp_path / "gone.mp4"))) == damaged
    assert "contains only audio" in problem_of(
        lambda: asyncio.run(Video.open(made_sound(tmp_path, "song.mp4")))
    )


@pytest.mark.parametrize(
    ("command", "patience", "said"),
    [
        (program(ENDS), 20.0, "This video is damaged"),
        (program(BABBLES), 20.0, "This video is damaged"),
        (program(SLEEPS), 0.2, "takes too long"),
        (("/nowhere/at/all",), 20.0, "Couldn't start"),
    ],
)
def test_a_program_that_fails_takes_nothing_with_it(
    tmp_path: Path, command: tuple[str, ...], patience: float, said: str
) -> None:
    opening = Video.open(tmp_path / "walk.mp4", command=command, patience=patience)
    assert said in problem_of(lambda: asyncio.run(opening))


def test_a_picture_of_no_sensible_size_is_not_waited_for(tmp_path: Path) -> None:
    async def story() -> None:
        video = await Video.open(tmp_path / "walk.mp4", command=program(BOASTS))
        try:
            await video.at(0, BOX)
        finally:
            video.close()

    assert "damaged" in problem_of(lambda: asyncio.run(story()))
