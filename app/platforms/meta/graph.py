"""Calls to the Graph API."""

from typing import Annotated

from pydantic import Field

from app.platforms.base import Media
from app.platforms.bodies import part_of
from app.platforms.card import Hosts
from app.platforms.http import Call, PlatformHttp
from app.platforms.meta.refusals import refused
from app.platforms.refusals import no_address
from app.platforms.rest import RestApi

GraphId = Annotated[str, Field(pattern=r"^\d{1,25}$")]


class Graph(RestApi):
    """Calls to the Graph API, at ``api`` if it has a different host than other calls."""

    def __init__(self, http: PlatformHttp, hosts: Hosts, api: str = "") -> None:
        base = f"{api or hosts.api}/{hosts.version}"
        super().__init__(http, base, lambda answer: refused(answer, http.name))
        self._hosts = hosts

    async def delete(self, path: str, token: str) -> None:
        """Delete the object at a path."""
        await self.ask(self.call("DELETE", path, token))

    async def send_file(self, address: str, token: str, media: Media, first: int) -> None:
        """Send a file, starting at byte ``first``, to the URL of an upload session."""
        if not self._hosts.takes_files(address):
            raise no_address(self.http.name)
        headers = {
            "Authorization": f"OAuth {token}",
            "offset": str(first),
            "file_size": str(media.size),
        }
        body = part_of(media, first, media.size - first, "application/octet-stream")
        await self.ask(Call(method="POST", url=address, headers=headers, body=body, secrets=(token,)))
