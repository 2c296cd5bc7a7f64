"""Links and files that arrive before a calendar is open."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from app.desktop.errands import THINGS_MAX, Errands
from app.desktop.links import AddFiles, Errand, ShowDay
from app.workspace.messages import Message


class Desk:
    """A window that collects messages, and a calendar that is open once ``is_open`` is set."""

    def __init__(self) -> None:
        self.said: list[Message] = []
        self.run: list[Errand] = []
        self.is_open = False
        window = SimpleNamespace(messages=SimpleNamespace(tell=self.said.append))
        self.controller = cast("Any", SimpleNamespace(run_errands=self.run.extend))
        self.errands = Errands(Path(), cast("Any", window), lambda: self.controller if self.is_open else None)


def test_files_that_are_opened_one_by_one_while_the_app_starts_are_one_request() -> None:
    desk = Desk()
    for number in range(40):  # some systems start the app once per file
        desk.errands.take([f"/{number}.jpg"])
    desk.errands.run(desk.controller)
    assert desk.run == [AddFiles(tuple(Path(f"/{number}.jpg") for number in range(40)))]
    desk.errands.run(desk.controller)
    assert (len(desk.run), desk.said) == (1, [])


def test_the_user_is_told_what_is_not_opened() -> None:
    desk = Desk()
    desk.is_open = True
    desk.errands.take([f"/{number}.jpg" for number in range(THINGS_MAX + 5)])
    [files] = desk.run
    assert isinstance(files, AddFiles)
    assert len(files.files) == THINGS_MAX
    assert [message.text.split(".")[0] for message in desk.said] == [
        f"Only the first {THINGS_MAX:,} files and links were opened"
    ]


def test_of_many_links_the_latest_are_opened() -> None:
    desk = Desk()
    desk.errands.take(["kalends://today"] * 50)
    desk.errands.take(["/a.jpg"])
    desk.errands.run(desk.controller)
    assert desk.run == [*[ShowDay()] * 20, AddFiles((Path("/a.jpg"),))]
