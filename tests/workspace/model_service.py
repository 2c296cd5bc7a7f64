"""A service in memory behind httpx's transport, with the failures that a network and a service can have."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import httpx

from app.client import RetryPolicy, ServiceClient
from app.contract.base import format_timestamp, parse_timestamp
from app.workspace.clock import from_millis, to_millis
from tests.workspace import model_by_hand, model_media

BASE_URL = "https://service.example"
KEY = "stp_rest_" + "ab" * 32
START = to_millis(datetime(2026, 11, 21, 9, 0, tzinfo=UTC))
HOUR = 3_600_000


class HandClock:
    """Wall time that stands still until it is moved."""

    def __init__(self, now: int = START) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


@dataclass
class ModelService:
    """What the contract says of posts and connections, and which call fails how.

    ``faults`` are used up one per matching call: ``(method, kind)``. ``lose``: done, but the answer is lost.
    ``429 60``: asks to wait for a minute.
    """

    clock: Callable[[], int]
    posts: dict[UUID, dict[str, Any]] = field(default_factory=dict)
    connections: list[dict[str, Any]] = field(default_factory=list)
    keys: dict[str, tuple[str, UUID]] = field(default_factory=dict)
    effects: list[str] = field(default_factory=list)
    requests: list[httpx.Request] = field(default_factory=list)
    faults: list[tuple[str, str]] = field(default_factory=list)
    online: bool = True
    key_is_good: bool = True
    attempts: dict[UUID, list[dict[str, Any]]] | None = None
    outcome: dict[str, Any] | None = None
    sign_in_link: str | None = None
    connect_url: str = (
        "https://platform.example/authorize?state=st-1"
        "&redirect_uri=https%3A%2F%2Fservice.example%2Fcallback%2Fx"
    )
    pending: dict[UUID, dict[str, Any]] = field(default_factory=dict)
    reauthorized: list[str] = field(default_factory=list)
    """The accounts of which consent was asked for again."""
    practice: bool = True
    """Whether the companion says that the platforms are stand-ins."""
    clock_ahead_seconds: int | None = None
    """How far the service's clock is wrong, while it publishes nothing because of that."""
    serial: int = 0
    page_max: int = 100
    files: dict[str, bytes | None] = field(default_factory=dict)
    """Stored files by storage path; None while only a place is reserved."""
    boards: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Boards by account, told two to a page."""
    described: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What was told of stored files: words, and which moment stands for a video."""
    room: int = 10**12
    """Bytes that files may have in all."""
    tells_usage: bool = False
    subscription: dict[str, Any] = field(default_factory=dict)
    """What the usage says of it, where that is not that all is well."""
    offers: Sequence[str] = ()
    """What else the companion offers: ``media``."""
    web: dict[str, bytes] = field(default_factory=dict)
    """What the service finds at public addresses."""
    parts: list[Callable[[httpx.Request], httpx.Response | None]] = field(default_factory=list)
    """What else it can do: each answers, or gives None for what is not its own."""

    def client(self) -> ServiceClient:
        return ServiceClient(
            BASE_URL, KEY, transport=httpx.MockTransport(self.answer), retries=RetryPolicy(attempts=1)
        )

    def add_account(self, platform: str = "x", *, available: bool = True) -> str:
        self.serial += 1
        account = {
            "id": str(uuid4()),
            "platform": platform,
            "account_identifier": f"id-{self.serial}",
            "display_name": f"Account {self.serial}",
            "username": f"account{self.serial}",
            "avatar_url": None,
            "is_verified": None,
            "follower_count": None,
            "is_available": available,
            "token_expires_at": None,
            "created_at": format_timestamp(from_millis(self.clock() + self.serial)),
        }
        self.connections.append(account)
        return str(account["id"])

    def add_board(self, account: str, name: str, *, privacy: str = "PUBLIC") -> str:
        self.serial += 1
        board = {"id": f"board-{self.serial}", "name": name, "privacy": privacy}
        self.boards.setdefault(account, []).append(board | {"description": None, "pin_count": None})
        return board["id"]

    def add_post(self, account: str, at: int, text: str = "text", status: str = "scheduled") -> str:
        post = self._store({"social_account_id": account, "platform": "x", "description": text}, at, status)
        return str(post["id"])

    def answer(self, request: httpx.Request) -> httpx.Response:
        if not self.online:
            raise httpx.ConnectError("offline", request=request)
        self.requests.append(request)
        fault = self._fault(request.method)
        if fault == "unreachable":
            raise httpx.ConnectError("unreachable", request=request)
        if fault == "timeout":
            raise httpx.ReadTimeout("no response", request=request)
        if fault == "500":
            return _error(500, "internal_error", "broken")
        if fault and fault.startswith("429"):
            wait = float(fault.removeprefix("429") or 0.01)
            return _error(429, "rate_limited", "slower", {"retry_after_seconds": wait})
        if fault == "garbage":
            return httpx.Response(200, content=b"<html>hello</html>")
        if fault == "refuse":
            return _error(
                400, "validation_error", "no", [{"field": "x", "message": "not today", "type": "x"}]
            )
        if not self.key_is_good:
            return _error(401, "unauthorized", "no such key")
        response = self._route(request)
        if fault == "lose":
            raise httpx.ReadTimeout("the answer is lost", request=request)
        return response

    def _fault(self, method: str) -> str | None:
        for index, (of, kind) in enumerate(self.faults):
            if of == method:
                del self.faults[index]
                return kind
        return None

    def _route(self, request: httpx.Request) -> httpx.Response:
        parts = request.url.path.strip("/").split("/")
        match request.method, parts:
            case "GET", ["api", "v1", "posts"]:
                return self._list(list(self.posts.values()), request)
            case "GET", ["api", "v1", "connections"]:
                return self._list(self.connections, request)
            case "GET", ["api", "v1", "connections", connection_id]:
                found = [one for one in self.connections if one["id"] == connection_id]
                return httpx.Response(200, json=found[0]) if found else _missing()
            case "GET", ["api", "v1", "connections", connection_id, "boards"]:
                return self._list_boards(self.boards.get(connection_id, []), request)
            case "POST", ["api", "v1", "connections", "initiate"]:
                return self._initiate(json.loads(request.content))
            case "POST", ["api", "v1", "connections", connection_id, "reauth"]:
                return self._reauthorize(connection_id)
            case "POST", ["companion", "v1", "sign-in-link"] if self.sign_in_link is not None:
                expires_at = format_timestamp(from_millis(self.clock()))
                return httpx.Response(201, json={"url": self.sign_in_link, "expires_at": expires_at})
            case "POST", ["companion", "v1", "connections", "complete"] if self.outcome is not None:
                return httpx.Response(200, json=self.outcome)
            case "POST", ["api", "v1", "posts"]:
                return self._create(json.loads(request.content))
            case "POST", ["api", "v1", "posts", "bulk"]:
                return self._create_many(json.loads(request.content)["posts"])
            case method, ["api", "v1", "posts", post_id]:
                post = self.posts.get(UUID(post_id))
                return self._one(method, post, request) if post else _missing()
            case "POST", ["api", "v1", "media", "upload-url"]:
                return self._reserve(json.loads(request.content))
            case "PUT", ["upload", *path]:
                return self._upload("/".join(path), request.content)
            case method, ["api", "v1", "media", *path]:
                return model_media.answer_media(self, method, "/".join(path), request.content) or _missing()
            case "GET", ["view", *path] if content := self.files.get("/".join(path)):
                return httpx.Response(200, content=content)
            case "GET", ["api", "v1", "usage"] if self.tells_usage:
                return model_media.usage(self)
            case "GET", ["companion", "v1", "media"] if "media" in self.offers:
                return model_media.listed(self)
            case "PATCH", ["companion", "v1", "media", *path] if content := self.files.get("/".join(path)):
                self.described.setdefault("/".join(path), {}).update(json.loads(request.content))
                return httpx.Response(200, json=model_media.told(self, "/".join(path), content))
            case "GET", ["companion", "v1"] if self.attempts is not None or self.offers:
                offers = [*self.offers, *(["attempts"] if self.attempts is not None else [])]
                root = {"version": "1", "offers": offers, "practice": self.practice}
                return httpx.Response(200, json=root | {"clock_ahead_seconds": self.clock_ahead_seconds})
            case "GET", ["companion", "v1", "posts", post_id, "attempts"] if self.attempts is not None:
                return httpx.Response(200, json={"data": self.attempts.get(UUID(post_id), [])})
            case "PUT", ["companion", "v1", "posts", post_id, "outcome"] if "outcomes" in self.offers:
                return self._report(UUID(post_id), is_live=json.loads(request.content)["is_live"])
            case _, ["companion", "v1", "posts", *rest] if model_by_hand.OFFER in self.offers:
                return self._any_post(rest, request)
        answers = (answer for part in self.parts if (answer := part(request)) is not None)
        return next(answers, None) or _missing()

    def _any_post(self, parts: list[str], request: httpx.Request) -> httpx.Response:
        """Posts on any network, also while they wait for the user."""
        if not parts:
            return self._create(json.loads(request.content))
        post = self.posts.get(UUID(parts[0]))
        if post is None:
            return _missing()
        if parts[1:] == ["by-hand"]:
            return model_by_hand.switch(self, post, request)
        if parts[1:] == ["finished"]:
            return model_by_hand.report(self, post, request)
        if request.method == "PATCH" and model_by_hand.waits(post):
            post["status"] = "scheduled"
        return self._one(request.method, post, request)

    def _report(self, post_id: UUID, *, is_live: bool) -> httpx.Response:
        """Settles what was unknown of a post."""
        for attempt in (self.attempts or {}).get(post_id, []):
            attempt |= {"outcome": "published" if is_live else "refused", "platform_message": None}
        if is_live:
            self.posts[post_id] |= {"status": "posted", "posted_at": self.posts[post_id]["scheduled_at"]}
        self.effects.append(f"outcome {post_id} {is_live}")
        return httpx.Response(200, json=self.posts[post_id])

    def _list(self, items: list[dict[str, Any]], request: httpx.Request) -> httpx.Response:
        status = request.url.params.get("status")
        chosen = [item for item in items if status is None or item["status"] == status]
        return self._page(chosen, ("created_at", "id"), request, newest_first=True)

    def _page(
        self, items: list[dict[str, Any]], by: tuple[str, str], request: httpx.Request, *, newest_first: bool
    ) -> httpx.Response:
        """A page of at most ``page_max``; the cursor holds the last item's place, as of a keyset."""
        after, limit = request.url.params.get("cursor"), min(int(request.url.params["limit"]), self.page_max)

        def place(item: dict[str, Any]) -> list[str]:
            return [item[name] for name in by]

        ordered = sorted(items, key=place, reverse=newest_first)
        if after is not None:
            last = json.loads(after)
            ordered = [one for one in ordered if (place(one) < last if newest_first else place(one) > last)]
        page = ordered[:limit]
        following = json.dumps(place(page[-1])) if len(ordered) > limit else None
        return httpx.Response(200, json={"data": page, "next_cursor": following})

    def _one(self, method: str, post: dict[str, Any], request: httpx.Request) -> httpx.Response:
        if method == "PATCH":
            at = to_millis(parse_timestamp(json.loads(request.content)["scheduled_at"]))
            if post["status"] not in ("scheduled", "cancelled") or post["posted_at"]:
                return _error(400, "validation_error", f"The post is {post['status']}.")
            if at <= self.clock():
                return _error(400, "validation_error", "The time is in the past.")
            post |= {"scheduled_at": format_timestamp(from_millis(at)), "status": "scheduled"}
        if method == "DELETE":
            post["status"] = "cancelled"
            return httpx.Response(200, json={"id": post["id"], "action": "cancelled", "details": None})
        return httpx.Response(200, json=post)

    def _create(self, body: dict[str, Any]) -> httpx.Response:
        key, content = body.get("idempotency_key"), json.dumps(body, sort_keys=True)
        if key in self.keys:
            before, post_id = self.keys[key]
            same = before == content and post_id in self.posts
            return (
                httpx.Response(200, json=self.posts[post_id])
                if same
                else _error(400, "validation_error", "The key was used for something else.")
            )
        at = to_millis(parse_timestamp(body["scheduled_at"])) if "scheduled_at" in body else self.clock()
        if "scheduled_at" in body and at <= self.clock():
            return _error(400, "validation_error", "The time is in the past.")
        post = self._store(body, at, "scheduled" if "scheduled_at" in body else "queued")
        self.effects.append(body["description"])
        if key:
            self.keys[key] = (content, UUID(post["id"]))
        return httpx.Response(201, json=post)

    def _create_many(self, bodies: list[dict[str, Any]]) -> httpx.Response:
        """Each item as ``_create`` makes it; what a rejection says of its item is nobody's promise."""
        known = set(self.keys)
        answers = [self._create(body) for body in bodies]
        inserted = [
            answer.json()
            for body, answer in zip(bodies, answers, strict=True)
            if answer.is_success and body.get("idempotency_key") not in known
        ]
        rejected = [{"why": "no"} for answer in answers if not answer.is_success]
        counts = {"total": len(bodies), "inserted": len(inserted)}
        counts["duplicates"] = len(bodies) - len(inserted) - len(rejected)
        told = {"success": True, "batch_id": str(uuid4()), "rejected": rejected, "posts": inserted}
        return httpx.Response(200, json=counts | told)

    def _store(self, body: dict[str, Any], at: int, status: str) -> dict[str, Any]:
        self.serial += 1
        post = {
            "id": str(uuid4()),
            "status": status,
            "platform": body["platform"],
            "post_type": body.get("post_type", "text"),
            "title": body.get("title"),
            "description": body["description"],
            "scheduled_at": format_timestamp(from_millis(at)),
            "posted_at": None,
            "social_account_id": body["social_account_id"],
            "media_storage_path": body.get("media_storage_path", ""),
            "batch_id": None,
            "created_at": format_timestamp(from_millis(self.clock() + self.serial)),
            "by_hand": body.get("by_hand", False),
        }
        self.posts[UUID(post["id"])] = post
        return post

    def _reserve(self, body: dict[str, Any]) -> httpx.Response:
        taken = sum(len(content) for content in self.files.values() if content)
        if taken + body["size_bytes"] > self.room:
            words = "There isn't enough storage left for this file. Delete files you no longer need."
            return _error(403, "forbidden", words)
        self.serial += 1
        path = f"me/{self.serial}-{body['filename']}"
        self.files[path] = None
        answer = {
            "upload_url": f"{BASE_URL}/upload/{quote(path)}",
            "storage_path": path,
            "token": "t",
            "expires_in_seconds": 7200,
        }
        return httpx.Response(200, json=answer)

    def _upload(self, path: str, content: bytes) -> httpx.Response:
        if path not in self.files:
            return _missing()
        self.files[path] = content
        return httpx.Response(200, json={})

    @staticmethod
    def _list_boards(boards: list[dict[str, Any]], request: httpx.Request) -> httpx.Response:
        begin = int(request.url.params.get("bookmark", "0"))
        following = str(begin + 2) if len(boards) > begin + 2 else None
        return httpx.Response(200, json={"data": boards[begin : begin + 2], "bookmark": following})

    def _reauthorize(self, connection_id: str) -> httpx.Response:
        account = next((one for one in self.connections if one["id"] == connection_id), None)
        if account is None:
            return _missing()
        self.reauthorized.append(connection_id)
        url = f"https://platform.example/authorize?state=again-{len(self.reauthorized)}"
        return httpx.Response(200, json={"reauth_url": url, "account": account})

    def _initiate(self, body: dict[str, Any]) -> httpx.Response:
        connection_id = uuid4()
        self.pending[connection_id] = body
        answer = {
            "connect_url": self.connect_url,
            "state": "st-1",
            "expires_at": format_timestamp(from_millis(self.clock() + 15 * 60_000)),
            "connection_id": str(connection_id),
        }
        return httpx.Response(201, json=answer)


def attempt(
    post_id: str, outcome: str, message: str | None = None, advice: str | None = None
) -> dict[str, str | None]:
    """Return an attempt to publish a post, as the companion API tells it."""
    at = format_timestamp(from_millis(START))
    return {
        "id": str(uuid4()),
        "post_id": post_id,
        "step": "publish",
        "outcome": outcome,
        "started_at": at,
        "finished_at": at,
        "platform_code": "422",
        "platform_message": message,
        "advice": advice,
    }


def _error(status: int, code: str, message: str, details: Any = None) -> httpx.Response:
    error = {"code": code, "message": message} | ({"details": details} if details is not None else {})
    return httpx.Response(status, json={"error": error, "request_id": f"req-{status}"})


def _missing() -> httpx.Response:
    return _error(404, "not_found", "There is no such thing.")
