"""A client's actions at the practice platforms: consent with the form, tokens, calls."""

import base64
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

import httpx

REDIRECT_URI = "http://127.0.0.1:9/callback?from=practice"


class ConsentForm(HTMLParser):
    """The form of a consent page, parsed like a browser without scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.forms = 0
        self.hidden: dict[str, str] = {}
        self.choices: list[str] = []
        self.buttons: list[tuple[str | None, str | None]] = []
        self.links: dict[str, str] = {}
        self.method = self.action = self._href = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "form":
            self.forms += 1
            self.method, self.action = values.get("method") or "", values.get("action") or ""
        elif tag == "input" and values["type"] == "checkbox":
            assert "checked" in values
            self.choices.append(values["name"] or "")
        elif tag == "input":
            assert values["type"] == "hidden"
            self.hidden[values["name"] or ""] = values["value"] or ""
        elif tag == "button":
            self.buttons.append((values.get("name"), values.get("value")))
        elif tag == "a":
            self._href = values["href"] or ""

    def handle_data(self, data: str) -> None:
        if self._href:
            self.links[data.strip()] = self._href
            self._href = ""


def press(
    client: httpx.Client,
    path: str,
    query: Mapping[str, str],
    decision: str = "allow",
    picked: int | None = None,
) -> dict[str, str]:
    """Open the consent page, press a button, and return the query of the redirect.

    Leaves only the checkbox at index ``picked`` checked; None leaves all.
    """
    page = client.get(path, params=dict(query))
    assert page.status_code == 200, page.text
    form = ConsentForm(page.text)
    boxes = form.choices if picked is None else [form.choices[picked]]
    answer = client.post(
        form.action, data={**form.hidden, **dict.fromkeys(boxes, "on"), "decision": decision}
    )
    assert answer.status_code == 303, answer.text
    return dict(parse_qsl(urlsplit(answer.headers["location"]).query))


@dataclass
class LinkedInProgram:
    """A client connected by a member."""

    client: httpx.Client
    tokens: dict[str, Any]
    urn: str

    PATH = "/linkedin/oauth/v2/authorization"
    SCOPE = "openid profile email w_member_social r_member_profileAnalytics"

    @classmethod
    def query(cls, **more: str) -> dict[str, str]:
        base = {"response_type": "code", "client_id": "app", "redirect_uri": REDIRECT_URI, "scope": cls.SCOPE}
        return base | {"state": "s"} | more

    @staticmethod
    def exchange(client: httpx.Client, form: Mapping[str, str]) -> httpx.Response:
        secret = {"client_id": "app", "client_secret": "hush", "redirect_uri": REDIRECT_URI}
        return client.post("/linkedin/oauth/v2/accessToken", data={**secret, **form})

    @classmethod
    def connect(cls, client: httpx.Client, **query: str) -> Self:
        code = press(client, cls.PATH, cls.query(**query))["code"]
        tokens = cls.exchange(client, {"grant_type": "authorization_code", "code": code}).json()
        bearer = {"Authorization": f"Bearer {tokens['access_token']}"}
        person = client.get("/linkedin/v2/userinfo", headers=bearer).json()
        return cls(client, tokens, f"urn:li:person:{person['sub']}")

    @property
    def headers(self) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {self.tokens['access_token']}",
            "LinkedIn-Version": "202609",
            "X-Restli-Protocol-Version": "2.0.0",
        }

    def body(self, commentary: str) -> dict[str, object]:
        return {
            "author": self.urn,
            "commentary": commentary,
            "visibility": "PUBLIC",
            "distribution": {
                "feedDistribution": "MAIN_FEED",
                "targetEntities": [],
                "thirdPartyDistributionChannels": [],
            },
            "lifecycleState": "PUBLISHED",
            "isReshareDisabledByAuthor": False,
        }

    def publish(self, text: str, **more: object) -> httpx.Response:
        return self.client.post("/linkedin/rest/posts", json=self.body(text) | more, headers=self.headers)

    def published(self) -> list[dict[str, Any]]:
        return ledger(self.client, self.urn)

    def refresh(self) -> httpx.Response:
        form = {"grant_type": "refresh_token", "refresh_token": self.tokens["refresh_token"]}
        return self.exchange(self.client, form)


@dataclass
class XProgram:
    """A public client connected by a user."""

    client: httpx.Client
    tokens: dict[str, Any]
    user_id: str

    PATH = "/x/i/oauth2/authorize"
    SCOPE = "tweet.read tweet.write users.read offline.access"

    @classmethod
    def query(cls, verifier: str, **more: str) -> dict[str, str]:
        digest = hashlib.sha256(verifier.encode()).digest()
        return {
            "response_type": "code",
            "client_id": "app",
            "redirect_uri": REDIRECT_URI,
            "scope": cls.SCOPE,
            "state": "s",
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
            **more,
        }

    @staticmethod
    def exchange(client: httpx.Client, form: Mapping[str, str]) -> httpx.Response:
        return client.post(
            "/x/2/oauth2/token", data={"client_id": "app", "redirect_uri": REDIRECT_URI, **form}
        )

    @classmethod
    def connect(cls, client: httpx.Client, **query: str) -> Self:
        verifier = secrets.token_urlsafe(48)
        code = press(client, cls.PATH, cls.query(verifier, **query))["code"]
        form = {"grant_type": "authorization_code", "code": code, "code_verifier": verifier}
        tokens = cls.exchange(client, form).json()
        program = cls(client, tokens, "")
        program.user_id = program.get("/x/2/users/me").json()["data"]["id"]
        return program

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens['access_token']}"}

    def get(self, path: str, **query: str | int) -> httpx.Response:
        return self.client.get(path, params=query, headers=self.headers)

    def publish(self, text: str, **more: object) -> httpx.Response:
        return self.client.post("/x/2/tweets", json={"text": text, **more}, headers=self.headers)

    def published(self) -> list[dict[str, Any]]:
        return ledger(self.client, self.user_id)

    def timeline(self, **query: str | int) -> httpx.Response:
        return self.get(f"/x/2/users/{self.user_id}/tweets", **query)

    def refresh(self) -> httpx.Response:
        form = {"grant_type": "refresh_token", "refresh_token": self.tokens["refresh_token"]}
        return self.exchange(self.client, form)


def ledger(client: httpx.Client, account: str) -> list[dict[str, Any]]:
    """Return an account's publications, oldest first."""
    return [entry for entry in client.get("/ledger").json()["data"] if entry["account_identifier"] == account]
