"""Some screens, measured as the command measures all."""

import os
import subprocess
import sys

from tests.gallery.measure.options import SIZES

_SCENES = ("settings-looks", "slots-panel")


def test_every_text_can_be_read_and_none_is_cut_off() -> None:
    sizes = map(str, SIZES)
    command = [sys.executable, "-m", "tests.gallery.measure", "--only", *_SCENES, "--sizes", *sizes]
    # A program of its own: only one that begins so has two pixels to a logical one.
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ})
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert f"{len(_SCENES)} scenes" in done.stdout
