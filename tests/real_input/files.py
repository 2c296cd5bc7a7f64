"""Pictures of one colour each, and how somebody adds them by keyboard."""

from pathlib import Path

from PIL import Image

from tests.real_input.person import Person


def picture(folder: Path, name: str, size: tuple[int, int] = (600, 600)) -> Path:
    """A picture in the colour of its name."""
    path = folder / name
    Image.new("RGB", size, name.partition(".")[0]).save(path)
    return path


def add(person: Person, *files: Path) -> None:
    """Adds files to the media, and hears that they are there."""
    person.press("ctrl+3")
    person.tab_to("Add files")
    person.press("space")
    person.choose_file(*files)
    for file in files:
        person.hear(f"{file.name}: uploaded")
