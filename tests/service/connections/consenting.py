"""A person who answers the consent pages of the practice platforms, as a browser without scripts would."""

from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

import httpx

from tests.service.connections.browsing import initiate, listed
from tests.service.running import Caller


class Form(HTMLParser):
    """The one form of a page: where it goes, its hidden inputs and its checkboxes."""

    def __init__(self, page: httpx.Response) -> None:
        super().__init__()
        self.action, self.page = str(page.url), page
        self.hidden: dict[str, str] = {}
        self.boxes: list[tuple[str, str]] = []
        self.feed(page.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.action = urljoin(self.action, given.get("action", ""))
        elif given.get("type") == "hidden":
            self.hidden[given["name"]] = given["value"]
        elif given.get("type") == "checkbox":
            self.boxes.append((given["name"], given["value"]))

    def send(self, browser: httpx.Client, decision: str, boxes: list[tuple[str, str]]) -> httpx.Response:
        fields: dict[str, Any] = {**self.hidden, "decision": decision}
        for name, value in boxes:
            fields.setdefault(name, []).append(value)
        return browser.post(self.action, data=fields)


def allow(person: httpx.Client, connect_url: str, decision: str = "allow") -> httpx.Response:
    """Answers the consent page with every choice that it offers; gives the page that follows."""
    page = person.get(connect_url)
    assert page.status_code == 200, page.text
    form = Form(page)
    return form.send(person, decision, form.boxes)


def connect(ines: Caller, person: httpx.Client, platform: str, account: str = "") -> dict[str, Any]:
    """Connects the first account of a platform, or the one that practice is to have under a name."""
    asked = httpx.URL(initiate(ines, platform)["connect_url"])
    page = allow(person, str(asked.copy_merge_params({"account": account} if account else {})))
    form = Form(page)
    if form.boxes:
        page = form.send(person, "connect", form.boxes[:1])
    assert "is connected." in page.text, page.text
    connected = listed(ines, platform=platform)[0]
    if platform == "tiktok":
        choose_for_account(ines, connected["id"], {"privacy": "PUBLIC_TO_EVERYONE"})
    return connected


def choose_for_account(ines: Caller, connection_id: str, choice: dict[str, Any] | None) -> None:
    """Says for a TikTok account who can see its posts; None takes that back."""
    url = f"{ines.service.base_url}/companion/v1/connections/{connection_id}/tiktok"
    answer = ines.http.put(url, json={"choice": choice})
    assert answer.status_code == 200, answer.text
