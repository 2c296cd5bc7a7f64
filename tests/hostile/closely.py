"""Parts of the UI other than panes: posts, the composer, panels, the palette."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtWidgets import QWidget

from app.desktop.composer import ComposerPanel
from app.desktop.inspector import Inspector
from app.desktop.palette import Palette
from app.workspace.workspace import Workspace
from tests.hostile.visitor import Visitor, is_loading

Side = TypeVar("Side", bound=QWidget)

_POSTS_MOST = 8


async def look_closely(visitor: Visitor) -> None:
    """Open a post of each status and type, every panel, and the search."""
    await look_at_posts(visitor)
    await look_at_panels(visitor)
    await search(visitor)


async def look_at_posts(visitor: Visitor) -> None:
    """Check that the post panel shows everything about a post, or that it's gone."""
    visitor.controller.window.go("calendar")
    for key in _of_each_kind(visitor.workspace):
        visitor.controller.panels.inspect(key)
        side = _side(visitor, Inspector)
        await visitor.until(lambda side=side: not is_loading(side), "the inspector does not come to an end")  # type: ignore[misc]
        visitor.judge(side, "the inspector")
    visitor.controller.window.close_side()


async def look_at_panels(visitor: Visitor) -> None:
    """Open the panels for steps, conflicts, warnings, posting times and setup."""
    controller = visitor.controller
    panels: dict[str, Callable[[], None]] = {
        "the steps": controller.panels.show_steps,
        "the conflicts": controller.panels.show_conflicts,
        "the warnings": controller.panels.show_warnings,
        "the slots": controller.panels.show_slots,
        "the set-up": controller.panels.show_platform_setup,
    }
    for name, show in panels.items():
        show()
        side = _side(visitor, QWidget)
        await visitor.until(lambda side=side: not is_loading(side), f"{name} never show")  # type: ignore[misc]
        visitor.judge(side, name)
    controller.window.close_side()


async def compose(visitor: Visitor, at: int | None = None) -> ComposerPanel:
    """Open the composer and wait until it's editable."""
    panel = visitor.controller.panels.compose(at)
    await visitor.until(lambda: not panel.text_box.editor.isReadOnly(), "nothing can be written")
    visitor.judge(panel, "the composer")
    return panel


async def search(visitor: Visitor) -> None:
    """Find commands and posts' words with the palette."""
    controller = visitor.controller
    words = [post.headline.split()[0] for post in visitor.workspace.posts.all() if post.headline.split()]
    controller.finder.open_search()
    palette = next(one for one in controller.window.findChildren(Palette) if one.isVisible())
    for typed in ("", "zzzz", *words[:1]):
        palette.line.setText(typed)
        await asyncio.sleep(0)
        await visitor.until(lambda: not palette.is_waiting, "the search does not end")
        visitor.judge(palette, "the search")
    controller.finder.open_palette()
    visitor.judge(palette, "the palette")
    palette.dismiss()


def _of_each_kind(workspace: Workspace) -> list[str]:
    kinds: dict[tuple[str, str], str] = {}
    for post in workspace.posts.all():
        kinds.setdefault((post.status.value, post.post_type.value), post.key)
    return list(kinds.values())[:_POSTS_MOST]


def _side(visitor: Visitor, kind: type[Side]) -> Side:
    side = visitor.controller.window.side
    assert isinstance(side, kind), f"{side} shows in place of {kind.__name__}"
    return side
