"""Small files of real kinds, and a service on a line that stops in the middle of a file."""

import asyncio
import io
from pathlib import Path

import httpx
from PIL import Image

from app.client import RetryPolicy, ServiceClient
from tests.service.media.samples import video as tiny_video
from tests.workspace.model_service import BASE_URL, KEY, ModelService

MP4 = tiny_video(codec="libx264")
"""Half a second."""


def picture(folder: Path, name: str = "coat.jpg", size: tuple[int, int] = (1_000, 1_000)) -> Path:
    """A JPEG of so many pixels."""
    content = io.BytesIO()
    Image.new("RGB", size, "brown").save(content, "JPEG")
    return written(folder, name, content.getvalue())


def video(folder: Path, name: str = "walk.mp4", size: int = 200_000) -> Path:
    """Half a second, and a box of nothing behind it so that the file has so many bytes."""
    spare = size - len(MP4)
    return written(folder, name, MP4 + spare.to_bytes(4, "big") + b"free" + bytes(spare - 8))


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


class SlowLine(httpx.AsyncBaseTransport):
    """Takes the bytes of uploads one piece at a time: the first at once, the others when ``go`` is set."""

    def __init__(self, service: ModelService) -> None:
        self.service = service
        self.go = asyncio.Event()
        self.uploads = 0
        """How many are on the line."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "PUT":
            await self._take(request)
        else:
            await request.aread()
        response = self.service.answer(request)
        response.request = request
        return response

    async def _take(self, request: httpx.Request) -> None:
        assert isinstance(request.stream, httpx.AsyncByteStream)
        self.uploads += 1
        content = bytearray()
        try:
            async for piece in request.stream:
                content += piece
                if len(content) > len(piece):  # the first one has been handed over
                    await self.go.wait()
            await self.go.wait()
        finally:
            self.uploads -= 1
        request._content = bytes(content)

    def client(self) -> ServiceClient:
        return ServiceClient(BASE_URL, KEY, transport=self, retries=RetryPolicy(attempts=1))
