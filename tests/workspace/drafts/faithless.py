"""A service that loses or changes posts, and readers of what a workspace then shows."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened

LOST_ONE = "The service no longer has a post you scheduled here. Its text was saved to Drafts."
CHANGED_ONE = "The service changed a post you scheduled here. Your version was saved to Drafts."


@dataclass
class Faithless(ModelService):
    """Answers of creating, and of lists, can be falsified."""

    answers: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    tells: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    listed_none: bool = False
    missing: set[str] = field(default_factory=set)
    during_post: Callable[[], object] | None = None
    """Called once, while the next POST is under way."""

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST" and self.during_post is not None:
            during, self.during_post = self.during_post, None
            during()
        return super().answer(request)

    def _route(self, request: httpx.Request) -> httpx.Response:
        parts = request.url.path.strip("/").split("/")
        if parts[-1] in self.missing:
            return httpx.Response(
                404, json={"error": {"code": "not_found", "message": "no"}, "request_id": "r"}
            )
        response = super()._route(request)
        is_posts = parts[2:3] == ["posts"] and response.is_success
        if is_posts and request.method == "POST" and len(parts) == 3 and self.answers:
            return httpx.Response(response.status_code, json=self.answers(response.json()))
        if is_posts and request.method == "GET" and len(parts) == 3:
            page = response.json()
            data = [] if self.listed_none else [one for one in page["data"] if one["id"] not in self.missing]
            page["data"] = [self.tells(one) if self.tells else one for one in data]
            return httpx.Response(200, json=page | ({"next_cursor": None} if self.listed_none else {}))
        return response


def texts(workspace: Opened) -> list[str]:
    return sorted(draft.content.text for draft in workspace.drafts.all())


def said(workspace: Opened) -> list[str]:
    return [message.text for message in workspace.said]
