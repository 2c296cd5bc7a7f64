"""Ports for programs that can't choose one, or that have to keep theirs while they're stopped."""

import random
import socket
from typing import Final

_NEVER_GIVEN: Final = range(20_000, 32_000)
"""Below the ports that systems assign automatically."""


def free_port() -> int:
    """Return a port of 127.0.0.1 that's free and stays so until the caller uses it."""
    for port in random.sample(_NEVER_GIVEN, 100):
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
    raise OSError("no port is free")
