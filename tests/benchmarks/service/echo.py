"""The baseline as a separate process: a bare FastAPI with the same TLS and bodies."""

import json
import ssl
import sys
from typing import Annotated, Any

import uvicorn
from fastapi import Body, FastAPI
from starlette.responses import Response

from app.service.http_server import listen, origin


def create_echo(page: bytes, created: bytes) -> FastAPI:
    """Return every list as ``page`` and every creation as ``created``, after reading the request.

    ``/posts`` returns objects, which FastAPI serializes. ``/bytes`` returns prepared bytes, less work than
    any API can do.
    """
    app = FastAPI(openapi_url=None)
    page_object, created_object = json.loads(page), json.loads(created)

    @app.get("/api/v1/posts", response_model=None)
    async def list_posts() -> Any:
        return page_object

    @app.post("/api/v1/posts", status_code=201, response_model=None)
    async def create_post(body: Annotated[dict[str, Any], Body()]) -> Any:
        assert body
        return created_object

    @app.get("/api/v1/bytes")
    async def list_bytes() -> Response:
        return Response(page, media_type="application/json")

    @app.post("/api/v1/bytes")
    async def create_bytes(body: Annotated[dict[str, Any], Body()]) -> Response:
        assert body
        return Response(created, 201, media_type="application/json")

    return app


def main() -> None:
    """Read a line of JSON with certificate, key and the two bodies, and print the address."""
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
