"""The Graph API: how its calls look, whatever they are for."""

from collections.abc import Mapping
from typing import Annotated, TypeVar

from pydantic import BaseModel, Field

from app.platforms.base import Media
from app.platforms.bodies import part_of
from app.platforms.hosts import Hosts
from app.platforms.http import Answer, Body, Call, PlatformHttp, bearer
from app.platforms.meta import refused
from app.platforms.refusals import no_address, unexpected

GraphId = Annotated[str, Field(pattern=r"^\d{1,25}$")]
M = TypeVar("M", bound=BaseModel)


class Graph:
    """Calls in somebody's name. Every method raises PlatformError for a refusal."""

    def __init__(self, http: PlatformHttp, hosts: Hosts) -> None:
        self.http = http
        self._hosts = hosts

    def address(self, path: str) -> str:
        return f"{self._hosts.api}/{self._hosts.version}/{path}"

    async def get(self, path: str, token: str, params: Mapping[str, str], model: type[M]) -> M:
        """What is at a path."""
        call = Call(
            method="GET",
            url=self.address(path),
            params=params,
            headers=bearer(token),
            secrets=(token,),
        )
        return self._read(await self._ask(call), model)

    async def post(
        self,
        path: str,
        token: str,
        model: type[M],
        *,
        form: Mapping[str, str] | None = None,
        body: Body | None = None,
        creating: bool = False,
    ) -> M:
        """What a change led to."""
        call = Call(
            method="POST",
            url=self.address(path),
            headers=bearer(token),
            form=form,
            body=body,
            creating=creating,
            secrets=(token,),
        )
        return self._read(await self._ask(call), model)

    async def delete(self, path: str, token: str) -> None:
        """Takes away what is at a path."""
        url = self.address(path)
        await self._ask(Call(method="DELETE", url=url, headers=bearer(token), secrets=(token,)))

    async def send_file(self, address: str, token: str, media: Media, first: int) -> None:
        """Sends a file from a byte on to the address that a session was opened with."""
        if not self._hosts.takes_files(address):
            raise no_address(self.http.name)
        headers = {
            "Authorization": f"OAuth {token}",
            "offset": str(first),
            "file_size": str(media.size),
        }
        body = part_of(media, first, media.size - first, "application/octet-stream")
        await self._ask(Call(method="POST", url=address, headers=headers, body=body, secrets=(token,)))

    async def _ask(self, call: Call) -> Answer:
        answer = await self.http.send(call)
        if not answer.is_success:
            raise refused(answer, self.http.name)
        return answer

    def _read(self, answer: Answer, model: type[M]) -> M:
        found = answer.read(model)
        if found is None:
            raise unexpected(answer, self.http.name)
        return found
