"""What the composer does, by name and by keyboard."""

from typing import TYPE_CHECKING

from app.desktop.commands import Command
from app.language import tr

if TYPE_CHECKING:
    from app.desktop.composer.panel import ComposerPanel


def panel_commands(panel: "ComposerPanel") -> list[Command]:
    """The commands of a composer's panel."""
    group = tr("Writing")
    return [
        Command(tr("Schedule this post"), group, panel.schedule, keys=("Ctrl+Return",), icon="send"),
        Command(tr("Save as draft"), group, panel.save_as_draft, keys=("Ctrl+S",), icon="file-pen-line"),
        Command(tr("Insert an emoji…"), group, panel.emoji.open, keys=("Ctrl+.",), icon="smile"),
        panel.spelling.command(group),
        Command(tr("Insert a saved text…"), group, panel.saved.open, keys=("Ctrl+J",), icon="hash"),
        Command(tr("Add a file…"), group, panel.attachment.ask, keys=("Ctrl+O",), icon="image-plus"),
        Command(tr("Close the composer"), group, panel.close_panel, keys=("Esc",), icon="x"),
    ]
