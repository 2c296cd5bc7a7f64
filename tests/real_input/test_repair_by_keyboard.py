"""Cropping and converting an unsupported image with the keyboard and a screen reader."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_input.desk import missing, no_reader
from tests.real_input.files import add, picture
from tests.real_input.person import Person, somebody

pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=f"not installed here: {missing()}"),
    pytest.mark.skipif(bool(no_reader()), reason=f"not installed here: {no_reader()}"),
]


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    with somebody(tmp_path, "media") as found:
        yield found


@pytest.mark.variation
def test_a_picture_of_a_shape_that_is_not_taken_is_cropped(person: Person, tmp_path: Path) -> None:
    add(person, picture(tmp_path, "brown.jpg", (600, 1_200)))
    person.tab_to("Use in a post")
    person.press("space")
    person.at("Post text")
    person.write("Wool, felted twice")
    person.tab_to("@account3 on Instagram", "shift+Tab")
    person.press("space")
    person.hear("Instagram doesn't accept this shape")
    person.all_are_named()
    person.tab_to("Adjust crop…")
    person.press("space")
    person.hear("Adjust crop")
    assert person.at("Area to keep")["description"].startswith("50% across, 50% down")
    person.press("Up", "Up", "Up")
    person.hear("50% across, 44% down")
    person.tab_to("Crop")
    person.press("space")
    person.hear("All problems are fixed")
    person.hear("brown.jpg, ")
    person.at("View larger")  # never the next button, which removes the file
    person.press("ctrl+Return")
    person.hear("1 post scheduled.")


def test_a_picture_of_a_kind_that_is_not_taken_is_converted(person: Person, tmp_path: Path) -> None:
    person.press("ctrl+n")
    person.at("Post text")
    person.write("Wool, felted twice")
    person.press("ctrl+o")
    person.choose_file(picture(tmp_path, "brown.webp"))
    person.hear("brown.webp, ")
    person.tab_to("@account3 on Instagram", "shift+Tab")
    person.press("space")
    person.tab_to("Convert")
    person.press("space")
    person.hear("All problems are fixed")
    person.press("ctrl+Return")
    person.hear("1 post scheduled.")
