"""Goes through the consent page of the practice platforms like a user in a browser, for the self-test.

It knows HTML forms but no platforms, and refuses to leave this computer.
"""

import urllib.parse
import urllib.request
from html.parser import HTMLParser

from app.language import tr
from app.workspace.homes.certificates import is_loopback
from app.workspace.messages import Problem

_PATIENCE_S = 10.0


class _Form(HTMLParser):
    """The first form of a page: its action and its hidden inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.action: str | None = None
        self.hidden: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "form" and self.action is None:
            self.action = found.get("action") or ""
        if tag == "input" and found.get("type") == "hidden" and (name := found.get("name")):
            self.hidden[name] = found.get("value") or ""


def allow(connect_url: str) -> None:
    """Open the consent page and press "allow", following all redirects. Blocking.

    Raises Problem for a URL outside this computer, OSError if the server doesn't respond.
    """
    page = _open(connect_url)
    form = _Form()
    form.feed(page)
    target = urllib.parse.urljoin(connect_url, form.action or "")
    _open(target, urllib.parse.urlencode({**form.hidden, "decision": "allow"}).encode())


def _open(url: str, data: bytes | None = None) -> str:
    if not is_loopback(url):
        raise Problem(tr("The self-test only connects practice accounts on this computer."))
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, data, timeout=_PATIENCE_S) as answer:
        return str(answer.read(1_000_000).decode("utf-8", "replace"))
