"""Calls to the servers of a network, each under its own address."""

from typing import Final
from urllib.parse import urljoin, urlsplit

from app.platforms.base import Clock, FailureKind, PlatformError
from app.platforms.http import Answer, Call, PlatformHttp
from app.platforms.mastodon.instance import Instance
from app.platforms.mastodon.refusals import refused
from app.platforms.mastodon.servers import host_of, read_server
from app.platforms.oauth import TokenEndpoint
from app.platforms.rest import RestApi, kind_of, unexpected

_REDIRECTS: Final = frozenset({301, 302, 307, 308})
_REDIRECTS_MAX: Final = 3


class Servers:
    """The servers that accounts are on. A server is given by its origin."""

    def __init__(self, http: PlatformHttp, practice: str, clock: Clock) -> None:
        """Below ``practice``, every server is there under its name; empty for the real ones."""
        self.http = http
        self._practice = practice
        self.clock = clock

    def address(self, server: str, path: str) -> str:
        base = f"{self._practice}/{host_of(server)}" if self._practice else server
        return f"{base}/{path}"

    def rest(self, server: str, version: str = "v1") -> RestApi:
        """Return the API of a server."""
        return RestApi(self.http, self.address(server, f"api/{version}"), self.refused)

    def tokens(self, server: str) -> TokenEndpoint:
        """Return the token endpoint of a server."""
        return TokenEndpoint(self.http, self.address(server, "oauth/token"), self.clock)

    def refused(self, answer: Answer) -> PlatformError:
        return refused(answer, self.clock())

    async def follow(self, server: str, path: str) -> tuple[str, Answer]:
        """GET a path, following redirects to other servers. Returns the last server and its response."""
        address = self.address(server, path)
        for _ in range(_REDIRECTS_MAX):
            answer = await self.http.send(Call(method="GET", url=address))
            if answer.status not in _REDIRECTS:
                return server, answer
            address = urljoin(address, answer.headers.get("location", ""))
            server = _server_in(address)
        return server, await self.http.send(Call(method="GET", url=address))

    async def instance(self, server: str) -> Instance:
        """Return what a server says about itself, in the newest version of the API that it has."""
        answer = await self._described(server, "v2")
        if not answer.is_success and kind_of(answer) is FailureKind.INVALID:
            answer = await self._described(server, "v1")
        if not answer.is_success:
            raise self.refused(answer)
        instance = answer.read(Instance)
        if instance is None:
            raise unexpected(answer, self.http.name)
        return instance

    async def ask_time(self, name: str) -> None:
        """Make the smallest call to a server that no cache answers: without its token, it's refused."""
        address = self.rest(f"https://{name}").address("accounts/verify_credentials")
        await self.http.send(Call(method="HEAD", url=address))

    async def _described(self, server: str, version: str) -> Answer:
        return await self.http.send(Call(method="GET", url=self.rest(server, version).address("instance")))


def _server_in(address: str) -> str:
    """Return the server of a redirect. Raises PlatformError (INVALID)."""
    parts = urlsplit(address)
    return read_server(f"{parts.scheme}://{parts.netloc}")[0]
