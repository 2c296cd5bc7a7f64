"""One attempt of a delivery: the message that is sent, and what each response and failure means."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import httpx
import pytest

from app.service.outbound import OutboundClient, OutboundPolicy
from app.service.store.seal import Seal
from app.service.webhooks.sender import (
    TIMEOUT,
    Due,
    Message,
    MessageSender,
    Sent,
    Verdict,
    judge,
    new_secret,
    signature,
    standard_signature,
)
from tests.service.outbound.network import PUBLIC
from tests.service.running import MovingClock

AT = datetime(2026, 11, 21, 12, 0, 0, 999_000, tzinfo=UTC)
SEAL = Seal(b"k" * 32)
SECRET = new_secret()
DUE = Due(
    id=UUID(int=1),
    subscription_id=UUID(int=2),
    event_id=UUID(int=3),
    event_type="post.failed",
    retry=1,
    data='{"post_id":"7","words":"Frühling"}',
    event_created_at=datetime(2026, 11, 21, 11, 0, 0, 7_000, tzinfo=UTC),
    url=f"https://{PUBLIC}/hook?a=1",
    secret=SEAL.close(SECRET, UUID(int=2)),
)


class Nothing(httpx.AsyncByteStream):
    """An empty body that comes over the network."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b""


Handler = Callable[[httpx.Request], Coroutine[None, None, httpx.Response]]


async def deliver(handler: Handler, due: Due = DUE, timeout: timedelta = TIMEOUT) -> Sent:  # noqa: ASYNC109
    """Make one attempt at noon; it ends a second later."""
    times = iter((AT, AT + timedelta(seconds=1)))
    outbound = OutboundClient(OutboundPolicy(), transport=httpx.MockTransport(handler))
    try:
        return await MessageSender(outbound, SEAL, lambda: next(times), timeout).deliver(due)
    finally:
        await outbound.close()


async def test_the_message_that_is_signed_is_sent_and_returned() -> None:
    requests: list[httpx.Request] = []

    async def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        await asyncio.sleep(0.03)
        return httpx.Response(204, stream=Nothing())

    began = time.perf_counter()
    sent = await deliver(answer)
    took_ms = (time.perf_counter() - began) * 1_000
    [request] = requests
    assert sent.message is not None
    assert (request.method, str(request.url), request.content) == ("POST", DUE.url, sent.message.body)
    for name, value in sent.message.headers.items():
        assert request.headers[name] == value
    assert (sent.verdict, sent.began_at, sent.ended_at) == (Verdict(204), AT, AT + timedelta(seconds=1))
    assert 30 <= sent.latency_ms <= took_ms + 1


def test_a_message_names_its_event_and_has_both_signatures() -> None:
    message = Message.of(DUE, SECRET, AT)
    assert json.loads(message.body) == {
        "event_type": "post.failed",
        "event_id": str(UUID(int=3)),
        "delivery_id": str(UUID(int=1)),
        "created_at": "2026-11-21T11:00:00.007Z",
        "data": {"post_id": "7", "words": "Frühling"},
    }
    assert message.headers == {
        "Content-Type": "application/json",
        "User-Agent": "Service-Webhook/1.0",
        "X-Service-Event": "post.failed",
        "X-Service-Delivery": str(UUID(int=1)),
        "X-Service-Signature": signature(SECRET, message.body),
        "webhook-id": str(UUID(int=3)),
        "webhook-timestamp": "1795262400",
        "webhook-signature": standard_signature(SECRET, str(UUID(int=3)), AT, message.body),
    }


@pytest.mark.parametrize("status", [200, 302, 404, 503])
async def test_a_response_is_judged_by_its_status(status: int) -> None:
    async def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(status, stream=Nothing())

    assert (await deliver(answer)).verdict == judge(status)


async def test_an_endpoint_that_does_not_respond_is_tried_again() -> None:
    async def answer(_: httpx.Request) -> httpx.Response:
        await asyncio.sleep(600)
        raise AssertionError("nobody waits so long")

    sent = await deliver(answer, timeout=timedelta(seconds=0.5))
    words = "The endpoint didn't respond within 0.5 seconds."
    assert sent.verdict == Verdict(problem=words, passing=True)
    assert sent.message is not None


async def test_an_endpoint_that_cannot_be_reached_is_tried_again() -> None:
    async def answer(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no")

    verdict = (await deliver(answer)).verdict
    assert verdict.problem
    assert (verdict.status_code, verdict.passing, verdict.delivered) == (None, True, False)


@pytest.mark.parametrize("url", ["https://127.0.0.1/hook", f"http://{PUBLIC}/hook", "nothing"])
async def test_an_address_that_is_not_allowed_is_neither_called_nor_tried_again(url: str) -> None:
    async def answer(_: httpx.Request) -> httpx.Response:
        raise AssertionError("it was called")

    verdict = (await deliver(answer, replace(DUE, url=url))).verdict
    assert verdict.problem
    assert (verdict.status_code, verdict.passing, verdict.delivered) == (None, False, False)


@pytest.mark.logs_error("a delivery failed unexpectedly")
@pytest.mark.logs_error("a delivery failed unexpectedly")
@pytest.mark.parametrize("data", ["nonsense", "[]"])
async def test_a_delivery_that_cannot_be_built_is_tried_again_and_stops_no_others(data: str) -> None:
    async def answer(_: httpx.Request) -> httpx.Response:
        raise AssertionError("it was called")

    sent = await deliver(answer, replace(DUE, data=data))
    assert sent.verdict == Verdict(problem="Something went wrong inside the service.", passing=True)
    assert sent.message is None


async def test_a_secret_of_another_installation_ends_the_delivery() -> None:
    async def answer(_: httpx.Request) -> httpx.Response:
        raise AssertionError("it was called")

    sent = await deliver(answer, replace(DUE, secret=Seal(b"x" * 32).close(SECRET, DUE.subscription_id)))
    words = (
        "The secret can't be decrypted with this installation's key. Delete the webhook and create it again."
    )
    assert (sent.verdict, sent.message) == (Verdict(problem=words), None)


def test_a_delivery_is_the_same_with_and_without_a_claim() -> None:
    assert replace(DUE, claimed_until=AT) == DUE
    assert DUE.claimed_until is None


async def test_an_endpoint_has_ten_seconds() -> None:
    outbound = OutboundClient(OutboundPolicy())
    assert MessageSender(outbound, SEAL, MovingClock()).timeout == timedelta(seconds=10)
    await outbound.close()
