"""A user's visit, which opens, does and checks everything."""

from pathlib import Path

from tests.hostile.administration import administer
from tests.hostile.closely import look_closely
from tests.hostile.panes import look_around
from tests.hostile.planning import agree, plan
from tests.hostile.visitor import Visitor


async def visit(visitor: Visitor, folder: Path) -> None:
    """Make the whole visit; ``folder`` is for the user's files."""
    state = await visitor.elsewhere.state()
    if not visitor.variation.fails & {"posts", "connections"}:
        await agree(visitor, "after the first look")
    await look_around(visitor, state)
    await look_closely(visitor)
    await plan(visitor)
    await administer(visitor, folder)
    window = visitor.controller.window
    visitor.judge(window, "the window", visitor.variation.name)
    visitor.judge(window.status, "the status line")
