"""Tables become posts, once: what is wrong comes back with its reason, and doing it again adds nothing."""

import asyncio
import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from PIL import Image

from app.contract.enums import PostStatus, PostType
from app.workspace.clock import from_millis
from app.workspace.exchange.csv_exchange import CsvFile
from app.workspace.exchange.csv_import import CsvImport, RowState
from app.workspace.messages import Problem
from app.workspace.posts.commands import PostCommands
from app.workspace.posts.new import NewPost
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import Opened, new_post, opened, settled, until

ZONE = "Europe/Lisbon"


def jpeg() -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (320, 320), "grey").save(written, "JPEG")
    return written.getvalue()


def written(folder: Path, rows: list[str], header: str = "Text,Account,Date") -> Path:
    path = folder / "plan.csv"
    path.write_text("\n".join([header, *rows]), "utf-8")
    return path


async def imported(workspace: Opened, path: Path) -> CsvImport:
    """Reads, checks and runs an import, and waits until the service has heard of everything."""
    file = await workspace.csv.read(path, ZONE)
    run = workspace.csv.begin(file, await workspace.csv.check(file, file.choices))
    await run.run()
    await heard(run)
    return run


async def heard(run: CsvImport) -> None:
    """Waits until the service has heard of everything that was planned."""
    await until(lambda: not run.counts().get(RowState.KEPT))


def three_hundred(account: str) -> list[str]:
    """280 good rows and 20 bad ones of several kinds among them."""
    bad = [
        f"No time,{account},2026-12-01",
        f"No such day,{account},2026-02-30 10:00",
        "No such account,@nobody,2026-12-01 10:00",
        f"{'long ' * 100},{account},2026-12-01 10:00",
        f"Over,{account},2020-01-01 10:00",
    ]
    rows = [f"Post number {i},{account},2026-12-{i % 28 + 1:02} {i % 24:02}:{i % 60:02}" for i in range(280)]
    for place in range(20):
        rows.insert(place * 15, bad[place % len(bad)])
    return rows


async def test_of_300_rows_with_20_bad_ones_280_become_posts_also_when_it_is_done_twice(
    tmp_path: Path,
) -> None:
    service = ModelService(HandClock())
    service.add_account()

    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        path = written(tmp_path, three_hundred("@account1"))
        first = await imported(workspace, path)
        assert first.counts() == {RowState.SENT: 280, RowState.REFUSED: 20}
        assert len(workspace.posts) == len(service.posts) == 280
        assert workspace.undo_label == "Schedule 280 posts"
        file = await workspace.csv.read(path, ZONE)
        back = tmp_path / "back.csv"
        await workspace.csv.save_results(back, file, first, only_back=True)
        rows = list(csv.DictReader(io.StringIO(back.read_text("utf-8-sig"), newline="")))
        assert len(rows) == 20
        assert all(row["Reason"] and row["Result"] == "not planned" for row in rows)
        second = await imported(workspace, path)
        assert second.counts() == {RowState.THERE: 280, RowState.REFUSED: 20}
    async with opened(tmp_path, service) as workspace:  # what was made is known after a restart
        await until(lambda: workspace.sync.connected)
        third = await imported(workspace, path)
        assert third.counts() == {RowState.THERE: 280, RowState.REFUSED: 20}
        assert len(workspace.posts) == 280
    assert len(service.posts) == len(service.effects) == 280


async def test_one_step_of_undo_takes_an_import_back(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    service.add_account()

    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        await imported(workspace, written(tmp_path, three_hundred("@account1")[:40]))
        workspace.undo()
        await until(lambda: workspace.sync.waiting == 0)
        assert workspace.undo_label is None
    assert {post["status"] for post in service.posts.values()} == {"cancelled"}


async def test_what_is_changed_during_an_import_is_no_part_of_its_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows repeated in the table make a batch that plans nothing, after a post was cancelled meanwhile."""
    service = ModelService(HandClock())
    account = service.add_account()
    rows = [f"Row {n},{account},2026-12-{n % 28 + 1:02} 10:00" for n in range(300)]
    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        (mine,) = workspace.plan([new_post(account, "Cancelled meanwhile", START + HOUR)])
        await settled(workspace)
        file = await workspace.csv.read(
            written(tmp_path, [*rows, *rows, f"Last,{account},2026-12-30 10:00"]), ZONE
        )
        run = workspace.csv.begin(file, await workspace.csv.check(file, file.choices))
        plan, calls = PostCommands.plan, list[object]()

        def plan_and_cancel(self: PostCommands, posts: Sequence[NewPost], **how: Any) -> list[str]:
            keys = plan(self, posts, **how)
            if len(calls) == len(rows) // 30 - 1:  # the rest of the table repeats it, but for its last row
                asyncio.get_running_loop().call_soon(workspace.cancel, [mine])
            calls.append(posts)
            return keys

        monkeypatch.setattr(PostCommands, "plan", plan_and_cancel)
        await run.run()
        assert len(calls) > 2
        workspace.undo()
        await settled(workspace)
        cancelled = workspace.posts.get(mine)
        assert cancelled is not None
        assert cancelled.status is PostStatus.CANCELLED


async def test_what_the_service_refuses_comes_back_with_its_words(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    service.add_account()

    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        service.faults += [
            ("POST", "refuse"),
            ("POST", "refuse"),
        ]  # both together, then one of them alone
        rows = ["One,@account1,2026-12-01 10:00", "Two,@account1,2026-12-01 11:00"]
        run = await imported(workspace, written(tmp_path, rows))
        assert sorted(result.state.value for result in run.results()) == ["refused", "sent"]
        assert {result.reason for result in run.results()} == {"", "not today"}
        again = await imported(workspace, written(tmp_path, rows))
        assert sorted(result.state.value for result in again.results()) == ["sent", "there"]
    assert sorted(service.effects) == ["One", "Two"]


async def test_without_the_service_posts_are_kept_and_sent_later(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    service.add_account()

    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        service.online = False
        file = await workspace.csv.read(written(tmp_path, three_hundred("account1")[:90]), ZONE)
        run = workspace.csv.begin(file, await workspace.csv.check(file, file.choices))
        await run.run()
        assert run.counts() == {RowState.KEPT: 84, RowState.REFUSED: 6}
        service.online = True
        await until(lambda: run.counts().get(RowState.SENT) == 84)
    assert len(service.effects) == 84


async def test_a_stopped_import_goes_on_where_it_was(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    service.add_account()

    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        path = written(tmp_path, three_hundred("account1")[:90])
        file = await workspace.csv.read(path, ZONE)
        run = workspace.csv.begin(file, await workspace.csv.check(file, file.choices))
        run.listen(lambda _none: run.stop())
        await run.run()
        made = run.counts()
        assert made[RowState.STOPPED] > 0
        assert made[RowState.STOPPED] + len(workspace.posts) == 84
        again = await imported(workspace, path)
        assert again.counts()[RowState.THERE] + again.counts()[RowState.SENT] == 84
    assert len(service.effects) == 84


async def test_files_are_uploaded_once_however_many_rows_name_them(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    service.add_account()
    (tmp_path / "coat.jpg").write_bytes(jpeg())

    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        rows = [f"Coat {i},account1,2026-12-0{i} 10:00,coat.jpg" for i in (1, 2, 3)]
        rows += ["Gone,account1,2026-12-04 10:00,gone.jpg", "Text,account1,2026-12-05 10:00,"]
        path = written(tmp_path, rows, "Text,Account,Date,Image")
        file = await workspace.csv.read(path, ZONE)
        checked = await workspace.csv.check(file, file.choices)
        assert [row.blocked for row in checked] == [False, False, False, True, False]
        assert [issue.text for issue in checked[3].issues] == ["Couldn't read “gone.jpg”: it doesn't exist."]
        run = workspace.csv.begin(file, checked)
        await run.run()
        await heard(run)
        assert run.counts() == {RowState.SENT: 4, RowState.REFUSED: 1}
        again = await imported(workspace, path)
        assert again.counts() == {RowState.THERE: 4, RowState.REFUSED: 1}
    assert list(service.files.values()) == [jpeg()]
    kinds = [post["post_type"] for post in service.posts.values()]
    assert sorted(kinds) == ["image", "image", "image", "text"]


async def test_what_goes_out_can_come_in_again_and_makes_nothing_twice(tmp_path: Path) -> None:
    service = ModelService(HandClock(START - 60 * 86_400_000))  # before the clock is put back
    service.add_account()

    async def story() -> list[tuple[int, str]]:
        async with opened(tmp_path, service) as workspace:
            await until(lambda: workspace.accounts)
            rows = [
                '"=HYPERLINK(""x"")\nsecond line",account1,2026-10-25T01:30:00+00:00',
                "Plain,account1,2026-12-01 10:00",
            ]
            await imported(workspace, written(tmp_path, rows))
            out = tmp_path / "out.csv"
            assert await workspace.csv.export(out, workspace.posts, ZoneInfo(ZONE)) == 2
            text = out.read_text("utf-8-sig")
            assert "'=HYPERLINK" in text
            again = await imported(workspace, out)
            assert again.counts() == {RowState.THERE: 2}
            return [(post.at, post.headline) for post in workspace.posts]

    async def elsewhere() -> list[tuple[int, str]]:
        async with opened(tmp_path / "other", other) as workspace:
            await until(lambda: workspace.accounts)
            run = await imported(workspace, tmp_path / "out.csv")
            assert run.counts() == {RowState.SENT: 2}
            return [(post.at, post.headline) for post in workspace.posts]

    other = ModelService(service.clock)
    other.add_account()
    (tmp_path / "other").mkdir()
    assert await story() == await elsewhere()
    assert len(service.posts) == len(other.posts) == 2


async def test_an_import_that_was_undone_can_be_imported_again(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    service.add_account()

    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        path = written(tmp_path, ["One,@account1,2026-12-01 10:00", "Two,@account1,2026-12-02 10:00"])
        for times in (1, 2, 3):
            run = await imported(workspace, path)
            assert run.counts() == {RowState.SENT: 2}
            assert len(service.posts) == 2 * times
            workspace.undo()
            await settled(workspace)
        workspace.redo()
        await settled(workspace)
        assert (await imported(workspace, path)).counts() == {RowState.THERE: 2}
    assert sorted(post["status"] for post in service.posts.values()) == ["cancelled"] * 4 + ["scheduled"] * 2


async def test_a_row_whose_post_was_cancelled_stays_cancelled(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    service.add_account()

    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        path = written(tmp_path, ["One,@account1,2026-12-01 10:00"])
        await imported(workspace, path)
        workspace.cancel([post.key for post in workspace.posts])
        await settled(workspace)
        [row] = (await imported(workspace, path)).rows
        assert row.is_there
        assert [issue.text for issue in row.issues if issue.text.startswith("This post was cancelled")]
    assert len(service.posts) == 1


async def test_what_columns_mean_is_remembered(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    service.add_account()

    async def story() -> CsvFile:
        async with opened(tmp_path, service) as workspace:
            path = written(tmp_path, ["a,b,2026-12-01 10:00"], "One,Two,Three")
            file = await workspace.csv.read(path, ZONE)
            await workspace.csv.remember(file, file.choices)
        async with opened(tmp_path, service) as workspace:
            return await workspace.csv.read(path, "Asia/Tokyo")

    file = await story()
    assert file.remembered
    assert file.choices.zone == ZONE


async def test_a_file_that_proves_another_order_of_day_and_month_overrides_the_remembered_one(
    tmp_path: Path,
) -> None:
    service = ModelService(HandClock())
    service.add_account()

    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        file = await workspace.csv.read(written(tmp_path, ["One,@account1,25/11/2027 10:00"]), ZONE)
        await workspace.csv.remember(file, file.choices)
        lines = ["One,@account1,11/25/2027 10:00", "Two,@account1,12/05/2027 10:00"]
        file = await workspace.csv.read(written(tmp_path, lines), ZONE)
        rows = await workspace.csv.check(file, file.choices)
        days = [from_millis(post.at).date().isoformat() for row in rows for post in row.posts if post.at]
        assert days == ["2027-11-25", "2027-12-05"]
        assert file.remembered


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "has no rows"), (b"Text,Date\n\n", "has no rows"), (None, "Couldn't read")],
)
async def test_a_file_without_rows_is_told_of(tmp_path: Path, content: bytes | None, words: str) -> None:
    service = ModelService(HandClock())
    path = tmp_path / "plan.csv"
    if content is not None:
        path.write_bytes(content)

    async with opened(tmp_path, service) as workspace:
        with pytest.raises(Problem, match=words):
            await workspace.csv.read(path, ZONE)


async def test_images_keep_their_kind(tmp_path: Path) -> None:
    service = ModelService(HandClock())
    service.add_account("linkedin")
    (tmp_path / "coat.jpg").write_bytes(jpeg())

    async with opened(tmp_path, service) as workspace:
        await until(lambda: workspace.accounts)
        path = written(tmp_path, ["Coat,linkedin,2026-12-01 10:00,coat.jpg"], "Text,Network,Date,Image")
        run = await imported(workspace, path)
        assert run.counts() == {RowState.SENT: 1}
        (post,) = workspace.posts
        assert (post.post_type, post.media) == (PostType.IMAGE, next(iter(service.files)))
