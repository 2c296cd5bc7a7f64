"""Warnings of an open workspace follow what happens to it."""

from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from app.contract.base import format_timestamp
from app.workspace.clock import from_millis
from app.workspace.editing.draft import ComposerDraft
from app.workspace.warnings.warning import WarningKind
from app.workspace.warnings.watch import PIECE
from app.workspace.workspace import Workspace
from tests.workspace.media.samples import picture
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, new_post, opened, until

EAGER = replace(QUICK, warnings=0.005)


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(clock: HandClock) -> ModelService:
    return ModelService(clock)


def kinds(workspace: Workspace) -> list[WarningKind]:
    return [one.kind for one in workspace.warnings.listed]


async def test_a_text_that_is_too_long_is_found_and_forgotten_with_the_post(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    service.add_post(account, START + HOUR, "short")
    long = service.add_post(account, START + 5 * HOUR, "word " * 80)

    async with opened(tmp_path, service, pace=EAGER) as workspace:
        await until(lambda: kinds(workspace) == [WarningKind.RULE])
        warning = workspace.warnings.listed[0]
        assert warning.key == long
        assert "too long for X (limit 280)" in warning.message
        assert any(changes.warnings for changes in workspace.heard)
        workspace.cancel([long])
        await until(lambda: not kinds(workspace))
        workspace.undo()
        await until(lambda: kinds(workspace) == [WarningKind.RULE])


async def test_a_text_that_is_changed_elsewhere_is_read_again(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    post = service.add_post(account, START + HOUR, "word " * 80)

    async with opened(tmp_path, service, pace=EAGER) as workspace:
        await until(lambda: kinds(workspace) == [WarningKind.RULE])
        service.posts[UUID(post)]["description"] = "short"
        await until(lambda: not kinds(workspace))


async def test_a_move_makes_a_warning_and_another_takes_it_away(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    first = service.add_post(account, START + HOUR, "one")
    second = service.add_post(account, START + 5 * HOUR, "two")

    async with opened(tmp_path, service, pace=EAGER) as workspace:
        await workspace.refresh()
        assert not kinds(workspace)
        workspace.move({second: START + HOUR + 60_000})
        await until(lambda: kinds(workspace) == [WarningKind.TOO_CLOSE])
        assert workspace.warnings.about(second)[0].other == first
        workspace.undo()
        await until(lambda: not kinds(workspace))


async def test_a_post_that_was_just_planned_is_looked_at(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    service.add_post(account, START + 9 * HOUR, "the same words")

    async with opened(tmp_path, service, pace=EAGER) as workspace:
        await workspace.refresh()
        [key] = workspace.plan([new_post(account, "the same words")])
        await until(lambda: kinds(workspace) == [WarningKind.SAME_TEXT])
        assert workspace.warnings.listed[0].other == key


async def test_access_that_ends_and_comes_back(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account("linkedin")
    service.add_post(account, START + 5 * HOUR)

    async with opened(tmp_path, service, pace=EAGER) as workspace:
        await workspace.refresh()
        service.connections[0]["token_expires_at"] = format_timestamp(from_millis(START + HOUR))
        await workspace.refresh()
        await until(lambda: kinds(workspace) == [WarningKind.ACCESS_ENDS])
        service.connections[0]["is_available"] = False
        await workspace.refresh()
        await until(lambda: kinds(workspace) == [WarningKind.ACCESS_ENDED])
        service.connections[0] |= {"is_available": True, "token_expires_at": None}
        await workspace.refresh()
        await until(lambda: not kinds(workspace))


async def test_more_posts_than_are_read_in_one_go(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    for number in range(PIECE + 20):
        service.add_post(account, START + (number + 1) * HOUR, f"{number} " + "word " * 80)

    async with opened(tmp_path, service, pace=EAGER) as workspace:
        await until(lambda: len(workspace.warnings.failing()) == PIECE + 20)


async def test_nothing_is_said_before_the_accounts_are_known(tmp_path: Path, service: ModelService) -> None:
    account = service.add_account()
    service.add_post(account, START + HOUR)

    async with opened(tmp_path, service, pace=EAGER) as workspace:
        await workspace.refresh()
    service.online = False
    async with opened(tmp_path, service, pace=EAGER) as workspace:
        await until(lambda: len(workspace.posts) == 1)
        assert not any(one.kind is WarningKind.NO_ACCOUNT for one in workspace.warnings.listed)


async def test_files_for_which_there_is_no_room_are_told_of_until_there_is(
    tmp_path: Path, service: ModelService
) -> None:
    service.tells_usage = True
    service.add_account("linkedin")
    service.online = False

    async with opened(tmp_path, service, pace=EAGER) as workspace:
        [upload] = await workspace.media.add_files([picture(tmp_path)])
        draft = ComposerDraft("Soon", at=START + 7 * HOUR, upload_id=upload.id)
        workspace.drafts.keep(draft)
        service.room = upload.size - 1
        service.online = True
        await until(lambda: kinds(workspace) == [WarningKind.NO_ROOM])
        [warning] = workspace.warnings.listed
        assert (warning.at, warning.needs, warning.free) == (
            START + 7 * HOUR,
            upload.size,
            upload.size - 1,
        )
        service.room = 10**9
        await workspace.media.retry(upload.id)
        await until(lambda: not kinds(workspace))


async def test_posts_after_the_end_of_a_subscription_are_told_of(
    tmp_path: Path, service: ModelService
) -> None:
    service.tells_usage = True
    ends = format_timestamp(from_millis(START + HOUR))
    service.subscription = {"status": "past_due", "current_period_end": ends}
    account = service.add_account()
    service.add_post(account, START + HOUR // 2, "one")
    later = service.add_post(account, START + 2 * HOUR, "two")

    async with opened(tmp_path, service, pace=replace(EAGER, limits_first=0.02)) as workspace:
        await until(lambda: kinds(workspace) == [WarningKind.SUBSCRIPTION])
        assert workspace.warnings.listed[0].key == later


async def test_a_service_is_asked_what_it_allows_only_when_it_may_matter(
    tmp_path: Path, service: ModelService
) -> None:
    service.tells_usage = True
    account = service.add_account("linkedin")
    service.add_post(account, START + HOUR)

    def asked() -> int:
        return sum(request.url.path.endswith("/usage") for request in service.requests)

    async with opened(tmp_path, service, pace=replace(EAGER, limits=0.01)) as workspace:
        await workspace.refresh()
        workspace.move({workspace.posts.all()[0].key: START + 3 * HOUR})
        await until(lambda: workspace.sync.waiting == 0)
        assert asked() == 0
        service.faults.append(("POST", "500"))
        await workspace.media.add_files([picture(tmp_path)])
        await until(lambda: asked() > 1)


async def test_the_hours_in_which_the_computer_was_on_are_kept(
    tmp_path: Path, service: ModelService, clock: HandClock
) -> None:
    account = service.add_account("linkedin")
    day = 24 * HOUR

    async def evening(number: int) -> None:
        clock.now = START + number * day
        async with opened(tmp_path, service, pace=EAGER, runs_here=True) as workspace:
            await until(lambda: WarningKind.ASLEEP in kinds(workspace))

    night = service.add_post(account, START + 30 * day + 12 * HOUR)
    for number in range(4):
        await evening(number)
    clock.now = START + 4 * day
    async with opened(tmp_path, service, pace=EAGER, runs_here=True) as workspace:
        await until(lambda: kinds(workspace) == [WarningKind.USUALLY_OFF])
        [warning] = workspace.warnings.about(night)
        assert warning.message.endswith("on any of the last 3 days.")
        assert workspace.usual_time(night) == START + 31 * day - HOUR


async def test_what_is_meant_so_is_put_aside_for_good_and_shown_again(
    tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()
    service.add_post(account, START + HOUR, "one")
    second = service.add_post(account, START + HOUR + 60_000, "two")
    long = service.add_post(account, START + 9 * HOUR, "word " * 80)

    async with opened(tmp_path, service, pace=EAGER) as workspace:
        await until(lambda: kinds(workspace) == [WarningKind.RULE, WarningKind.TOO_CLOSE])
        await workspace.put_aside(workspace.warnings.listed)
        await until(lambda: kinds(workspace) == [WarningKind.RULE])
        assert workspace.warnings.aside == 1
    async with opened(tmp_path, service, pace=EAGER) as workspace:
        await until(lambda: kinds(workspace) == [WarningKind.RULE])
        workspace.move({second: START + 8 * HOUR + 60_000})
        await until(lambda: [one.key for one in workspace.warnings.listed] == [long, long])
        workspace.undo()
        await until(lambda: kinds(workspace) == [WarningKind.RULE])
        await workspace.show_again()
        await until(lambda: len(kinds(workspace)) == 2)
        assert workspace.warnings.aside == 0
