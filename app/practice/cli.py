"""``kalends-practice``: run the practice platforms."""

import argparse
import contextlib
import logging
import os
import socket
import sqlite3
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from app.practice.server import PracticeServer, bind, create_app, say_ready
from app.practice.settings import NOTICE, Settings

_NO_PORT = 69  # EX_UNAVAILABLE in sysexits.h, which Windows lacks


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line. Returns 0 for a clean end, 69 if the port isn't available, otherwise 1."""
    arguments = _parser().parse_args(argv)
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    try:
        listener = bind(arguments.port)
    except OSError as error:
        return _fail(f"Port {arguments.port} cannot be used: {error}. Choose another --port.", _NO_PORT)
    try:
        _serve(_settings(arguments), listener, exit_with_parent=arguments.exit_with_parent)
    except sqlite3.Error as error:
        return _fail(f"The database in {arguments.data} cannot be used ({error}). Choose another folder.")
    except OSError as error:
        return _fail(f"The practice platforms cannot start: {error}. Check --data.")
    return 0


def _settings(arguments: argparse.Namespace) -> Settings:
    settings = Settings(arguments.data, quotas=arguments.quotas == "on")
    if not arguments.verified_prefix:
        return settings
    return replace(settings, verified_prefixes=tuple(arguments.verified_prefix))


def _serve(settings: Settings, listener: socket.socket, *, exit_with_parent: bool) -> None:
    with listener:
        server = PracticeServer(create_app(settings), partial(say_ready, listener))
        if exit_with_parent:
            stop = partial(setattr, server, "should_exit", True)
            threading.Thread(target=_when_stdin_closes, args=(stop,), daemon=True).start()
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


def _when_stdin_closes(stop: Callable[[], None]) -> None:
    # os.read, because a buffered read would block the interpreter's shutdown.
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    stop()


def _fail(sentence: str, exit_code: int = 1) -> int:
    print(sentence, file=sys.stderr)
    return exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kalends-practice", description=f"{NOTICE}.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    serve = commands.add_parser("serve", help="run the practice platforms on loopback")
    serve.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder for their state")
    serve.add_argument("--port", type=_port, default=0, help="port on 127.0.0.1 (default: a free one)")
    serve.add_argument(
        "--verified-prefix",
        action="append",
        metavar="URL",
        help="URL prefix of photos that TikTok accepts; can be repeated (default: any on this computer)",
    )
    serve.add_argument(
        "--quotas",
        choices=("on", "off"),
        default="off",
        help="enforce the platforms' real daily quotas (default: off)",
    )
    serve.add_argument("--exit-with-parent", action="store_true", help="exit when standard input closes")
    return parser


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("must be a number from 0 to 65535")
    return port
