"""Boards of Pinterest accounts, and pins that go to them."""

import json
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from app.contract.enums import PostingPlatform, PostType
from app.workspace.editing.boards import BOARDS_MAX, PAGES_MAX, Board
from app.workspace.messages import Problem
from app.workspace.posts.new import NewPost
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import opened, settled


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


def pin(account: str) -> NewPost:
    return NewPost(
        account,
        PostingPlatform.PINTEREST,
        PostType.IMAGE,
        "Wool",
        title="Three weights",
        at=START + HOUR,
        media_storage_path="me/1-wool.jpg",
        board_id="board-7",
        board_name="Winter 2026",
        link="https://okafor.studio/coat",
    )


async def test_all_pages_of_boards_are_told_and_known_from_then_on(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("pinterest")
    for name in ("zebra", "Winter 2026", "autumn", "Linen", "Éclair"):
        service.add_board(account, name)
    service.add_board(account, "Secrets", privacy="SECRET")

    async with opened(tmp_path, service) as workspace:
        assert await workspace.boards.known(account) is None
        told = await workspace.boards.ask(account)
        assert [board.name for board in told] == [
            "autumn",
            "Linen",
            "Secrets",
            "Winter 2026",
            "zebra",
            "Éclair",
        ]
        assert [board.name for board in told if board.is_secret] == ["Secrets"]
    async with opened(tmp_path, service) as workspace:
        service.online = False
        assert await workspace.boards.known(account) == told


async def test_boards_that_cannot_be_told_are_a_problem(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account("pinterest")

    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        service.online = False
        with pytest.raises(Problem) as caught:
            await workspace.boards.ask(account)
        assert caught.value.text
        service.online = True
        assert await workspace.boards.ask(account) == ()


async def test_an_account_that_pinterest_no_longer_lets_in_is_not_a_refused_key(tmp_path: Path) -> None:
    class Ended(ModelService):
        def answer(self, request: httpx.Request) -> httpx.Response:
            if request.url.path.endswith("/boards"):
                error = {"code": "unauthorized", "message": "Allow it again."}
                told = {"error": error, "request_id": "r", "reauth_url": "https://pin.example/again"}
                return httpx.Response(401, json=told)
            return super().answer(request)

    service = Ended(HandClock())
    account = service.add_account("pinterest")

    async with opened(tmp_path, service) as workspace:
        with pytest.raises(Problem) as caught:
            await workspace.boards.ask(account)
        assert caught.value.text == "Access has expired. Reconnect the account."
        assert not workspace.sync.key_refused


async def test_a_bookmark_that_comes_twice_ends_the_listing(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account("pinterest")

    class Endless(ModelService):
        def answer(self, request: httpx.Request) -> httpx.Response:
            answer = super().answer(request)
            if request.url.path.endswith("/boards"):
                answer = httpx.Response(200, json=answer.json() | {"bookmark": "0"})
            return answer

    endless = Endless(HandClock())
    board = endless.add_board(account, "only")

    async with opened(tmp_path, endless) as workspace:
        assert await workspace.boards.ask(account) == (Board(board, "only"),)
    asked = [one for one in endless.requests if one.url.path.endswith("/boards")]
    assert len(asked) == 2


@pytest.mark.parametrize(("boards_per_page", "pages"), [(3_000, 1), (300, 7), (0, PAGES_MAX)])
async def test_boards_without_end_are_cut(tmp_path: Path, boards_per_page: int, pages: int) -> None:
    """Whether they come on one page, on many, or never: Pinterest has at most 2,000 per account."""
    asked: list[httpx.Request] = []

    class Endless(ModelService):
        def answer(self, request: httpx.Request) -> httpx.Response:
            if not request.url.path.endswith("/boards"):
                return super().answer(request)
            asked.append(request)
            first = len(asked) * boards_per_page
            boards = [
                {"id": str(number), "name": f"Board {number}", "description": None, "privacy": "PUBLIC"}
                | {"pin_count": None}
                for number in range(first, first + boards_per_page)
            ]
            return httpx.Response(200, json={"data": boards, "bookmark": str(len(asked))})

    endless = Endless(HandClock())
    account = endless.add_account("pinterest")

    async with opened(tmp_path, endless) as workspace:
        told = await workspace.boards.ask(account)
        assert len(told) == min(BOARDS_MAX, boards_per_page * pages)
        assert len(asked) == pages


async def test_a_pin_is_sent_with_board_title_and_link_and_they_stay_known(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("pinterest")

    async with opened(tmp_path, service) as workspace:
        (key,) = workspace.plan([pin(account)])
        await settled(workspace)
        detail = await workspace.detail(key)
        assert (detail.board_id, detail.board_name, detail.link) == (
            "board-7",
            "Winter 2026",
            "https://okafor.studio/coat",
        )
    (sent,) = [json.loads(one.content) for one in service.requests if one.method == "POST"]
    assert sent["pinterest_board_id"] == "board-7"
    assert sent["pinterest_board_name"] == "Winter 2026"
    assert sent["pinterest_link"] == "https://okafor.studio/coat"
    assert sent["title"] == "Three weights"


async def test_a_pin_that_was_refused_can_be_planned_again_without_its_link(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("pinterest")
    service.faults.append(("POST", "refuse"))

    async with opened(tmp_path, service) as workspace:
        first = pin(account)
        (key,) = workspace.plan([first])
        await settled(workspace)
        assert workspace.plan([replace(first, link="", board_id="board-8")]) == [key]
        await settled(workspace)
        detail = await workspace.detail(key)
        assert (detail.board_id, detail.link) == ("board-8", "")


async def test_a_link_that_is_no_web_address_is_refused_before_anything_is_planned(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("pinterest")

    async with opened(tmp_path, service) as workspace:
        with pytest.raises(Problem):
            workspace.plan([replace(pin(account), link="javascript:alert(1)")])
        assert len(workspace.posts) == 0
