"""Companion networks of the service in memory: a service of their own, at the addresses of places."""

import json
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import httpx

from app.contract.base import format_timestamp
from app.workspace.clock import from_millis
from tests.workspace.model_by_hand import report, waits
from tests.workspace.model_service import ModelService

_PREFIX = "/companion/v1/places"


@dataclass
class ModelPlaces(ModelService):
    """A service for accounts and posts on Bluesky, and for posts that are published by hand."""

    page_max: int = 5
    asked: list[str] = field(default_factory=list)
    refusal: tuple[str, str] | None = None
    """Field and type of what is wrong with every sign-in."""
    status: int = 400
    """Of every refusal."""
    limits: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What an account's server takes, by the account's key."""

    def answer(self, request: httpx.Request) -> httpx.Response:
        match request.method, request.url.path.strip("/").split("/"):
            case "POST", ["api", "v1", "connections"]:
                return self._sign_in(json.loads(request.content))
            case "POST", ["api", "v1", "connections", "initiate"]:
                return self._initiate_at(json.loads(request.content))
            case "GET", ["api", "v1", "connections", account, "limits"]:
                read_at = format_timestamp(from_millis(self.clock()))
                return httpx.Response(200, json={**self.limits.get(account, {}), "read_at": read_at})
            case "DELETE", ["api", "v1", "connections", account]:
                return self._disconnect(account)
        return super().answer(request)

    def _initiate_at(self, body: dict[str, Any]) -> httpx.Response:
        self.effects.append(f"ask {body['server']}")
        return self._initiate(body) if self.refusal is None else self._refused(*self.refusal)

    def arrive(self, username: str, again: str | None = None, platform: str = "mastodon") -> str:
        """What the service has after the user allowed access; gives the key of the account."""
        if again is None:
            self.add_account(platform)
            self.connections[-1] |= {"id": str(next(reversed(self.pending))), "username": username}
            return str(self.connections[-1]["id"])
        (known,) = [one for one in self.connections if one["id"] == again]
        known["is_available"] = True
        return again

    def _refused(self, field_: str, kind: str) -> httpx.Response:
        details = {"errors": [{"field": field_, "message": "was refused", "type": kind}]}
        code = "internal_error" if self.status >= 500 else "validation_error"
        error = {"code": code, "message": "Refused.", "details": details}
        return httpx.Response(self.status, json={"error": error, "request_id": "req-1"})

    def _sign_in(self, body: dict[str, Any]) -> httpx.Response:
        self.effects.append(f"sign in {body['handle']} {body['app_password']}")
        if self.refusal is not None:
            return self._refused(*self.refusal)
        named = body["handle"], f"did:plc:{body['handle']}"
        known = [one for one in self.connections if {one["account_identifier"], one["username"]} & set(named)]
        if not known:
            self.add_account(body["platform"])
            self.connections[-1] |= {"username": body["handle"], "display_name": "Maya Okafor"}
            self.connections[-1]["account_identifier"] = f"did:plc:{body['handle']}"
            known = self.connections[-1:]
        known[0]["is_available"] = True
        return httpx.Response(201, json=known[0])

    def _disconnect(self, account: str) -> httpx.Response:
        (found,) = [one for one in self.connections if one["id"] == account]
        found["is_available"] = False
        self.effects.append(f"disconnect {account}")
        if all(post["social_account_id"] != account for post in self.posts.values()):
            self.connections.remove(found)
        return httpx.Response(200, json=found)

    def _store(self, body: dict[str, Any], at: int, status: str) -> dict[str, Any]:
        post = super()._store(body, at, status)
        post["options"] = body.get("options")
        return post

    def add_bluesky_post(self, account: str, at: int, text: str) -> str:
        body = {"social_account_id": account, "platform": "bluesky", "description": text}
        return str(self._store(body, at, "scheduled")["id"])

    def add_post_by_hand(
        self,
        account: str,
        at: int,
        text: str,
        status: str = "processing",
        *,
        media: str = "",
        title: str = "",
    ) -> str:
        """Add a post to X; due ones wait for the user."""
        body = {"social_account_id": account, "platform": "x-by-hand", "description": text}
        kind = {"media_storage_path": media, "post_type": "image"} if media else {}
        return str(self._store(body | kind | {"title": title or None}, at, status)["id"])

    def _route(self, request: httpx.Request) -> httpx.Response:
        match request.method, request.url.path.strip("/").split("/")[2:]:
            case _, ["posts", post_id, "finished"]:
                return report(self, self.posts[UUID(post_id)], request)
        return super()._route(request)

    def _one(self, method: str, post: dict[str, Any], request: httpx.Request) -> httpx.Response:
        if method == "PATCH" and waits(post):
            post["status"] = "scheduled"
        return super()._one(method, post, request)


def keep_places(service: ModelService, *, servers: bool = False, handles: bool = False) -> ModelPlaces:
    """Has a service offer places, networks of many servers, and the browser for handles; gives them."""
    places = ModelPlaces(service.clock)

    def answer(request: httpx.Request) -> httpx.Response | None:
        path = request.url.path
        if not path.startswith(_PREFIX):
            return None
        places.asked.append(path)
        inside = path.removeprefix(_PREFIX)
        if not inside.startswith(("/posts", "/content-history", "/analytics")):
            inside = f"/connections{inside}"
        moved = httpx.Request(
            request.method,
            request.url.copy_with(path=f"/api/v1{inside}"),
            headers=request.headers,
            content=request.content,
        )
        return places.answer(moved)

    service.parts.append(answer)
    more = [name for name, given in {"servers": servers, "handles": handles}.items() if given]
    service.offers = [*service.offers, "places", "finishing", *more]
    return places
