"""The minimal upload server: a bare application on uvicorn that writes bodies to a file over TLS.

``python -m tests.benchmarks.sink FILE CERTIFICATE KEY`` prints its port when it's listening.
"""

import asyncio
import contextlib
import socket
import sys
from pathlib import Path
from typing import Any

import uvicorn

_CREATED = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]}


def sink(target: Path) -> Any:
    """Return an application that writes each PUT body to ``target``."""

    async def app(_scope: Any, receive: Any, send: Any) -> None:
        with target.open("wb") as file:
            more = True
            while more:
                message = await receive()
                file.write(message.get("body", b""))
                more = message.get("more_body", False)
        await send(_CREATED)
        await send({"type": "http.response.body"})

    return app


async def serve(target: Path, certificate: str, key: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(
            sink(target),
            ssl_certfile=certificate,
            ssl_keyfile=key,
            log_level="warning",
            lifespan="off",
            access_log=False,
        )
        print(listener.getsockname()[1], flush=True)
        await uvicorn.Server(config).serve([listener])


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(Path(sys.argv[1]), *sys.argv[2:4]))
