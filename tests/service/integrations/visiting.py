"""A browser without a screen: it keeps cookies, fills in the forms that pages hold, and says where it is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final
from uuid import UUID

import httpx

from app.service.accounts.sessions import create_link, set_password
from tests.service.running import Caller, RunningService

PASSWORD: Final = "correct horse battery staple"
_VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})

Attributes = dict[str, str]


@dataclass
class Form:
    """A form of a page, with what its fields hold."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)


class Read(HTMLParser):
    """A page, read strictly: every element is closed where it must be."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, Attributes]] = []
        self.forms: list[Form] = []
        self.words: list[str] = []
        self.titles: list[str] = []
        self._open: list[str] = []
        self._select: str | None = None
        assert text.startswith("<!doctype html>")
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (tag, names)
        given = {name: value or "" for name, value in attrs}
        self.elements.append((tag, given))
        if tag not in _VOID:
            self._open.append(tag)
        match tag:
            case "form":
                assert given["method"] == "post"
                self.forms.append(Form(given["action"]))
            case "input":
                self.forms[-1].fields[given["name"]] = given.get("value", "")
            case "select":
                self._select = given["name"]
            case "option" if self._select is not None:
                self.forms[-1].fields.setdefault(self._select, given["value"])

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "h1":
            self.titles.append(data.strip())
        self.words.append(data)

    @property
    def text(self) -> str:
        """What a person reads, with single spaces."""
        return " ".join("".join(self.words).split())

    def attributes(self, *tags: str) -> list[Attributes]:
        """Those of every element with one of the names."""
        return [given for tag, given in self.elements if tag in tags]


class Visitor:
    """A browser of one person at one service. Redirects are followed where a test says so."""

    def __init__(self, service: RunningService) -> None:
        self.service = service
        self.http = httpx.Client(base_url=service.base_url, verify=service.trust, trust_env=False)
        self.at = httpx.Response(204)

    def open(self, path: str = "/integrations") -> Read:
        """A page, after redirects; it must be there."""
        self.at = self.http.get(path, follow_redirects=True)
        assert self.at.status_code == 200, self.at.text
        return self.page

    @property
    def page(self) -> Read:
        """Where the browser is."""
        return Read(self.at.text)

    def form(self, ending: str) -> Form:
        """The form on this page whose action ends so."""
        return next(form for form in self.page.forms if form.action.endswith(ending))

    def send(self, ending: str, **fields: str) -> httpx.Response:
        """Sends the form on this page whose action ends so, as a browser does; follows no redirect."""
        form = self.form(ending)
        self.at = self.post(form.action, form.fields | fields)
        return self.at

    def post(
        self, path: str, fields: dict[str, str], headers: dict[str, str] | None = None
    ) -> httpx.Response:
        """What a browser posts from a page of the service's own; ``headers`` say otherwise."""
        own = {"Origin": self.service.base_url, "Sec-Fetch-Site": "same-origin"}
        sent = {name: value for name, value in {**own, **(headers or {})}.items() if value}
        return self.http.post(path, data=fields, headers=sent)

    def sign_in(self, account_id: UUID) -> None:
        """Signs in with a link."""
        self.at = self.http.get(new_link(self.service, account_id))
        assert self.send("/sign-in/link").status_code == 303
        self.open()

    def try_password(self, login: str, password: str = PASSWORD) -> httpx.Response:
        self.at = self.http.get("/integrations/sign-in")
        return self.send("/sign-in/password", login=login, password=password)

    def is_signed_in(self) -> bool:
        return self.http.get("/integrations").status_code == 200

    @property
    def session(self) -> str | None:
        return self.http.cookies.get("__Host-kalends-session")


@contextmanager
def visiting(service: RunningService) -> Iterator[Callable[[], Visitor]]:
    """Makes browsers, and closes them in the end."""
    visitors: list[Visitor] = []

    def make() -> Visitor:
        visitors.append(Visitor(service))
        return visitors[-1]

    yield make
    for visitor in visitors:
        visitor.http.close()


def new_link(service: RunningService, account_id: UUID) -> str:
    """A one-time link, as the command line makes it."""
    now, base_url = service.clock(), service.base_url
    return service.database.write_now(lambda rows: create_link(rows, account_id, base_url, now)).url


def give_password(caller: Caller, password: str = PASSWORD) -> str:
    """Lets an account sign in with a password; gives the login name, which is its id."""
    service, login = caller.service, str(caller.account_id)
    now = service.clock()
    return service.database.write_now(
        lambda rows: set_password(rows, caller.account_id, password, now, login=login)
    )
