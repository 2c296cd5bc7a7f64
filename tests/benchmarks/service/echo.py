"""The baseline, as a process of its own: a bare FastAPI over the same TLS that answers the same bodies."""

import json
import ssl
import sys
from typing import Annotated, Any

import uvicorn
from fastapi import Body, FastAPI
from starlette.responses import Response

from app.service.listeners import listen, origin


def create_echo(page: bytes, created: bytes) -> FastAPI:
    """Answers every list with ``page`` and every creation with ``created``; reads what is sent."""
    app = FastAPI(openapi_url=None)

    @app.get("/api/v1/posts")
    async def list_posts() -> Response:
        return Response(page, media_type="application/json")

    @app.post("/api/v1/posts")
    async def create_post(body: Annotated[dict[str, Any], Body()]) -> Response:
        assert body
        return Response(created, 201, media_type="application/json")

    return app


def main() -> None:
    """Reads one line of JSON: certificate, key and the two bodies. Prints its address."""
    told = json.loads(sys.stdin.readline())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(told["certificate"], told["key"])
    app = create_echo(told["page"].encode(), told["created"].encode())
    with listen("127.0.0.1", 0) as listener:
        print(json.dumps({"base_url": origin("https", listener)}), flush=True)
        config = uvicorn.Config(
            app, log_config=None, access_log=False, ssl_context_factory=lambda _config, _default: context
        )
        uvicorn.Server(config).run([listener])


if __name__ == "__main__":
    main()
