"""How a client gets access to the newer platforms: one consent, one token, calls."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from tests.practice.programs import REDIRECT_URI, ledger, press

_VERIFIER = "v" * 64
_GOOGLE = "https://www.googleapis.com/auth/"


@dataclass(frozen=True)
class Door:
    """How one platform grants access.

    Attributes:
        consent: Path of the consent page.
        query: Additional query of the consent page.
        client: Name of the client ID parameter.
        exchange: Returns the response to a code.
    """

    name: str
    consent: str
    query: Mapping[str, str]
    exchange: Callable[[httpx.Client, str], httpx.Response]
    client: str = "client_id"

    def asked(self, **more: str) -> dict[str, str]:
        base = {self.client: "app", "redirect_uri": REDIRECT_URI, "response_type": "code", "state": "s"}
        return base | dict(self.query) | more

    def enter(self, client: httpx.Client, picked: int | None = None, **more: str) -> "Visitor":
        code = press(client, self.consent, self.asked(**more), picked=picked)["code"]
        answer = self.exchange(client, code)
        assert answer.status_code == 200, answer.text
        return Visitor(client, self.name, answer.json())


@dataclass(frozen=True)
class Visitor:
    """A client with a token."""

    client: httpx.Client
    platform: str
    tokens: dict[str, Any]

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens['access_token']}"}

    def get(self, path: str, **query: str | int) -> httpx.Response:
        return self.client.get(f"/{self.platform}{path}", params=query, headers=self.headers)

    def post(self, path: str, **how: Any) -> httpx.Response:
        return self.client.post(f"/{self.platform}{path}", headers=self.headers, **how)

    def published(self, account: str) -> list[dict[str, Any]]:
        return ledger(self.client, account)


def _basic(path: str) -> Callable[[httpx.Client, str], httpx.Response]:
    def exchange(client: httpx.Client, code: str) -> httpx.Response:
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT_URI}
        return client.post(path, data=form, auth=("app", "hush"))

    return exchange


def _form(path: str, name: str = "client", **more: str) -> Callable[[httpx.Client, str], httpx.Response]:
    def exchange(client: httpx.Client, code: str) -> httpx.Response:
        who = {f"{name}_id": "app", f"{name}_key": "app", f"{name}_secret": "hush"}
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT_URI}
        return client.post(path, data=who | form | more)

    return exchange


def _graph(name: str) -> Callable[[httpx.Client, str], httpx.Response]:
    def exchange(client: httpx.Client, code: str) -> httpx.Response:
        query = {"client_id": "app", "client_secret": "hush", "redirect_uri": REDIRECT_URI, "code": code}
        return client.get(f"/{name}/v25.0/oauth/access_token", params=query)

    return exchange


PINTEREST = Door(
    "pinterest",
    "/pinterest/oauth/",
    {"scope": "user_accounts:read,boards:read,boards:write,pins:read,pins:write"},
    _basic("/pinterest/v5/oauth/token"),
)
TIKTOK = Door(
    "tiktok",
    "/tiktok/v2/auth/authorize/",
    {
        "scope": "user.info.basic,video.publish,video.list",
        "code_challenge": hashlib.sha256(_VERIFIER.encode()).hexdigest(),
        "code_challenge_method": "S256",
    },
    _form("/tiktok/v2/oauth/token/", code_verifier=_VERIFIER),
    client="client_key",
)
YOUTUBE = Door(
    "youtube",
    "/youtube/o/oauth2/v2/auth",
    {"scope": f"{_GOOGLE}youtube.upload {_GOOGLE}youtube.readonly", "access_type": "offline"},
    _form("/youtube/token"),
)
FACEBOOK = Door(
    "facebook",
    "/facebook/v25.0/dialog/oauth",
    {"scope": "pages_show_list,pages_manage_posts,pages_read_engagement,read_insights"},
    _graph("facebook"),
)
INSTAGRAM = Door(
    "instagram",
    "/instagram/v25.0/dialog/oauth",
    {"scope": "instagram_basic,instagram_content_publish,pages_show_list,pages_manage_posts"},
    _graph("instagram"),
)
THREADS = Door(
    "threads", "/threads/oauth/authorize", {"scope": "threads_basic"}, _form("/threads/oauth/access_token")
)
DOORS = (PINTEREST, TIKTOK, YOUTUBE, FACEBOOK, INSTAGRAM, THREADS)
