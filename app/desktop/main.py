"""The entry point of the desktop app: options, then the window, then everything slower.

The service is started before Qt is imported. The modules of the window and of the calendar in its last state
are imported next; HTTP, TLS and the store are imported after their first paint.
"""

import asyncio
import gc
import os
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from app.children import utf8
from app.children.lean import provide_streams, use_one_arena
from app.desktop import binding
from app.desktop.options import Options, parse

if TYPE_CHECKING:
    from app.desktop.ahead import Ahead
    from app.desktop.aio import AsyncApplication
    from app.desktop.application import Application

    Work = Callable[[Application, asyncio.Event], Awaitable[int]]


def main(arguments: list[str] | None = None) -> int:
    """Run the app; return its exit code."""
    if arguments is None and utf8.is_missing():
        utf8.start_again()
    provide_streams()
    options = parse(arguments)
    if options.quits:
        from app.desktop.single_instance import quit_running

        return 0 if quit_running(options.data) else 1
    if options.selftest:
        os.environ.setdefault("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")  # leave no traces
        return run(options, _selftest)
    return run(
        options, lambda application, stop: application.run(stop, hidden=options.hidden, things=options.things)
    )


def run(options: Options, work: "Work") -> int:
    """Start the app and let ``work`` use it until it ends; return the exit code."""
    use_one_arena()
    gc.disable()  # until the collector on the GUI thread takes over
    os.umask(0o077)  # only this user may read drafts, posts and logs
    ahead = None
    if options.elsewhere is None and not options.selftest:
        from app.desktop import ahead as beginning

        ahead = beginning.begin(options.data)
    binding.load()
    app, application = assemble(options, ahead)
    from app.desktop import aio

    return aio.run(app, lambda stop: work(application, stop))


async def _selftest(application: "Application", stop: asyncio.Event) -> int:
    from app.desktop.selftest import selftest

    return await selftest(application, stop)


def assemble(options: Options, ahead: "Ahead | None" = None) -> "tuple[AsyncApplication, Application]":
    """Create the Qt application and ours, in the language of the data folder."""
    os.umask(0o077)
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from app.desktop.speech import speak

    speak(options.data)  # before anything with translated texts is imported
    from app.desktop import aio, qt_language
    from app.desktop.application import Application, Elsewhere

    if sys.platform == "win32":
        from app.desktop import jump_list

        jump_list.identify()
    app = aio.AsyncApplication([sys.argv[0]])
    qt_language.speak(app)
    app.setApplicationName("Kalends")
    app.setDesktopFileName("kalends")  # identifies our windows, badge and notifications
    application = Application(
        options.data, _zone(), Elsewhere(*options.elsewhere) if options.elsewhere else None, ahead
    )
    application.window.read_zone = _zone
    app.handed.connect(application.errands.take)
    if sys.platform == "darwin":
        from app.desktop import mac_services

        mac_services.offer(app.handed.emit)
    return app, application


def _zone() -> ZoneInfo:
    import tzlocal

    return tzlocal.reload_localzone()
