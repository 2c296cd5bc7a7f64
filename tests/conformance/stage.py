"""A rule's environment: clients, connected accounts, posts, files, inboxes."""

import re
import secrets
import shlex
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import httpx

from tests.conformance.files import mp4, png
from tests.conformance.outcome import BrokenError, NotTriedError, expect
from tests.conformance.practice import Practice
from tests.conformance.receiver import Inbox, Reply
from tests.conformance.shared import Shared
from tests.conformance.wire import Client

T = TypeVar("T")
Fields = dict[str, Any]

ALL_EVENTS: Final = (
    "post.scheduled",
    "post.published",
    "post.failed",
    "connection.connected",
    "connection.expired",
)
TEXT_PLATFORMS: Final = ("linkedin", "x", "facebook")
_LOOK_EVERY_S: Final = 0.15


class Stage:
    """A rule's view of shared objects. Removes everything it creates at the end."""

    def __init__(self, shared: Shared, key: str = "main") -> None:
        """``key`` is the name of the key under test."""
        self.shared = shared
        self.target = shared.target
        self.key = key
        self._clean_up = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._clean_up.close()

    # Clients

    @property
    def api(self) -> Client:
        """The service, with the key under test."""
        return self.shared.client(self.key)

    def client(self, key: str) -> Client:
        """Return the service with another key. Raises NotTriedError if the command didn't get it."""
        return self.shared.client(key)

    # Connected accounts

    @property
    def practice(self) -> Practice:
        if self.target.practice_url is None:
            raise NotTriedError("needs --practice-url: practice platforms behind the service")
        return Practice(self.target.practice_url, self.target.trusted["main"])

    def connection(self, *platforms: str) -> Fields:
        """Return a shared available account on one of these platforms; by default one for text."""
        wanted = platforms or TEXT_PLATFORMS
        return self.shared.once(f"connection {self.key} {wanted}", lambda: self._available(wanted))

    def fresh_connection(self, platform: str = "linkedin") -> Fields:
        """Connect a new account of a new user through the practice platforms, for this rule only."""
        started = self.api.post("/connections/initiate", {"platform": platform}).given()
        end = self.practice.consent(started["connect_url"], person())
        connected = self.api.get(f"/connections/{started['connection_id']}")
        shown = " ".join(re.sub(r"<style.*?</style>|<[^>]+>", " ", end.text, flags=re.DOTALL).split())
        expect(connected.status != 404, f"no account after the consent; the browser shows: {shown[:200]}")
        found: Fields = connected.given()
        return found

    def collect(self) -> None:
        """Make the service collect metrics of published content."""
        if self.target.collect is None:
            raise NotTriedError("needs --collect: a command that makes the service sample metrics now")
        subprocess.run(shlex.split(self.target.collect), check=True, stdout=subprocess.DEVNULL, timeout=60)

    def expired_connection(self, platform: str) -> Fields:
        """Return an account whose token was revoked by the platform, as the service knows."""
        account = self.fresh_connection(platform)
        self.end_tokens(account)
        return self.connection_now(account["id"])

    def end_tokens(self, account: Fields) -> None:
        """Revoke an account's tokens at the platform, and wait until the service has noticed."""
        platform = account["platform"]
        self.practice.fault(platform, "token", "expired_token", account["account_identifier"])
        if platform == "pinterest":
            self.api.get(f"/connections/{account['id']}/boards")
        else:
            self.post(self.text_post(account, scheduled_at=None))
        self.wait_for(
            f"a {platform} account whose token died to be unavailable",
            lambda: self.connection_now(account["id"]),
            lambda now: not now["is_available"],
        )

    def connection_now(self, connection_id: str) -> Fields:
        found: Fields = self.api.get(f"/connections/{connection_id}").given()
        return found

    def _available(self, wanted: Sequence[str]) -> Fields:
        listed = self.api.get("/connections", limit=100).given()["data"]
        for name in wanted:
            if found := [one for one in listed if one["platform"] == name]:
                account: Fields = found[-1]
                return account
        if self.target.practice_url is None:
            raise NotTriedError(f"needs a connected account on {' or '.join(wanted)}, or --practice-url")
        return self.fresh_connection(wanted[0])

    # Posts

    def text_post(self, account: Fields | None = None, **changes: Any) -> Fields:
        """Return a valid create body with changes; None removes ``scheduled_at`` and ``title``."""
        account = account or self.connection()
        body = {
            "social_account_id": account["id"],
            "platform": account["platform"],
            "post_type": "text",
            "description": f"Conformance {secrets.token_hex(6)}",
            "scheduled_at": in_future(),
            **changes,
        }
        gone = {name for name in ("scheduled_at", "title") if name in body and body[name] is None}
        return {name: value for name, value in body.items() if name not in gone}

    def post(self, body: Fields) -> Fields:
        """Create a post, which must be accepted. It's removed after the rule."""
        created: Fields = self.api.post("/posts", body).given()
        self.remove_later(created["id"])
        return created

    def planned(self, **changes: Any) -> Fields:
        """Create a text post in the future."""
        return self.post(self.text_post(**changes))

    def published(self, account: Fields | None = None, **changes: Any) -> Fields:
        """Publish a post immediately, and wait until it's published."""
        created = self.post(self.text_post(account, scheduled_at=None, **changes))
        return self.ended(created["id"], "posted")

    def failed(self) -> Fields:
        """Return a post that a platform has permanently refused."""
        account = self.fresh_connection()
        self.practice.fault(account["platform"], "publish", "reject", account["account_identifier"])
        created = self.post(self.text_post(account, scheduled_at=None))
        return self.ended(created["id"], "failed")

    def ended(self, post_id: str, status: str) -> Fields:
        """Wait until a post has ended. Raises BrokenError if it has another status."""
        post: Fields = self.wait_for(
            f"post to be {status}",
            lambda: self.api.get(f"/posts/{post_id}").given(),
            lambda now: now["status"] in {"posted", "failed", "cancelled"},
        )
        expect(post["status"] == status, f"the post ended as {post['status']}, expected {status}")
        return post

    def remove_later(self, post_id: str) -> None:
        self._clean_up.callback(self.api.delete, f"/posts/{post_id}", hard=True)

    # Files

    def upload(self, content: bytes, content_type: str, filename: str, key: str | None = None) -> str:
        """Store a file as specified, and return its storage path."""
        api = self.client(key) if key else self.api
        body = {"filename": filename, "content_type": content_type, "size_bytes": len(content)}
        given = api.post("/media/upload-url", body).given()
        answer = self.put(given["upload_url"], content, content_type)
        expect(answer.is_success, f"PUT to the upload_url answers {answer.status_code}: {answer.text[:200]}")
        path: str = given["storage_path"]
        self._clean_up.callback(api.delete, f"/media/{path}")
        return path

    def put(self, url: str, content: bytes, content_type: str) -> httpx.Response:
        return httpx.put(
            url,
            content=content,
            headers={"Content-Type": content_type},
            verify=self.target.trusted["main"],
            trust_env=False,
            timeout=30,
        )

    def fetch(self, url: str) -> httpx.Response:
        """Return the response to a browser without a key."""
        return httpx.get(url, verify=self.target.trusted["main"], trust_env=False, timeout=30)

    def picture(self, key: str | None = None) -> str:
        return self.upload(png(), "image/png", "grey.png", key)

    def video(self) -> str:
        return self.upload(mp4(), "video/mp4", "grey.mp4")

    # Webhooks

    def inbox(self, *replies: Reply, name: str = "hook") -> Inbox:
        """Return a URL that the service can reach. Raises NotTriedError if it can't."""
        self.shared.once(f"reachable {self.key}", self._prove_reachable)
        return self.shared.receiver().inbox(*replies, name=name)

    def subscribe(self, inbox: Inbox, *events: str) -> Fields:
        """Subscribe an inbox, by default to a rare event, and return the create response."""
        body = {"url": inbox.url, "events": list(events or ("connection.expired",))}
        created: Fields = self.api.post("/webhooks", body).given()
        self._clean_up.callback(self.api.delete, f"/webhooks/{created['id']}")
        return created

    def _prove_reachable(self) -> None:
        inbox = self.shared.receiver().inbox()
        body = {"url": inbox.url, "events": ["post.failed"]}
        created = self.api.post("/webhooks", body)
        reason = (
            "needs a service that can reach the suite's receiver: make an authority with --make-receiver-ca,"
            " let the service trust it and reach loopback, and give it as --receiver-ca"
        )
        if created.status == 400:
            raise NotTriedError(reason)
        subscription = created.given()["id"]
        try:
            tested = self.api.post(f"/webhooks/{subscription}/test").given()
        finally:
            self.api.delete(f"/webhooks/{subscription}")
        if not inbox.arrived:
            raise NotTriedError(f"{reason} ({tested.get('error_message')})")

    # Waiting

    def wait_for(self, what: str, look: Callable[[], T], good: Callable[[T], Any]) -> T:
        """Poll until the result is good. Raises BrokenError on timeout."""
        until = time.monotonic() + self.target.patience_s
        while True:
            found = look()
            if good(found):
                return found
            if time.monotonic() > until:
                raise BrokenError(f"waited in vain for {what}: {str(found)[:300]}")
            time.sleep(_LOOK_EVERY_S)


def in_future(**ahead: float) -> str:
    """Return a future time as ISO 8601 with offset, by default in two days."""
    return (datetime.now(UTC) + timedelta(**(ahead or {"days": 2}))).isoformat(timespec="milliseconds")


def person() -> str:
    """Return a unique user name for the practice platforms."""
    return f"person-{secrets.token_hex(6)}"
