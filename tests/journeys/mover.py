"""A program that opens the app, drags all posts two days ahead, reports it, and waits to be killed."""

import asyncio
import sys
from pathlib import Path

from app.desktop import aio
from app.desktop.application import Application, Elsewhere
from app.desktop.calendar.days import LocalDays, Span
from tests.journeys.stage import ZONE, Actor
from tests.journeys.trusting import begin


async def move(application: Application, stop: asyncio.Event) -> int:
    application.window.resize(1280, 800)
    application.window.show()
    application.take_folder()
    await begin(application)
    assert application.controller is not None
    actor = Actor(application, application.controller)
    posts = actor.workspace.posts.all()
    post = posts[0]
    day = LocalDays(ZONE).place(post.at).day
    application.window.go("calendar")
    application.controller.calendar.show_span(Span.MONTH, day)
    actor.choose(*(each.headline for each in posts))
    actor.drag(actor.card(post.headline), actor.day(day + 2))
    await actor.until(lambda: not actor.workspace.sync.saving)  # it can be killed from now on
    sys.stdout.write("moved\n")
    sys.stdout.flush()
    await stop.wait()
    return 0


def main(folder: str, url: str, key_file: str) -> int:
    app = aio.AsyncApplication([])
    application = Application(Path(folder), ZONE, Elsewhere(url, Path(key_file)))
    return aio.run(app, lambda stop: move(application, stop))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
