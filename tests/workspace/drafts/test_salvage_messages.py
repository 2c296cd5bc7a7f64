"""Messages about posts that a service lost or changed, and the drafts made of them."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update

from app.contract.base import format_timestamp
from app.contract.tiktok import TikTokChoice, TikTokPrivacy
from app.workspace.clock import from_millis
from app.workspace.editing.boards import Board
from app.workspace.store.tables import posts
from app.workspace.tiktok import TikTokDraft
from tests.workspace.drafts.faithless import LOST_ONE, Faithless, said, texts
from tests.workspace.model_service import HOUR, START, HandClock
from tests.workspace.opened import QUICK, new_post, opened, settled, until

MAYBE_LIVE = "It may have been published. Check the platform before you schedule it again."
ONE_LIVE = "1 of them may have been published. Check the platform before you schedule it again."
TWO_LIVE = "2 of them may have been published. Check the platforms before you schedule them again."
LOST_TWO = "The service no longer has 2 posts you scheduled here. Their texts were saved to Drafts."


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> Faithless:
    return Faithless(clock)


@pytest.mark.parametrize(
    ("planned", "told"),
    [
        ([0], f"{LOST_ONE} {MAYBE_LIVE}"),
        ([1], LOST_ONE),
        ([0, HOUR], f"{LOST_TWO} {ONE_LIVE}"),
        ([0, -1], f"{LOST_TWO} {TWO_LIVE}"),
        ([1, HOUR], LOST_TWO),
    ],
    ids=str,
)
async def test_the_message_counts_the_posts_that_were_due_by_now(
    tmp_path: Path, service: Faithless, clock: HandClock, planned: list[int], told: str
) -> None:
    """``planned`` holds the times in ms after the moment at which the posts are missed."""

    account = service.add_account()
    async with opened(tmp_path, service, pace=replace(QUICK, losses=600)) as workspace:
        workspace.plan([new_post(account, f"{at}", START + HOUR + at) for at in planned])
        await settled(workspace)
        clock.now = START + HOUR
        service.missing = {str(post_id) for post_id in service.posts}
        await until(lambda: len(workspace.drafts.all()) == len(planned))
        said = workspace.said
    assert [(message.text, len(message.details.splitlines())) for message in said] == [(told, len(planned))]


@pytest.mark.parametrize("status", ["queued", "processing"])
async def test_a_post_that_was_at_the_platform_may_have_been_published(
    tmp_path: Path, service: Faithless, status: str
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        [key] = workspace.plan([new_post(account)])
        await settled(workspace)
        [post] = service.posts.values()
        post["status"] = status
        await until(lambda: (one := workspace.posts.get(key)) and one.status.value == status)
        service.posts.clear()
        await until(lambda: said(workspace) == [f"{LOST_ONE} {MAYBE_LIVE}"])


async def test_a_post_whose_outcome_is_unknown_may_have_been_published(
    tmp_path: Path, service: Faithless
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        workspace.plan([new_post(account)])
        await settled(workspace)
        unknown = update(posts).values(may_be_live=True)
        await workspace._core.database.write(lambda rows: rows.execute(unknown))
        service.posts.clear()
        await until(lambda: said(workspace) == [f"{LOST_ONE} {MAYBE_LIVE}"])


async def test_a_post_without_any_words_becomes_no_draft(tmp_path: Path, service: Faithless) -> None:
    account = service.add_account()
    async with opened(tmp_path, service, pace=replace(QUICK, losses=600)) as workspace:
        workspace.plan([new_post(account, " "), new_post(account, "Words")])
        await settled(workspace)
        service.missing = {str(post_id) for post_id in service.posts}
        await until(lambda: not len(workspace.posts))
        await until(workspace.drafts.all)
        assert texts(workspace) == ["Words"]
        told = workspace.said
    assert [message.text for message in told] == [LOST_ONE]


async def test_posts_that_are_lost_later_are_another_message(tmp_path: Path, service: Faithless) -> None:
    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        workspace.plan([new_post(account, "first")])
        await settled(workspace)
        service.missing = {str(post_id) for post_id in service.posts}
        await until(lambda: said(workspace) == [LOST_ONE])
        workspace.plan([new_post(account, "second")])
        await settled(workspace)
        service.missing = {str(post_id) for post_id in service.posts}
        await until(lambda: said(workspace) == [LOST_ONE] * 2)
        assert [message.details for message in workspace.said] == ["“first”", "“second”"]


async def test_a_draft_keeps_the_choice_for_tiktok_and_a_board_without_a_name(
    tmp_path: Path, service: Faithless
) -> None:
    choice = TikTokChoice(
        privacy=TikTokPrivacy.ONLY_ME,
        allow_comments=True,
        allow_duet=False,
        allow_stitch=False,
        your_brand=False,
        branded_content=False,
        ai_generated=True,
    )

    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        chosen = replace(new_post(account, "Chosen"), tiktok=choice, board_id="board-9")
        workspace.plan([chosen, new_post(account, "Plain")])
        await settled(workspace)
        service.posts.clear()
        await until(lambda: len(workspace.drafts.all()) == 2)
        drafts = {one.content.text: one.content for one in workspace.drafts.all()}
        assert drafts["Chosen"].tiktok == {account: TikTokDraft.of(choice)}
        assert drafts["Chosen"].boards == {account: Board("board-9", "")}
        plain = drafts["Plain"]
        assert (plain.title, plain.tiktok, plain.boards) == ("", {}, {})
        assert (plain.link, plain.upload_id) == ("", "")


async def test_several_posts_that_were_changed_are_counted(tmp_path: Path, service: Faithless) -> None:
    account = service.add_account()
    service.answers = lambda post: post | {"title": "Another"}
    async with opened(tmp_path, service, pace=replace(QUICK, losses=600)) as workspace:
        workspace.plan([new_post(account, "one"), new_post(account, "two")])
        await until(lambda: len(workspace.drafts.all()) == 2)
        told = workspace.said
    assert [(message.text, sorted(message.details.splitlines())) for message in told] == [
        (
            ("The service changed 2 posts you scheduled here. Your versions were saved to Drafts."),
            ["“one”: the title", "“two”: the title"],
        )
    ]


async def test_a_post_that_was_moved_before_it_is_confirmed_was_not_changed_by_the_service(
    tmp_path: Path, service: Faithless
) -> None:
    """The service confirms the time that was sent, although another one is wanted by then."""

    account = service.add_account()
    async with opened(tmp_path, service, pace=replace(QUICK, backoff=0.3)) as workspace:
        service.faults.append(("POST", "lose"))
        [key] = workspace.plan([new_post(account, "Ours", START + HOUR)])
        await until(lambda: len(service.posts) == 1)
        workspace.move({key: START + 5 * HOUR})
        await settled(workspace)
        [post] = service.posts.values()
        assert post["scheduled_at"] == format_timestamp(from_millis(START + 5 * HOUR))
        await asyncio.sleep(3 * QUICK.losses)
        assert (texts(workspace), said(workspace)) == ([], [])


async def test_a_post_that_is_sent_again_with_another_time_was_not_changed_by_the_service(
    tmp_path: Path, service: Faithless
) -> None:
    """It was moved while the service refused it."""

    account = service.add_account()
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.sync.connected)
        service.faults.append(("POST", "refuse"))
        [key] = workspace.plan([new_post(account, "Ours", START + HOUR)])
        service.during_post = lambda: workspace.move({key: START + 5 * HOUR})
        await settled(workspace)
        [post] = service.posts.values()
        assert post["scheduled_at"] == format_timestamp(from_millis(START + 5 * HOUR))
        await asyncio.sleep(3 * QUICK.losses)
        assert (texts(workspace), said(workspace)) == ([], [])
