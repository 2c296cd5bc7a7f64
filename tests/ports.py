"""Ports for programs that cannot choose one themselves, or that have to keep theirs while they are away."""

import random
import socket
from typing import Final

_NEVER_GIVEN: Final = range(20_000, 32_000)
"""Below those that systems give to connections and to whoever asks for any port."""


def free_port() -> int:
    """A port of 127.0.0.1 that nobody has now, nor gets before the caller takes it."""
    for port in random.sample(_NEVER_GIVEN, 100):
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
    raise OSError("no port is free")
