"""What was published is listed without a hole, looked through, and written into tables."""

from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.workspace.messages import Problem
from app.workspace.published import Published, PublishedFilter
from tests.workspace.model_history import keep_history, record
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import Opened, opened

LISBON = ZoneInfo("Europe/Lisbon")
ALL = PublishedFilter()


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock(), page_max=3)


async def texts(published: Published, wanted: PublishedFilter = ALL) -> list[str | None]:
    places = (await published.find(wanted)).places
    found = await published.read(places)
    return [found[place].description for place in places]


async def test_everything_is_listed_once_and_then_only_what_is_new(
    tmp_path: Path, service: ModelService
) -> None:
    records = [record(number) for number in range(1, 9)]
    asked = keep_history(service, records)

    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            published = workspace.published
            await published.refresh()
            assert await texts(published) == [f"Text {number}" for number in range(1, 9)]
            assert len(asked) == 3
            records.append(record(0))
            await published.refresh()
            assert (await texts(published))[0] == "Text 0"
            assert len(asked) == 5
            assert any(changes.published for changes in workspace.heard)

    await story()


async def test_a_listing_that_was_broken_off_leaves_no_hole(tmp_path: Path, service: ModelService) -> None:
    records = [record(number) for number in range(1, 21)]
    broken = [True]
    asked = keep_history(service, records, lambda _cursor: broken[0] and len(asked) > 3)

    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            with pytest.raises(Problem):
                await workspace.published.refresh()
            assert len(await texts(workspace.published)) == 9
        broken[0] = False
        records.extend(record(-number) for number in range(1, 6))
        async with opened(tmp_path, service) as again:
            await again.published.refresh()
            wanted = [f"Text {number}" for number in range(-5, 21) if number]
            assert await texts(again.published) == wanted
            asked.clear()
            await again.published.refresh()
            assert len(asked) == 1

    await story()


async def test_breaking_off_anywhere_any_number_of_times_leaves_no_hole(
    tmp_path: Path, service: ModelService
) -> None:
    """Each time another number of calls goes well, and something new comes between."""
    records = [record(number) for number in range(1, 31)]
    left = [0]

    def fails(_cursor: str | None) -> bool:
        left[0] -= 1
        return left[0] < 0

    keep_history(service, records, fails)

    async with opened(tmp_path, service) as workspace:
        for turn, calls in enumerate((2, 4, 1, 3, 0, 5, 2, 40), 1):
            left[0] = calls
            try:
                await workspace.published.refresh()
            except Problem:
                records.append(record(-turn))
                continue
        left[0] = 100
        await workspace.published.refresh()
        assert len(await texts(workspace.published)) == len(records)


async def test_words_platforms_kinds_and_surfaces_narrow_it(tmp_path: Path, service: ModelService) -> None:
    told: list[dict[str, Any]] = [
        record(1, "Café in the rain", platform="linkedin"),
        record(2, "Wool, three weights", media_type="image", created_via="mcp"),
        record(3, "A year of wool", platform="reels", created_via="fax", media_type="hologram"),
        record(4, "", title="Woollen", description=None, media_type=None, status=None),
    ]
    keep_history(service, told)

    async def found(workspace: Opened, **wanted: str) -> list[str | None]:
        return await texts(workspace.published, PublishedFilter(**wanted))

    async with opened(tmp_path, service) as workspace:
        await workspace.published.refresh()
        assert await found(workspace, words="cafe RAIN") == ["Café in the rain"]
        assert await found(workspace, words="woo") == ["Wool, three weights", "A year of wool", None]
        assert await found(workspace, platform="reels") == ["A year of wool"]
        assert await found(workspace, kind="image", via="mcp") == ["Wool, three weights"]
        choices = await workspace.published.choices()
        assert (set(choices.platforms), choices.count) == ({"x", "linkedin", "reels"}, 4)
        assert set(choices.vias) == {"rest", "mcp", "fax"}


async def test_a_table_holds_everything_and_nothing_in_it_runs(tmp_path: Path, service: ModelService) -> None:
    keep_history(
        service, [record(1, '=HYPERLINK("https://evil.example")'), record(2, "@SUM(A1)", title="+1")]
    )

    async with opened(tmp_path, service) as workspace:
        await workspace.published.refresh()
        places = (await workspace.published.find(ALL)).places
        assert await workspace.published.export(tmp_path / "out.csv", places, LISBON) == 2
        with pytest.raises(Problem, match="Couldn't write"):
            await workspace.published.export(tmp_path / "no" / "out.csv", places, LISBON)
    lines = (tmp_path / "out.csv").read_text("utf-8-sig").splitlines()
    assert lines[1].startswith("2026-11-21T07:30:00+00:00,x,rest,text,,\"'=HYPERLINK(")
    assert ",'+1,'@SUM(A1)," in lines[2]


@pytest.mark.parametrize("fault", ["500", "429", "garbage", "timeout"])
async def test_every_failure_is_a_problem_with_words(
    tmp_path: Path, service: ModelService, fault: str
) -> None:
    keep_history(service, [record(1)])

    async with opened(tmp_path, service) as workspace:
        service.faults = [("GET", fault)] * 50
        with pytest.raises(Problem):
            await workspace.published.refresh()
        service.faults.clear()


async def test_a_service_without_a_history_is_said_so(tmp_path: Path, service: ModelService) -> None:
    async with opened(tmp_path, service) as workspace:
        with pytest.raises(Problem, match="doesn't keep a publishing history"):
            await workspace.published.refresh()
