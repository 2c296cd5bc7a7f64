"""Connecting an account: by the browser that comes back, by looking, and by hand."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import UUID, uuid4

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.contract.connections import Connection
from app.contract.enums import ConnectionPlatform
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes
from app.workspace.connections.landing import Arrival, Landing, callback_for
from app.workspace.messages import Problem
from tests.workspace.model_service import BASE_URL, HandClock, ModelService
from tests.workspace.opened import opened, until

X = ConnectionPlatform.X


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


async def browse(url: str, host: str = "") -> str:
    """What a browser gets."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    writer.write(f"GET {target} HTTP/1.1\r\nHost: {host or parts.netloc}\r\n\r\n".encode())
    answer = (await reader.read()).decode()
    writer.close()
    return answer


def landing_of(service: ModelService) -> str:
    (body,) = service.pending.values()
    return str(body["redirect_url"])


async def test_the_account_appears_when_the_browser_comes_back(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        flow = await workspace.flows.begin(X)
        assert flow.url.startswith("https://platform.example/authorize")
        account = service.add_account()
        answer = await browse(f"{landing_of(service)}?status=connected&connection_id={account}")
        assert answer.startswith("HTTP/1.1 200")
        assert "The account is connected. You can close this tab." in answer
        assert (await flow.account()).key == account
        assert account in workspace.accounts


async def test_the_account_appears_by_looking_when_the_browser_never_comes(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        flow = await workspace.flows.begin(X)
        account = service.add_account()
        assert (await flow.account()).key == account


async def test_a_list_that_was_requested_before_does_not_stop_the_flow(
    tmp_path: Path, service: ModelService
) -> None:
    """It leaves out the new account and arrives while the account is being stored."""
    async with opened(tmp_path, service) as workspace:
        flow = await workspace.flows.begin(X)
        account = service.add_account()

        def forget(_: Changes) -> None:
            if account in workspace.accounts:
                workspace._book.replace_all([])

        workspace.listen(forget)
        assert (await asyncio.wait_for(flow.account(), 20)).key == account


async def test_a_list_that_was_requested_before_does_not_remove_the_new_account(
    tmp_path: Path, service: ModelService
) -> None:
    released, lists = asyncio.Event(), 0
    route = service._route

    async def late(content: bytes) -> AsyncIterator[bytes]:
        await released.wait()
        yield content

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal lists
        response = route(request)
        if (request.method, request.url.path) == ("GET", "/api/v1/connections"):
            lists += 1
            if lists == 1:
                return httpx.Response(200, content=late(response.content))
        return response

    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        service._route = answer  # type: ignore[method-assign]
        listing = asyncio.create_task(workspace._sync.reload_connections())
        await until(lambda: lists)
        account = service.add_account()
        connection = await workspace._core.client.get_connection(UUID(account))
        await workspace._sync.take_connection(connection)
        gone: list[Changes] = []
        workspace.listen(lambda news: gone.append(news) if account not in workspace.accounts else None)
        released.set()
        await listing
        assert gone == []
        service.connections.clear()
        await until(lambda: account not in workspace.accounts)


async def test_an_error_of_our_own_ends_the_flow(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:

        async def fail(connection: Connection) -> Account:
            raise RuntimeError(f"our own, with {connection.platform}")

        workspace._sync.take_connection = fail  # type: ignore[method-assign]
        flow = await workspace.flows.begin(X)
        service.add_account()
        with pytest.raises(RuntimeError, match="our own"):
            await asyncio.wait_for(flow.account(), 20)


async def test_an_account_that_is_renewed_meanwhile_is_not_taken_for_the_new_one(
    tmp_path: Path, service: ModelService
) -> None:
    """Access to X lasts two hours and is renewed by the service, also while a browser is open."""
    old = service.add_account()
    told: dict[str, object] = {"stage": "waiting", "message": "", "connection_id": None, "choose_url": None}
    service.offers = ("reconnect",)
    asked: list[str] = []

    def attempts(request: httpx.Request) -> httpx.Response | None:
        if "/connections/attempts/" not in request.url.path:
            return None
        asked.append(request.url.path)
        return httpx.Response(200, json=told)

    service.parts.append(attempts)

    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        await until(lambda: workspace.flows.renews)
        flow = await workspace.flows.begin(X)
        service.connections[0]["token_expires_at"] = "2026-11-21T11:00:00Z"
        before = len(asked)
        await until(lambda: len(asked) > before + 3)
        new = service.add_account()
        told.update(stage="connected", connection_id=new)
        assert (await flow.account()).key == new != old


@pytest.mark.parametrize(
    ("status", "words"), [("denied", "declined"), ("failed", "couldn't complete the sign-in")]
)
async def test_a_denial_is_said(tmp_path: Path, service: ModelService, status: str, words: str) -> None:
    async with opened(tmp_path, service) as workspace:
        flow = await workspace.flows.begin(X)
        await browse(f"{landing_of(service)}?status={status}")
        with pytest.raises(Problem, match=words) as caught:
            await flow.account()
        assert caught.value.kind == status


async def test_an_attempt_ends_after_its_time_and_when_it_is_given_up(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        late, unwanted = await workspace.flows.begin(X), await workspace.flows.begin(X)
        unwanted.cancel()
        with pytest.raises(Problem) as caught:
            await unwanted.account()
        assert caught.value.kind == "cancelled"
        assert isinstance(service.clock, HandClock)
        service.clock.now += 16 * 60_000
        with pytest.raises(Problem, match="expired") as caught:
            await late.account()
        assert caught.value.kind == "expired"


@pytest.mark.parametrize(
    ("status", "words"),
    [("failed", "wasn&#x27;t connected"), ("connected", "You had already allowed access")],
)
async def test_a_browser_that_comes_back_after_cancel_is_told(
    tmp_path: Path, service: ModelService, status: str, words: str
) -> None:
    async with opened(tmp_path, service) as workspace:
        flow = await workspace.flows.begin(X)
        url = landing_of(service)
        flow.cancel()
        answer = await browse(f"{url}?status={status}")
        assert "Cancelled in Kalends" in answer
        assert words in answer
    with pytest.raises(OSError, match="Connect call failed"):
        await browse(url)


async def test_a_browser_that_is_slower_than_the_account_finds_its_page(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        flow = await workspace.flows.begin(X)
        account = service.add_account()
        assert (await flow.account()).key == account
        answer = await browse(f"{landing_of(service)}?status=connected&connection_id={account}")
        assert "The account is connected. You can close this tab." in answer


async def test_nobody_else_can_speak_for_the_browser(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        flow = await workspace.flows.begin(X)
        url = landing_of(service)
        guessed = f"{url.rsplit('/', 1)[0]}/guess?status=denied"
        assert (await browse(guessed)).startswith("HTTP/1.1 404")
        assert (await browse(f"{url}?status=denied", host="evil.example")).startswith("HTTP/1.1 404")
        # The callback is only a hint: the service is asked.
        await browse(f"{url}?status=connected&connection_id={uuid4()}")
        account = service.add_account()
        assert (await flow.account()).key == account


@given(st.binary(max_size=400))
@example(b"GET //[x HTTP/1.1\r\n\r\n")
@example(b"GET //[x]/connected/ HTTP/1.1\r\n\r\n")
def test_the_landing_reads_anything(head: bytes) -> None:
    landing = Landing(lambda _: None)
    assert landing._read(head) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://[",
        "https://a℀b/",
        "https:",
        "HTTPS:javascript:alert(1)",
        "file:///etc/passwd",
        "https://x:y/",
        "http://elsewhere.example/",
        "https://x/\u202e",
        f"https://x/{'a' * 9000}",
        "https://x:99999/",
        "",
    ],
    ids=lambda url: url[:30],
)
async def test_an_address_that_is_no_page_is_a_sentence_and_nothing_listens(
    tmp_path: Path, service: ModelService, url: str
) -> None:
    service.connect_url = url

    async with opened(tmp_path, service) as workspace:
        with pytest.raises(Problem, match="browsers can't open"):
            await workspace.flows.begin(X)
        with pytest.raises(OSError, match="Connect call failed"):
            await browse(landing_of(service))


LANDING = "http://127.0.0.1:5/connected/abc"


@pytest.mark.parametrize(
    ("callback", "base_url", "is_trusted"),
    [
        (LANDING, BASE_URL, True),
        (f"{LANDING}?x=y", BASE_URL, True),
        ("http://127.0.0.1:5/connected/other", BASE_URL, False),
        ("http://127.0.0.1:6/connected/abc", BASE_URL, False),
        ("https://127.0.0.1:5/connected/abc", BASE_URL, False),
        ("http://localhost:5/connected/abc", BASE_URL, False),
        ("http://127.0.0.1:631/printers", BASE_URL, False),
        ("http://[", BASE_URL, False),
        ("http://127.0.0.1:99999/", "https://127.0.0.1:8443", True),
        ("https://127.0.0.1:99999/", "https://127.0.0.1:8443", False),
        ("http://127.0.0.1:7/callback/x", "https://127.0.0.1:8443", True),
        ("http://localhost:7/callback/x", "https://127.0.0.1:8443", False),
        (f"{BASE_URL}/callback/x", BASE_URL, True),
        (f"{BASE_URL}:444/callback/x", BASE_URL, False),
        (f"{BASE_URL.replace('https', 'http')}/callback/x", BASE_URL, False),
    ],
)
def test_only_the_landing_and_the_services_host_are_called(
    callback: str, base_url: str, is_trusted: bool
) -> None:
    connect_url = f"https://platform.example/?{urlencode({'state': 's', 'redirect_uri': callback})}"
    called = None
    with suppress(Problem):
        called = callback_for(
            "http://x/?code=c&state=s", connect_url=connect_url, base_url=base_url, landing=LANDING
        )
    assert (called is not None) is is_trusted


def test_a_pasted_address_goes_to_the_callback_of_this_attempt() -> None:
    connect_url = (
        "https://platform.example/authorize?state=s&redirect_uri=http%3A%2F%2F127.0.0.1%3A7%2Fcallback%2Fx"
    )
    url = callback_for(
        "http://elsewhere.example/x?code=c%26&state=s&evil=1",
        connect_url=connect_url,
        base_url="https://127.0.0.1:8443",
        landing=LANDING,
    )
    parts = urlsplit(url)
    assert (parts.scheme, parts.netloc, parts.path) == ("http", "127.0.0.1:7", "/callback/x")
    assert parse_qs(parts.query) == {"code": ["c&"], "state": ["s"]}


@pytest.mark.parametrize(
    ("callback", "pasted", "words"),
    [
        ("http%3A%2F%2F127.0.0.1%2F", "http://x/?state=s", "doesn't contain the platform's response"),
        ("http%3A%2F%2F127.0.0.1%2F", "http://x/?code=c&state=other", "another attempt"),
        ("https%3A%2F%2Fevil.example%2F", "http://x/?code=c&state=s", "by hand"),
        ("http%3A%2F%2F127.0.0.1%40evil.example%2F", "http://x/?code=c&state=s", "by hand"),
        ("http%3A%2F%2Fservice.example%2F", "http://x/?code=c&state=s", "by hand"),
        ("", "http://x/?code=c&state=s", "by hand"),
    ],
)
def test_a_pasted_address_is_never_sent_elsewhere(callback: str, pasted: str, words: str) -> None:
    connect_url = f"https://platform.example/?state=s&redirect_uri={callback}"
    with pytest.raises(Problem, match=words):
        callback_for(pasted, connect_url=connect_url, base_url=BASE_URL, landing=LANDING)


async def test_pasting_delivers_without_the_key(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        flow = await workspace.flows.begin(X)
        with pytest.raises(Problem, match="didn't accept"):
            await flow.paste("http://127.0.0.1:9999/callback/x?code=abc&state=st-1")
        visits = [request for request in service.requests if request.url.path == "/callback/x"]
        assert [str(request.url) for request in visits] == [
            "https://service.example/callback/x?code=abc&state=st-1"
        ]
        assert "authorization" not in visits[0].headers


@pytest.mark.parametrize(
    "pasted",
    [
        "https://[",
        "http://a\u2100b/?code=c",
        " ",
        "x" * 9_000,
        "https://[x]?code=c",
        "https://host//[x?state=st-1",
        "https://host//a\u2100b?state=st-1",
        "https://host/\ud800?state=st-1",
    ],
)
async def test_what_is_no_address_is_a_sentence(tmp_path: Path, service: ModelService, pasted: str) -> None:
    async with opened(tmp_path, service) as workspace:
        flow = await workspace.flows.begin(X)
        with pytest.raises(Problem):
            await flow.paste(pasted)


async def test_a_message_of_the_platform_s_page_is_explained(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        flow = await workspace.flows.begin(X)
        with pytest.raises(Problem, match=r"the OAuth 2.0 Client ID, not the API key") as caught:
            await flow.paste("Something went wrong. You weren't able to give access to the App.")
        assert caught.value.kind == "paste"
        with pytest.raises(Problem, match=r"Kalends doesn't know this message"):
            await flow.paste("Well, this is new.")


PASTED = "https://localhost/back?code=abc&state=st-1"


def outcome(stage: str, **values: str | None) -> dict[str, str | None]:
    return {"stage": stage, "message": "Words.", "connection_id": None, "choose_url": None, **values}


async def test_a_service_that_takes_pasted_addresses_is_given_them(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        flow = await workspace.flows.begin(X)
        service.outcome = outcome("connected", connection_id=service.add_account("x"))
        assert await flow.paste(f" {PASTED} ") is False
        assert (await flow.account()).platform == "x"
        sent = [request for request in service.requests if request.url.path.endswith("/complete")]
        assert [json.loads(request.content) for request in sent] == [{"address": PASTED}]


async def test_several_accounts_lead_to_another_page(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        flow = await workspace.flows.begin(X)
        consent = flow.url
        service.outcome = outcome("choosing", choose_url="javascript:alert(1)")
        assert await flow.paste(PASTED) is False
        assert flow.url == consent
        service.outcome = outcome("choosing", choose_url="http://127.0.0.1:9999/choose/abc")
        assert await flow.paste(PASTED) is True
        assert flow.url == "http://127.0.0.1:9999/choose/abc"


async def test_a_pasted_refusal_ends_the_attempt_with_the_services_words(
    tmp_path: Path, service: ModelService
) -> None:
    async with opened(tmp_path, service) as workspace:
        flow = await workspace.flows.begin(X)
        service.outcome = outcome("failed")
        await flow.paste(PASTED)
        with pytest.raises(Problem, match="Words"):
            await flow.account()


async def test_the_landings_own_address_may_be_pasted(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        flow = await workspace.flows.begin(X)
        await flow.paste(f"{landing_of(service)}?status=denied")
        with pytest.raises(Problem, match="declined"):
            await flow.account()


async def test_an_arrival_is_only_for_its_own_path() -> None:
    arrived: list[Arrival] = []
    landing = Landing(arrived.append)
    await landing.open()
    await browse(landing.url)
    await until(lambda: arrived == [Arrival("", "")])
    landing.close()
