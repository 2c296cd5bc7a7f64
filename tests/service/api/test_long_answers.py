"""Long answers go out in pieces, and few of them may stay unread."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from app.service.api.responses import JsonAnswer, LongAnswers, RateLimitedError

_CONTENT = b"x" * 200_000


async def _nothing() -> Any:
    raise AssertionError("nothing is asked for")


async def sent(answer: JsonAnswer, meanwhile: Callable[[], object] = lambda: None) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        messages.append(message)
        meanwhile()

    await answer({"type": "http"}, _nothing, send)
    return messages


@pytest.mark.parametrize("length", [0, 1, 64 * 1024, 64 * 1024 + 1, 200_000])
async def test_an_answer_arrives_whole_and_in_pieces(length: int) -> None:
    content = bytes(number % 251 for number in range(length))
    start, *pieces = await sent(JsonAnswer(content))
    assert dict(start["headers"])[b"content-length"] == str(length).encode()
    assert b"".join(piece["body"] for piece in pieces) == content
    assert max(len(piece["body"]) for piece in pieces) <= 64 * 1024
    assert [piece.get("more_body", False) for piece in pieces] == [True] * (len(pieces) - 1) + [False]


async def test_few_answers_of_an_account_stay_unread() -> None:
    answers, ours, another = LongAnswers(), uuid4(), uuid4()
    unread = [answers.admit(ours, _CONTENT) for _ in range(4)]
    with pytest.raises(RateLimitedError):
        answers.admit(ours, _CONTENT)
    answers.admit(another, _CONTENT)
    await sent(unread[0])
    answers.admit(ours, _CONTENT)
    with pytest.raises(RateLimitedError):
        answers.admit(ours, _CONTENT)


async def test_an_answer_that_its_client_left_counts_no_longer() -> None:
    answers, ours = LongAnswers(), uuid4()
    unread = [answers.admit(ours, _CONTENT) for _ in range(4)]

    def leave() -> None:
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await sent(unread[0], leave)
    answers.admit(ours, _CONTENT)
