"""One consent, several accounts: the person chooses, each becomes a connection."""

import concurrent.futures
import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
import pytest

from app.platforms.base import Profile, TokenGrant
from app.service.connections import flow_rows
from app.service.connections.flow_rows import offers_of, open_offers, seal_offers
from app.service.store.seal import Seal, SealBrokenError
from tests.service.connections.browsing import callback, flow_of, initiate, listed, stored, told
from tests.service.platforms import ScriptedAdapter
from tests.service.running import Caller, RunningService

PAGES = [
    Profile("page-1", "Marsh Ceramics", "marshceramics", follower_count=1204),
    Profile("page-2", "<b>Kiln</b>", grant=TokenGrant("NEEDLE-page-2", None, None)),
    Profile("page-3", username="glaze"),
]


@pytest.fixture
def pages(linkedin: ScriptedAdapter) -> ScriptedAdapter:
    """A platform on which the person has three pages."""
    linkedin.people = list(PAGES)
    linkedin.grant = TokenGrant("NEEDLE-access", "NEEDLE-refresh", None)
    return linkedin


def choosing(caller: Caller, browser: httpx.Client, **body: str) -> tuple[str, str]:
    """A flow that waits for a choice: the pending id and the address of the page."""
    started = initiate(caller, **body)
    back = browser.get(callback(started["connect_url"], code="c"))
    assert back.status_code == 303
    assert back.headers["Referrer-Policy"] == "no-referrer"
    return started["connection_id"], caller.service.callback_url + back.headers["Location"]


def choose(browser: httpx.Client, page: str, *places: int | str, decision: str = "connect") -> httpx.Response:
    return browser.post(page, data={"account": [str(one) for one in places], "decision": decision})


def token_of(caller: Caller, connection_id: str) -> str:
    row = stored(caller, connection_id)
    return caller.service.await_(lambda: caller.service.parts.tokens.access_token(row.id))


@pytest.mark.usefixtures("pages")
def test_the_page_offers_each_account_with_a_checkbox(caller: Caller, browser: httpx.Client) -> None:
    _, page = choosing(caller, browser)

    shown = browser.get(page)

    assert shown.status_code == 200
    assert re.findall(r'<input type="checkbox" name="account" value="(\d)"', shown.text) == ["0", "1", "2"]
    for words in ("Marsh Ceramics", "marshceramics", "1,204 followers", "&lt;b&gt;Kiln&lt;/b&gt;", "glaze"):
        assert words in shown.text
    assert "<script" not in shown.text
    assert "checked" not in shown.text.replace(":checked", "")
    policy = shown.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "form-action 'self';" in policy
    assert shown.headers["Cache-Control"] == "no-store"
    assert shown.headers["Referrer-Policy"] == "no-referrer"
    assert listed(caller) == []
    assert told(caller) == []


@pytest.mark.usefixtures("pages")
def test_several_are_connected_and_the_first_has_the_pending_id(
    caller: Caller, browser: httpx.Client
) -> None:
    pending, page = choosing(caller, browser)

    done = choose(browser, page, 1, 2)

    assert "&lt;b&gt;Kiln&lt;/b&gt; and glaze on LinkedIn are connected." in done.text
    connected = {one["account_identifier"]: one["id"] for one in listed(caller)}
    assert set(connected) == {"page-2", "page-3"}
    assert connected["page-2"] == pending
    assert caller.http.get(f"/connections/{pending}").json()["account_identifier"] == "page-2"
    assert token_of(caller, connected["page-2"]) == "NEEDLE-page-2"
    assert token_of(caller, connected["page-3"]) == "NEEDLE-access"
    assert told(caller) == ["connection.connected", "connection.connected"]


@pytest.mark.usefixtures("pages")
def test_the_account_that_gets_them_is_named_before_and_after(
    service: RunningService, browser: httpx.Client
) -> None:
    caller = service.new_caller(name="Mallory & <i>Sons</i>")
    _, page = choosing(caller, browser)
    named = '<b class="owner">Mallory &amp; &lt;i&gt;Sons&lt;/i&gt;</b>'

    assert named in browser.get(page).text
    assert named in choose(browser, page, 1).text
    assert named in browser.get(page).text  # loaded again


@pytest.mark.usefixtures("pages")
def test_an_end_without_a_connection_names_nobody(caller: Caller, browser: httpx.Client) -> None:
    _, page = choosing(caller, browser)

    assert 'class="owner"' not in choose(browser, page, 0, decision="cancel").text


@pytest.mark.usefixtures("pages")
def test_nothing_chosen_says_so_and_stays(caller: Caller, browser: httpx.Client) -> None:
    _, page = choosing(caller, browser)

    for places in ((), (3,), (-1,), ("x",), ("9" * 5000,), ("²",)):
        still = choose(browser, page, *places)
        assert still.status_code == 400
        assert "Choose at least one account." in still.text
    assert listed(caller) == []

    assert "is connected" in choose(browser, page, 0).text


@pytest.mark.usefixtures("pages")
def test_a_body_that_is_no_form_chooses_nothing(caller: Caller, browser: httpx.Client) -> None:
    _, page = choosing(caller, browser)

    for body in (b"account=0&" * 10_000, b"a=1&" * 3_000 + b"account=0", b"\xff\xfe\x00", b""):
        assert browser.post(page, content=body).status_code == 400
    assert listed(caller) == []


@pytest.mark.usefixtures("pages")
def test_calling_it_off_connects_nothing(caller: Caller, browser: httpx.Client) -> None:
    pending, page = choosing(caller, browser)

    assert "choose an account" in choose(browser, page, 0, decision="cancel").text
    assert "choose an account" in choose(browser, page, 0).text
    assert listed(caller) == []
    assert flow_of(caller, pending).offered is None


@pytest.mark.usefixtures("pages")
def test_the_browser_goes_on_with_the_first_of_them(caller: Caller, browser: httpx.Client) -> None:
    pending, page = choosing(caller, browser, redirect_url="http://127.0.0.1:9/done?tab=1")

    assert "form-action 'self' http://127.0.0.1:9;" in browser.get(page).headers["Content-Security-Policy"]
    back = choose(browser, page, 0, 2)

    assert back.status_code == 303
    target = urlsplit(back.headers["Location"])
    assert (target.netloc, target.path) == ("127.0.0.1:9", "/done")
    assert parse_qs(target.query) == {"tab": ["1"], "connection_id": [pending], "status": ["connected"]}


@pytest.mark.usefixtures("pages")
def test_a_host_that_would_break_the_policy_is_left_out_of_it(caller: Caller, browser: httpx.Client) -> None:
    _, page = choosing(caller, browser, redirect_url="http://a;script-src/x")

    assert "form-action 'self';" in browser.get(page).headers["Content-Security-Policy"]


def test_an_account_that_was_connected_before_is_said_and_renewed(
    caller: Caller, pages: ScriptedAdapter, browser: httpx.Client
) -> None:
    _, first = choosing(caller, browser)
    choose(browser, first, 0)
    [before] = listed(caller)
    pages.people = [Profile("page-1", "Marsh & Daughter"), *PAGES[1:]]
    pending, page = choosing(caller, browser, redirect_url="http://127.0.0.1:9/done")

    assert browser.get(page).text.count("Already connected") == 1
    back = choose(browser, page, 0, 1)

    assert parse_qs(urlsplit(back.headers["Location"]).query)["connection_id"] == [before["id"]]
    connected = {one["account_identifier"]: one for one in listed(caller)}
    assert connected["page-1"]["id"] == before["id"]
    assert connected["page-1"]["display_name"] == "Marsh & Daughter"
    assert connected["page-2"]["id"] == pending


@pytest.mark.usefixtures("pages")
def test_where_only_known_ones_are_chosen_the_pending_id_goes(caller: Caller, browser: httpx.Client) -> None:
    choose(browser, choosing(caller, browser)[1], 0)
    pending, page = choosing(caller, browser)

    assert "is connected" in choose(browser, page, 0).text
    assert caller.http.get(f"/connections/{pending}").status_code == 404
    assert len(listed(caller)) == 1


def test_an_account_that_is_named_twice_is_one(
    caller: Caller, pages: ScriptedAdapter, browser: httpx.Client
) -> None:
    pages.people = [PAGES[0], PAGES[0]]

    assert "is connected" in browser.get(callback(initiate(caller)["connect_url"], code="c")).text


def test_the_page_works_once(caller: Caller, pages: ScriptedAdapter, browser: httpx.Client) -> None:
    _, page = choosing(caller, browser)
    choose(browser, page, 0)

    for again in (choose(browser, page, 1), browser.get(page)):
        assert "Marsh Ceramics on LinkedIn is connected." in again.text
        assert "checkbox" not in again.text
    assert len(listed(caller)) == 1
    assert len(pages.exchanges) == 1


def test_a_reload_of_the_callback_leads_to_the_same_page(
    caller: Caller, pages: ScriptedAdapter, browser: httpx.Client
) -> None:
    started = initiate(caller)
    address = callback(started["connect_url"], code="c")

    assert browser.get(address).headers["Location"] == browser.get(address).headers["Location"]
    assert len(pages.exchanges) == 1


@pytest.mark.usefixtures("pages")
def test_a_choice_expires(caller: Caller, browser: httpx.Client) -> None:
    _, page = choosing(caller, browser)
    caller.service.clock.ahead = timedelta(minutes=15, seconds=1)

    for late in (choose(browser, page, 0), browser.get(page)):
        assert "longer than 15 minutes" in late.text
    assert "longer than 15 minutes" in choose(browser, page, decision="cancel").text
    assert listed(caller) == []


@pytest.mark.usefixtures("pages")
def test_a_choice_that_nobody_makes_forgets_its_tokens(caller: Caller, browser: httpx.Client) -> None:
    pending, _ = choosing(caller, browser)
    now = caller.service.clock() + timedelta(minutes=16)

    caller.service.database.write_now(lambda rows: flow_rows.tidy(rows, now))

    flow = flow_of(caller, pending)
    assert (flow.stage, flow.offered) == ("failed", None)
    assert "longer than 15 minutes" in flow.outcome_words


@pytest.mark.usefixtures("pages")
def test_tidying_leaves_a_choice_that_has_time_left(caller: Caller, browser: httpx.Client) -> None:
    _, page = choosing(caller, browser)
    now = caller.service.clock() + timedelta(minutes=14)

    caller.service.database.write_now(lambda rows: flow_rows.tidy(rows, now))

    assert "Marsh Ceramics on LinkedIn is connected." in choose(browser, page, 0).text


@pytest.mark.usefixtures("pages")
def test_tidying_leaves_flows_that_ended_as_they_ended(caller: Caller, browser: httpx.Client) -> None:
    connected, first = choosing(caller, browser)
    choose(browser, first, 0)
    denied, second = choosing(caller, browser)
    choose(browser, second, decision="cancel")
    before = [flow_of(caller, pending) for pending in (connected, denied)]
    assert [flow.stage for flow in before] == ["connected", "denied"]

    now = caller.service.clock() + timedelta(hours=20)
    caller.service.database.write_now(lambda rows: flow_rows.tidy(rows, now))

    assert [flow_of(caller, pending) for pending in (connected, denied)] == before
    assert "Marsh Ceramics on LinkedIn is connected." in browser.get(first).text


@pytest.mark.parametrize(
    "token", ["?token=guess", f"?token={'0' * 48}", "?token=%00", "?token=ä", "?token", "", "/x"]
)
def test_the_address_is_not_to_be_guessed(caller: Caller, browser: httpx.Client, token: str) -> None:
    page = f"{caller.service.callback_url}/choose{token}"

    assert browser.get(page).status_code == 404
    assert choose(browser, page, 0).status_code == 404


@pytest.mark.usefixtures("pages")
def test_the_secret_of_the_address_is_not_stored_nor_are_tokens_in_clear(
    caller: Caller, browser: httpx.Client
) -> None:
    _, page = choosing(caller, browser)
    assert urlsplit(page).path == "/choose"  # paths are logged
    [secret] = parse_qs(urlsplit(page).query)["token"]
    assert len(secret) == 48
    shown = browser.get(page).text

    assert "NEEDLE" not in shown
    for file in caller.service.folder.root.glob("service.db*"):
        content = file.read_bytes()
        assert b"NEEDLE" not in content
        assert secret.encode() not in content


@pytest.mark.usefixtures("pages")
def test_many_presses_at_once_connect_once(caller: Caller, browser: httpx.Client) -> None:
    _, page = choosing(caller, browser)

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        presses = [
            pool.submit(httpx.post, page, data={"account": [str(n % 3)]}, trust_env=False, timeout=30)
            for n in range(6)
        ]
        texts = {press.result().text.partition("<h1>")[2] for press in presses}

    assert len(texts) == 1
    assert len(listed(caller)) == 1
    assert told(caller) == ["connection.connected"]


def test_offers_come_back_as_they_were_and_for_their_own_row_alone() -> None:
    seal, row = Seal(b"k" * 32), uuid4()
    offers = offers_of(PAGES, TokenGrant("access", "refresh", None))

    sealed = seal_offers(seal, row, offers)

    assert open_offers(seal, row, sealed) == offers
    assert [offer.grant.access_token for offer in offers] == ["access", "NEEDLE-page-2", "access"]
    with pytest.raises(SealBrokenError):
        open_offers(seal, uuid4(), sealed)
