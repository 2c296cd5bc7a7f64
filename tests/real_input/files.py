"""Images of one colour, and adding them with the keyboard."""

from pathlib import Path

from PIL import Image

from tests.real_input.person import Person


def picture(folder: Path, name: str, size: tuple[int, int] = (600, 600)) -> Path:
    """Create an image in the colour of its name."""
    path = folder / name
    Image.new("RGB", size, name.partition(".")[0]).save(path)
    return path


def add(person: Person, *files: Path) -> None:
    """Add files to the media library, and hear the confirmation."""
    person.press("ctrl+3")
    person.tab_to("Add files")
    person.press("space")
    person.choose_file(*files)
    for file in files:
        person.hear(f"{file.name}: uploaded")
