"""Following the stream with scripted responses: events, and reconnecting."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime

import httpx
import pytest

from app.client import (
    AnswerNotUnderstood,
    ClientError,
    NotFound,
    RetryPolicy,
    ServiceClient,
    ServiceEvent,
    Unauthorized,
)
from app.client.bodies import ANSWER_BYTES_MAX
from app.contract.changes import ConnectionChanged, DeliveryRecorded, MediaChanged, PostChanged, Reset
from tests.client.test_client import BASE, KEY, POST, QUICK, Answer, error, talk

ID = POST["id"]


def stream(content: str | bytes, kind: str = "text/event-stream; charset=utf-8") -> httpx.Response:
    return httpx.Response(200, content=content, headers={"content-type": kind})


def event(number: int, kind: str = "media.changed", data: str = '{"storage_path": "a/b.png"}') -> str:
    return f"id: {number}\nevent: {kind}\ndata: {data}\n\n"


def follow(
    answers: list[Answer], count: int, after: str = ""
) -> tuple[list[ServiceEvent], list[bool], list[str | None]]:
    """Return ``count`` events, the listening states, and the Last-Event-ID of each request."""
    heard: list[bool] = []

    async def work(client: ServiceClient) -> list[ServiceEvent]:
        found: list[ServiceEvent] = []
        async with aclosing(client.events(after, heard.append)) as events:
            async for one in events:
                found.append(one)
                if len(found) == count:
                    break
        return found

    found, requests = talk(answers, work)
    return found, heard, [request.headers.get("last-event-id") for request in requests]


def failing(answers: list[Answer]) -> ClientError:
    async def work(client: ServiceClient) -> ClientError:
        with pytest.raises(ClientError) as caught:
            async for _ in client.events():
                pass
        return caught.value

    found: ClientError = talk(answers, work)[0]
    return found


def test_every_kind_of_event_is_read() -> None:
    post = httpx.Response(200, json=POST).text
    content = ": hello\n\n" + "".join(
        (
            event(1, "reset", "{}"),
            event(2, "post.changed", f'{{"id": "{ID}", "post": {post}}}'),
            event(3, "post.changed", f'{{"id": "{ID}", "post": null, "more": 1}}'),
            event(4, "connection.changed", f'{{"id": "{ID}", "connection": null}}'),
            event(5),
            event(6, "something.new", "?"),
            event(7, "delivery.recorded", f'{{"id": "{ID}", "subscription_id": null}}'),
        )
    )
    found, heard, asked = follow([stream(content)], 6)
    kinds = [Reset, PostChanged, PostChanged, ConnectionChanged, MediaChanged, DeliveryRecorded]
    assert [type(one.data) for one in found] == kinds
    assert [one.id for one in found] == ["1", "2", "3", "4", "5", "7"]
    changed = found[1].data
    assert isinstance(changed, PostChanged)
    assert changed.post is not None
    assert changed.post.description == "Hello"
    assert heard == [True, False]
    assert asked == [None]


def test_it_goes_on_after_the_last_event_whatever_ends_a_connection() -> None:
    answers: list[Answer] = [
        stream(event(1) + event(2)),
        httpx.ReadTimeout("silence"),
        error(503),
        stream(event(3) + "id: 4\nevent: media.chan"),
        stream(event(4)),
    ]
    found, heard, asked = follow(answers, 4)
    assert [one.id for one in found] == ["1", "2", "3", "4"]
    assert asked == [None, "2", "2", "2", "3"]
    assert heard == [True, False, False, False, True, False, True, False]


def test_it_can_begin_where_an_earlier_run_was() -> None:
    assert follow([stream(event(9))], 1, after="8")[2] == ["8"]


def test_a_rate_limit_is_waited_for() -> None:
    limited = error(429, details={"retry_after_seconds": 0.001})
    assert [one.id for one in follow([limited, stream(event(1))], 1)[0]] == ["1"]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (error(401), Unauthorized),
        (error(404), NotFound),
        (stream("<html>", kind="text/html"), AnswerNotUnderstood),
        (stream(event(1, "post.changed", "{}")), AnswerNotUnderstood),
        (stream(event(1, "media.changed", "[")), AnswerNotUnderstood),
        (httpx.Response(302, headers={"location": "https://elsewhere.example"}), AnswerNotUnderstood),
    ],
)
def test_what_waiting_does_not_mend_ends_it(answer: httpx.Response, kind: type[ClientError]) -> None:
    assert type(failing([answer])) is kind


async def test_an_event_without_end_is_given_up() -> None:
    piece = b"x" * 1024 * 1024
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        yield event(1).encode() + b"data: "
        while True:
            sent += len(piece)
            yield piece

    def handle(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=endless(), headers={"content-type": "text/event-stream"})

    client = ServiceClient(BASE, KEY, transport=httpx.MockTransport(handle), retries=QUICK)
    async with aclosing(client.events()) as events:
        assert (await anext(events)).id == "1"
        with pytest.raises(AnswerNotUnderstood):
            await anext(events)
    await client.close()
    assert sent <= ANSWER_BYTES_MAX + 2 * len(piece)


def test_waits_grow_to_a_bound_and_follow_what_the_service_says() -> None:
    policy = RetryPolicy(wait_initial=1, reconnect_max=8)
    for failures, longest in ((1, 2), (2, 4), (3, 8), (4, 8), (500, 8)):
        waits = [policy.before_reconnecting(failures, None) for _ in range(50)]
        assert 1 <= min(waits) <= max(waits) <= 1 + longest
    assert max(policy.before_reconnecting(9, None) for _ in range(50)) > 3


def test_posts_of_a_span_come_page_by_page() -> None:
    start, end = datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)

    async def work(client: ServiceClient) -> int:
        return sum([len(page.data) async for page in client.posts_between(start, end)])

    first = httpx.Response(200, json={"data": [POST], "next_cursor": "more"})
    last = httpx.Response(200, json={"data": [POST, POST], "next_cursor": None})
    count, requests = talk([first, last], work)
    assert count == 3
    asked = {"from": "2026-11-01T00:00:00.000Z", "to": "2026-12-01T00:00:00.000Z", "limit": "500"}
    assert [dict(request.url.params) for request in requests] == [asked, {**asked, "cursor": "more"}]
    assert requests[0].url.path == "/sub/companion/v1/posts"


def test_quotas_are_read_also_of_actions_that_are_new() -> None:
    row = {"action": "rest.new.one", "limit": None, "remaining": None, "window_seconds": 60}
    body = {"data": [{**row, "full_in_seconds": 0.5}]}
    quotas, (request,) = talk([httpx.Response(200, json=body)], lambda client: client.quotas())
    assert [quota.action for quota in quotas.data] == ["rest.new.one"]
    assert request.url.path == "/sub/companion/v1/quotas"


def test_a_delivery_is_read() -> None:
    body = {"id": ID, "subscription_id": ID, "url": "https://example.com", "request_headers": {"A": "b"}}
    body |= {"request_body": "{}", "status_code": 200, "latency_ms": 3, "error_message": None}
    body |= {"created_at": POST["created_at"]}
    found, (request,) = talk([httpx.Response(200, json=body)], lambda client: client.delivery(ID))
    assert found.request_headers == {"A": "b"}
    assert request.url.path == f"/sub/companion/v1/deliveries/{ID}"
