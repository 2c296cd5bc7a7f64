"""The consent page of the simulated user, the same for every platform."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse

from app.practice.desk import Desk
from app.practice.identities import Identity, next_account

_PAGE_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; base-uri 'none';"
        " frame-ancestors 'none'"
    ),
}
_FIELDS = (
    "response_type",
    "client_id",
    "client_key",
    "request_uri",
    "redirect_uri",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
    "access_type",
    "prompt",
)
_CHOICE = "page-"
_LONGEST_FIELD = 4000


class InvalidRequestError(Exception):
    """The authorization request is invalid. The user mustn't be redirected."""


@dataclass(frozen=True)
class Wording:
    """A platform's names for common OAuth parameters.

    Attributes:
        client: Name of the client ID parameter.
        separator: Separator of scopes.
    """

    client: str = "client_id"
    separator: str = " "


@dataclass(frozen=True)
class Choice:
    """Something the user can select on the consent page."""

    id: str
    name: str


@dataclass(frozen=True)
class AuthorizationRequest:
    """An authorization request, from the query or the hidden inputs.

    Attributes:
        chosen: IDs of the user's selection, if the page offers one.
    """

    fields: Mapping[str, str]
    identity: Identity
    wording: Wording
    chosen: frozenset[str]

    @classmethod
    def read(cls, platform: str, wording: Wording, values: Mapping[str, str]) -> Self:
        """Parse a request and check what all platforms require.

        Raises:
            InvalidRequestError: A parameter is missing, too long or malformed.
        """
        fields = {name: values[name] for name in _FIELDS if values.get(name)}
        if any(len(value) > _LONGEST_FIELD for value in fields.values()):
            raise InvalidRequestError("A parameter is too long.")
        if fields.get("response_type") != "code":
            raise InvalidRequestError("response_type must be code.")
        for name in (wording.client, "redirect_uri", "scope"):
            if not fields.get(name, "").strip():
                raise InvalidRequestError(f"{name} is missing.")
        _check_redirect(fields["redirect_uri"])
        try:
            identity = Identity.of(platform, values.get("account", ""))
        except ValueError as error:
            raise InvalidRequestError(str(error)) from error
        chosen = frozenset(name.removeprefix(_CHOICE) for name in values if name.startswith(_CHOICE))
        return cls(fields, identity, wording, chosen)

    def __getitem__(self, name: str) -> str:
        return self.fields.get(name, "")

    @property
    def scope(self) -> frozenset[str]:
        parts = self["scope"].split(None if self.wording.separator == " " else self.wording.separator)
        return frozenset(filter(None, map(str.strip, parts)))

    @property
    def client(self) -> str:
        """The client ID."""
        return self[self.wording.client]

    @property
    def destination(self) -> str:
        """The part of the redirect URI that tells users where the browser goes."""
        return urlsplit(self["redirect_uri"]).netloc

    def other_account(self) -> str:
        """Relative link to the same request for the next built-in account."""
        return "?" + urlencode({**self.fields, "account": next_account(self.identity.account)})

    def back(self, **answer: str) -> RedirectResponse:
        """Redirect the browser to the client with the response and its state."""
        parts = urlsplit(self["redirect_uri"])
        state = {"state": self["state"]} if self["state"] else {}
        query = urlencode([*parse_qsl(parts.query, keep_blank_values=True), *{**answer, **state}.items()])
        return RedirectResponse(urlunsplit(parts._replace(query=query)), 303, _PAGE_HEADERS)


def consent_page(
    desk: Desk,
    request: Request,
    title: str,
    asked: AuthorizationRequest,
    scopes: Mapping[str, str],
    choices: Sequence[Choice] = (),
) -> HTMLResponse:
    """Return the form with two buttons.

    Args:
        desk: Provides the templates.
        request: The request for the page.
        title: Display name of the platform.
        asked: The authorization request.
        scopes: The platform's scopes, each with a sentence for users.
        choices: Options for the user, each with a checkbox.
    """
    context = {
        "title": title,
        "asked": asked,
        "person": asked.identity,
        "hidden": {**asked.fields, "account": asked.identity.account},
        "choices": {_CHOICE + choice.id: choice.name for choice in choices},
        "wishes": [scopes[name] for name in scopes if name in asked.scope],
    }
    return page(desk, request, "consent.html", context)


def problem_page(desk: Desk, request: Request, title: str, sentence: str) -> HTMLResponse:
    """Return a page with status 400: the request was invalid, and nothing was allowed."""
    return page(desk, request, "problem.html", {"title": title, "sentence": sentence}, 400)


def page(
    desk: Desk, request: Request, name: str, context: dict[str, object], status: int = 200
) -> HTMLResponse:
    """Return an HTML page with the common headers."""
    return desk.templates.TemplateResponse(request, name, context, status, _PAGE_HEADERS)


def decision(values: Mapping[str, str]) -> bool:
    """Return whether the user pressed the button that allows access.

    Raises:
        InvalidRequestError: Neither button was pressed.
    """
    if values.get("decision") not in {"allow", "deny"}:
        raise InvalidRequestError("decision must be allow or deny.")
    return values["decision"] == "allow"


async def read_form(request: Request) -> dict[str, str]:
    """Return the text fields of the form. None of our forms contains files."""
    async with request.form(max_files=0) as form:
        return {name: value for name, value in form.items() if isinstance(value, str)}


def _check_redirect(address: str) -> None:
    try:
        parts = urlsplit(address)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None
    except ValueError:
        usable = False
    if not usable or parts.fragment:
        raise InvalidRequestError("redirect_uri must be an absolute http or https address without fragment.")
