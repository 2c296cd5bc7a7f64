"""A user's actions in a browser on the practice platforms, and their faults and ledger."""

import ssl
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

import httpx

from tests.conformance.outcome import BrokenError, NotTriedError

_MOST_PAGES: Final = 5
_REDIRECTS: Final = frozenset({301, 302, 303, 307})


@dataclass(frozen=True, slots=True)
class Page:
    """Where a browser ended: the last page, or another program's URL."""

    url: str
    text: str = ""


class Practice:
    """The practice platforms at one URL, with a browser that also trusts the service."""

    def __init__(self, url: str, trust: ssl.SSLContext) -> None:
        self.url = url.rstrip("/")
        self._trust = trust

    def consent(self, connect_url: str, person: str, decision: str = "allow") -> Page:
        """Open the URL, sign in as ``person`` and press a button; return the final page.

        Raises NotTriedError if the URL doesn't lead to these platforms.
        """
        if not connect_url.startswith(f"{self.url}/"):
            raise NotTriedError("needs a service that uses the platforms of --practice-url")
        with httpx.Client(verify=self._trust, trust_env=False, timeout=20) as browser:
            page = browser.get(_with(connect_url, account=person))
            address = str(page.url)
            for _ in range(_MOST_PAGES):
                if page.status_code in _REDIRECTS:
                    address = urljoin(address, page.headers["location"])
                    if urlsplit(address).hostname not in {"127.0.0.1", "localhost"}:
                        return Page(address)
                    page = browser.get(address)
                elif found := forms(page.text):
                    form = found[0]
                    address = urljoin(address, form.action)
                    page = browser.post(address, content=urlencode(form.filled(decision)), headers=_FORM)
                else:
                    return Page(address, page.text)
        raise BrokenError("the browser flow does not end")

    def fault(self, platform: str, operation: str, kind: str, account: str, times: int = 1) -> None:
        """Make the next calls of an account fail."""
        order = {"platform": platform, "operation": operation, "kind": kind, "times": times}
        answer = httpx.post(f"{self.url}/faults", json={**order, "account": account}, trust_env=False)
        answer.raise_for_status()

    def published(self, account: str) -> list[dict[str, Any]]:
        """Return everything an account has published."""
        answer = httpx.get(f"{self.url}/ledger", trust_env=False)
        return [one for one in answer.json()["data"] if one["account_identifier"] == account]

    def tokens(self) -> list[str]:
        """Return every token ever issued."""
        found: list[str] = httpx.get(f"{self.url}/tokens", trust_env=False).json()["data"]
        return found


_FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass
class Form:
    """A form as parsed by a browser without scripts."""

    action: str
    inputs: list[tuple[str, str]] = field(default_factory=list)
    has_decision: bool = False

    def filled(self, decision: str) -> list[tuple[str, str]]:
        return [*self.inputs, *([("decision", decision)] if self.has_decision else [])]


def forms(page: str) -> list[Form]:
    """Return every form of a page, in order."""
    reader = _FormReader()
    reader.feed(page)
    return reader.forms


class _FormReader(HTMLParser):
    """Reads hidden inputs and ``decision`` buttons, checks all checkboxes, and picks first options."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(values.get("action", "")))
        elif self.forms and tag == "input" and values.get("type") in {"hidden", "checkbox"}:
            self.forms[-1].inputs.append((values["name"], values.get("value", "on")))
        elif self.forms and tag == "select":
            self._select = values["name"]
        elif self._select and tag == "option":
            self.forms[-1].inputs.append((self._select, values["value"]))
            self._select = ""
        elif self.forms and tag == "button" and values.get("name") == "decision":
            self.forms[-1].has_decision = True


def _with(url: str, **query: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=urlencode([*parse_qsl(parts.query), *query.items()])))
