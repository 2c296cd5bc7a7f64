"""The integrations page for an account's owner: keys, and accounts on Threads."""

import html
import json
import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urljoin

import httpx

from tests.conformance.outcome import NotTriedError, expect, same
from tests.conformance.practice import forms
from tests.conformance.register import rule
from tests.conformance.rules.authentication import KEY, all_refused
from tests.conformance.shapes import CONNECTION, check_page, check_shape
from tests.conformance.stage import Fields, Stage, person
from tests.conformance.wire import Client

SECTION = "Authentication"
_LIFETIMES_S = (5, 20, 50)
"""For a key that expires, one after the other until one of them could be used."""


class Owner:
    """The account's owner, signed in on the page with a separate browser."""

    def __init__(self, stage: Stage, browser: httpx.Client) -> None:
        self._url = f"{stage.target.base_url}/integrations"
        self._browser = browser
        made = stage.api.send("POST", "/sign-in-link", prefix="/companion/v1")
        if made.status == 404:
            raise NotTriedError("needs a service whose companion interface lets a program sign its owner in")
        page = browser.get(made.given()["url"])
        self._press(page, "sign-in")

    def create_key(self, name: str) -> str:
        """Create a key and return it from the page."""
        page = self._press(self._browser.get(self._url), "/keys", name=name)
        shown = KEY.search(html.unescape(page.text))
        expect(shown, "the page shows no new key")
        return shown[0] if shown else ""

    def sees(self, text: str) -> bool:
        return text in self._browser.get(self._url).text

    def revoke(self, name: str) -> None:
        page = self._browser.get(self._url).text
        place = page.index(name)
        found = re.search(r'href="([^"]+/revoke)"', page[place:])
        expect(found, f"the page offers no way to revoke {name}")
        confirm = self._browser.get(urljoin(self._url, found[1] if found else ""))
        self._press(confirm, "/revoke")

    def connect_threads(self) -> str:
        """Return where the page sends the browser for consent."""
        page = self._press(self._browser.get(self._url), "/accounts/threads")
        links = [html.unescape(link) for link in re.findall(r'href="(https?://[^"]+)"', page.text)]
        expect(links, "the page leads nowhere")
        return links[0]

    def _press(self, page: httpx.Response, action: str, **typed: str) -> httpx.Response:
        same(page.status_code, 200, "the status of a page for the owner")
        form = next((one for one in forms(page.text) if action in one.action), None)
        if form is None:
            raise NotTriedError(f"the page has no form for {action}")
        done = self._browser.post(
            urljoin(str(page.url), form.action),
            data={**dict(form.inputs), **typed},
            headers={"Origin": self._url.removesuffix("/integrations")},
        )
        same(done.status_code, 200, f"the status after the form for {action}")
        return done


def browser(stage: Stage) -> httpx.Client:
    trust = stage.target.trusted["main"]
    return httpx.Client(verify=trust, trust_env=False, follow_redirects=True, timeout=30)


def usable(stage: Stage, key: str) -> Client:
    return Client(stage.target.base_url, key, stage.target.trusted["main"])


@rule(
    SECTION,
    "API keys are created by the user in the web application integrations page",
    "A key is shown once at creation",
    "revocation is instant via the integrations page",
    "Key properties: scope api:full",
)
def a_key_is_made_on_the_page_shown_once_and_ends_when_it_is_revoked(stage: Stage) -> None:
    with browser(stage) as window:
        owner = Owner(stage, window)
        key = owner.create_key("Conformance suite")
        expect(not owner.sees(key), "the key is shown again")
        with usable(stage, key) as client:
            client.get("/usage").given()
            client.get("/posts").given()
            owner.revoke("Conformance suite")
            client.get("/usage").refused("unauthorized")
            all_refused(client, "unauthorized")


@rule(SECTION, "revocation is instant via the integrations page", "expiry optional, set at creation")
def a_key_made_by_the_companion_ends_when_it_expires_or_is_revoked(stage: Stage) -> None:
    made = create_by_companion(stage, name="Short")
    with usable(stage, made["key"]) as client:
        client.get("/usage").given()
        stage.api.send("DELETE", f"/keys/{made['id']}", prefix="/companion/v1").given()
        client.get("/usage").refused("unauthorized")
    expect(any(works_until_it_expires(stage, seconds) for seconds in _LIFETIMES_S), "no key ever worked")


def works_until_it_expires(stage: Stage, seconds: float) -> bool:
    """Wait until a key expires; False if that was before its first call, as on a very busy computer."""
    until = datetime.now(UTC) + timedelta(seconds=seconds)
    made = create_by_companion(stage, name="Shorter", expires_at=until.isoformat())
    with usable(stage, made["key"]) as client:
        first = client.get("/usage")
        if first.status == 401 and datetime.now(UTC) >= until:
            return False
        first.given()
        stage.wait_for("a key to expire", lambda: client.get("/usage").status, lambda now: now == 401)
    return True


def create_by_companion(stage: Stage, **fields: str) -> Fields:
    """Create a key; return it with its ID."""
    content = json.dumps(fields).encode()
    made = stage.api.send("POST", "/keys", content=content, prefix="/companion/v1")
    if made.status == 404:
        raise NotTriedError("needs a service with a companion interface for keys")
    key: Fields = made.given()
    return key


@rule("What the service does", "Connected accounts may also be on threads")
def an_account_on_threads_is_listed_but_takes_no_posts(stage: Stage) -> None:
    with browser(stage) as window:
        consent_url = Owner(stage, window).connect_threads()
    before = {one["id"] for one in threads(stage)}
    stage.practice.consent(consent_url, person())
    found = [one for one in threads(stage) if one["id"] not in before]
    same(len(found), 1, "the number of new accounts on threads")
    check_shape(CONNECTION, found[0])
    body = stage.text_post(found[0], platform="linkedin")
    stage.api.post("/posts", body).names("platform")


def threads(stage: Stage) -> list[Fields]:
    """Return the accounts on Threads."""
    return check_page(CONNECTION, stage.api.get("/connections", platform="threads", limit=100).given())
