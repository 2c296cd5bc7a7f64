"""A service behind a reverse proxy that answers some calls itself."""

from dataclasses import dataclass, field

import httpx

from tests.workspace.model_service import ModelService

PAGE = b"<html><h1>404 Not Found</h1><hr>nginx</html>"


@dataclass
class BehindProxy(ModelService):
    """Each of ``pages`` answers one call of a method, to a path with this part, with an error page."""

    pages: list[tuple[str, str]] = field(default_factory=list)
    status: int = 404

    def answer(self, request: httpx.Request) -> httpx.Response:
        for page in self.pages:
            if request.method == page[0] and page[1] in request.url.path:
                self.pages.remove(page)
                self.requests.append(request)
                return httpx.Response(self.status, content=PAGE, headers={"Content-Type": "text/html"})
        return super().answer(request)
