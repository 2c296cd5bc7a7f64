"""The companion's part about TikTok, in memory."""

import json
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.workspace.model_service import ModelService

CREATOR = {
    "nickname": "Okafor Studio",
    "username": "okafor",
    "privacy_levels": ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
    "comments_disabled": False,
    "duet_disabled": True,
    "stitch_disabled": False,
    "max_video_seconds": 600,
}


@dataclass
class ModelTikTok:
    """What TikTok lets accounts choose, and what was chosen for them."""

    service: ModelService
    creators: dict[str, dict[str, Any]] = field(default_factory=dict)
    choices: dict[str, dict[str, Any]] = field(default_factory=dict)
    posts: dict[str, dict[str, Any]] = field(default_factory=dict)
    undecided: list[str] = field(default_factory=list)
    inboxes: set[str] = field(default_factory=set)
    """Accounts whose posts go to their inbox."""
    fixed: set[str] = field(default_factory=set)
    """Accounts whose permissions allow nothing else than ``inboxes`` says."""
    in_inbox: list[str] = field(default_factory=list)
    is_silent: bool = False
    """Whether TikTok doesn't answer."""

    def __post_init__(self) -> None:
        self.service.offers = [*self.service.offers, "tiktok", "inbox"]
        self.service.parts.append(self.answer)

    def answer(self, request: httpx.Request) -> httpx.Response | None:
        match request.method, request.url.path.strip("/").split("/")[2:]:
            case "GET", ["connections", account, "tiktok", "creator"]:
                if self.is_silent:
                    error = {"code": "internal_error", "message": "TikTok isn't answering."}
                    return httpx.Response(500, json={"error": error, "request_id": "r"})
                return httpx.Response(200, json=self.creators.get(account, CREATOR))
            case "GET", ["connections", account, "tiktok"]:
                return self._account(account)
            case "PUT", ["connections", account, "tiktok"]:
                self._change(account, **json.loads(request.content))
                return self._account(account)
            case "GET", ["posts", post, "tiktok"]:
                return httpx.Response(200, json={"choice": self.posts.get(post)})
            case "GET", ["tiktok", "undecided"]:
                return httpx.Response(200, json={"data": self.undecided})
            case "GET", ["tiktok", "inbox"]:
                return httpx.Response(200, json={"data": self.in_inbox})
        return None

    def _account(self, account: str) -> httpx.Response:
        settings = {
            "choice": self.choices.get(account),
            "inbox": account in self.inboxes,
            "is_fixed": account in self.fixed,
        }
        return httpx.Response(200, json=settings)

    def _change(self, account: str, **wanted: Any) -> None:
        if "choice" in wanted:
            others = {key: kept for key, kept in self.choices.items() if key != account}
            self.choices = others | ({account: wanted["choice"]} if wanted["choice"] else {})
        if "inbox" in wanted:
            self.inboxes = self.inboxes - {account} | ({account} if wanted["inbox"] else set())
