"""Every page: guarded, valid, without scripts, and readable by whoever does not see it."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

import app.service.integrations as room
from app.desktop.theme.tokens import DARK, LIGHT, Tokens, contrast
from tests.service.integrations.visiting import Read, Visitor, give_password, new_link
from tests.service.running import Caller, run_service
from tests.service.test_companion_keys import make
from tests.service.test_envelope import envelope

STYLE: Final = (Path(room.__file__).parent / "static" / "style.css").read_text("utf-8")
HEADERS: Final = {
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
}


def sign_in(visitor: Visitor, caller: Caller) -> None:
    give_password(caller)
    visitor.open("/integrations/sign-in")


def wrong_password(visitor: Visitor, caller: Caller) -> None:
    visitor.try_password(give_password(caller), "wrong")


def link(visitor: Visitor, caller: Caller) -> None:
    visitor.open(new_link(caller.service, caller.account_id))


def overview(visitor: Visitor, caller: Caller) -> None:
    visitor.sign_in(caller.account_id)
    made = make(caller, name="Ended")
    caller.http.delete(f"{caller.service.base_url}/companion/v1/keys/{made['id']}")
    caller.connect("threads", username="robin")
    caller.connect("x", is_available=False)
    caller.connect("linkedin", display_name=None)
    visitor.open()


def wrong_name(visitor: Visitor, caller: Caller) -> None:
    visitor.sign_in(caller.account_id)
    visitor.send("/keys", name=" ")


def created(visitor: Visitor, caller: Caller) -> None:
    visitor.sign_in(caller.account_id)
    visitor.send("/keys", name="Zapier", expires="30")


def revocation(visitor: Visitor, caller: Caller) -> None:
    visitor.sign_in(caller.account_id)
    visitor.open(f"/integrations/keys/{make(caller)['id']}/revoke")


def back(visitor: Visitor, _caller: Caller) -> None:
    visitor.open("/integrations/accounts/back?status=connected")


def nowhere(visitor: Visitor, _caller: Caller) -> None:
    visitor.at = visitor.http.get("/integrations/nowhere")


WAYS = [sign_in, wrong_password, link, overview, wrong_name, created, revocation, back, nowhere]


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def shown(request: pytest.FixtureRequest, visitor: Visitor, caller: Caller) -> Visitor:
    """A browser at one of the pages."""
    request.param(visitor, caller)
    return visitor


def test_a_page_is_guarded(shown: Visitor) -> None:
    assert HEADERS.items() <= dict(shown.at.headers).items()
    policy = dict(
        part.strip().partition(" ")[::2] for part in shown.at.headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert policy["form-action"] == policy["style-src"] == "'self'"
    assert not policy.keys() & {"script-src", "script-src-elem", "connect-src"}


def test_a_page_runs_nothing(shown: Visitor) -> None:
    for tag, given in shown.page.elements:
        assert tag not in {"script", "iframe", "object", "embed", "style", "base"}
        assert not [name for name in given if name.startswith("on") or name == "style"]
        for name in ("href", "src", "action"):
            assert given.get(name, "/").startswith(("/", "https://", "#"))


def test_a_page_has_one_title_and_landmarks(shown: Visitor) -> None:
    page = shown.page
    assert len(page.titles) == 1
    assert len(page.attributes("main")) == len(page.attributes("header")) == 1
    assert page.attributes("html")[0]["lang"] == "en"
    headings = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(headings))


def test_everything_on_a_page_has_a_name(shown: Visitor) -> None:
    page = shown.page
    ids = [given["id"] for _, given in page.elements if "id" in given]
    assert len(ids) == len(set(ids))
    labelled = {given["for"] for given in page.attributes("label")}
    for given in page.attributes("input", "select", "textarea"):
        assert given.get("type") == "hidden" or given["id"] in labelled
    for _, given in page.elements:
        for reference in ("aria-labelledby", "aria-describedby", "for"):
            assert set(given.get(reference, "").split()) <= set(ids)
    for given in page.attributes("th"):
        assert given["scope"] in ("col", "row")


@pytest.mark.parametrize(
    "path", ["/nowhere", "/static/nothing.css", "/keys/7/revoke", "/static/../site.py", "/x/y/z"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "FOO"])
def test_what_is_not_there_is_a_page(visitor: Visitor, method: str, path: str) -> None:
    answer = visitor.http.request(method, f"/integrations{path}")

    assert answer.status_code == 404
    assert Read(answer.text).titles == ["Page not found"]
    assert answer.headers["x-frame-options"] == "DENY"


def test_elsewhere_what_is_not_there_stays_the_envelope(visitor: Visitor) -> None:
    assert envelope(visitor.http.get("/integration")).error.code == "not_found"
    assert envelope(visitor.http.get("/integrationsx")).error.code == "not_found"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("style.css", "text/css; charset=utf-8"),
        ("mark.svg", "image/svg+xml"),
        ("brand-threads.svg", "image/svg+xml"),
        ("inter-regular.woff2", "font/woff2"),
        ("mono.woff2", "font/woff2"),
    ],
)
def test_what_pages_are_drawn_with_is_there(visitor: Visitor, name: str, kind: str) -> None:
    answer = visitor.http.get(f"/integrations/static/{name}")

    assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
    assert answer.content


def test_the_style_sheet_names_nothing_that_is_not_there(visitor: Visitor) -> None:
    for name in set(re.findall(r'url\("([^"]+)"\)', STYLE)):
        assert visitor.http.get(f"/integrations/static/{name}").status_code == 200


def colours(text: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9A-F]{6})", text))


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_the_colours_are_those_of_the_app_and_readable(tokens: Tokens) -> None:
    light, dark = STYLE.split("prefers-color-scheme: dark", 1)
    found = colours(dark if tokens.dark else light)
    assert found == {name: tokens.role(name.replace("-", "_")) for name in found}
    assert found.keys() == colours(light).keys()
    for ink in ("text", "text2", "text3", "accent", "bad"):
        assert contrast(found[ink], found["surface"]) >= 4.5
    for ink, ground in (
        ("on-accent", "accent"),
        ("on-accent", "accent-hover"),
        ("text2", "sunken"),
        ("text", "sunken"),
    ):
        assert contrast(found[ink], found[ground]) >= 4.5
    for state in ("ok", "warn", "bad"):
        assert contrast(found[state], found[f"{state}-soft"]) >= 4.5
    assert not re.search(r"#[0-9A-Fa-f]{3,8}\b", re.sub(r"--[a-z0-9-]+: #[0-9A-F]{6}", "", STYLE))


@pytest.mark.logs_error("request failed")
def test_what_breaks_inside_is_a_page_without_its_insides(tmp_path: Path) -> None:
    with run_service(tmp_path, {}) as service:
        visitor = Visitor(service)
        service.database.write_now(lambda rows: rows.exec_driver_sql("DROP TABLE passwords"))
        answer = visitor.http.get("/integrations/sign-in")
        visitor.http.close()

    assert answer.status_code == 500
    page = Read(answer.text)
    assert page.titles == ["Something went wrong in the service"]
    assert answer.headers["x-request-id"] in page.text
    assert "passwords" not in answer.text
    assert answer.headers["x-frame-options"] == "DENY"


def test_a_slash_at_the_end_and_a_look_at_the_headers_are_fine(visitor: Visitor) -> None:
    assert visitor.http.get("/integrations/").headers["location"] == "/integrations/sign-in"
    assert visitor.http.head("/integrations/sign-in").status_code == 200
