"""Moving a post from its panel."""

from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.contract.enums import PostStatus
from app.desktop.inspector import Inspector
from tests.desktop.inspector.test_panel import DAY, HOUR, LISBON, NOON, only, ready
from tests.desktop.running import run, shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.model_tiktok import ModelTikTok
from tests.workspace.opened import until


def test_a_past_time_is_refused_in_words(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    service.add_post(service.add_account(), NOON)

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, only(opened))) as panel,
        ):
            await ready(panel)
            panel.move_button.click()
            panel.form.when.date.setDate(panel.form.when.date.date().addDays(-30))
            assert panel.form.when.note() == "That time has passed. Choose a later one."
            panel.form.move_button.click()
            assert panel.form.isVisible()
            assert opened.posts.all()[0].at == NOON

    run(qapp, work)


def test_a_post_that_is_cancelled_while_its_time_is_chosen_is_not_scheduled_again(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_post(service.add_account(), NOON, "Sale starts")

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, only(opened))) as panel,
        ):
            await ready(panel)
            panel.move_button.click()
            panel.form.when.set_at(NOON + DAY)
            opened.cancel([panel.key])
            panel.form.move_button.click()
            assert panel.form.refusal.text().startswith("It's cancelled.")
            assert panel.form.isVisible()
            panel.form.cancel_button.click()
            panel.move_button.click()
            assert panel.form.move_button.text() == "Schedule again"
            opened.schedule_again({panel.key: NOON})
            panel.form.when.set_at(NOON + DAY)
            panel.form.move_button.click()
            moved = opened.posts.get(panel.key)
            assert moved is not None
            assert (moved.status, moved.at) == (PostStatus.SCHEDULED, NOON + DAY)

    run(qapp, work)


def test_the_other_posts_of_an_idea_are_listed_opened_and_moved_with_it(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    first, second, third = (service.add_account() for _ in range(3))
    key = service.add_post(first, NOON, "Studio sale")
    other = service.add_post(second, NOON, "Studio sale")
    failed = service.add_post(third, NOON, "Studio sale", status="failed")
    service.add_post(third, NOON, "Another idea")

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, key)) as panel,
        ):
            await ready(panel)
            names = [button.accessibleName() for button in panel.together.buttons]
            assert sorted(names) == ["Open Account 2 on X, Scheduled", "Open Account 3 on X, Failed"]
            wanted: list[str] = []
            panel.other_wanted.connect(wanted.append)
            for button in panel.together.buttons:
                button.click()
            assert sorted(wanted) == sorted([other, failed])
            panel.together.move_button.click()
            assert panel.form.move_button.text() == "Move 2 posts"
            panel.form.confirmed.emit(NOON + DAY)
            assert {one.key for one in opened.posts.between(NOON + DAY, NOON + DAY + 1)} == {key, other}
            assert opened.undo_label == "Move 2 posts"

    run(qapp, work)


def test_a_post_that_is_moved_alone_leaves_the_others(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    key, other = (service.add_post(service.add_account(), NOON, "Studio sale") for _ in range(2))

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, key)) as panel,
        ):
            await ready(panel)
            assert panel.together.isVisible()
            panel.move_button.click()
            assert panel.form.move_button.text() == "Move"
            panel.form.confirmed.emit(NOON + DAY)
            assert [one.key for one in opened.posts.all()] == [other, key]
            assert not panel.together.isVisible()

    run(qapp, work)


def test_a_post_isn_t_moved_into_a_full_inbox(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("tiktok")
    for number in range(5):
        service.add_post(account, NOON + number * HOUR, f"Part {number}")
    key = service.add_post(account, NOON + 5 * DAY, "Wool")
    for post in service.posts.values():
        post["platform"] = "tiktok"
    ModelTikTok(service).inboxes = {account}

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, key)) as panel,
        ):
            await ready(panel)
            await until(lambda: opened.inboxes)
            panel.move_button.click()
            panel.form.when.set_at(NOON + HOUR)
            panel.form.when.changed.emit()
            assert panel.form.refusal.text().startswith("5 other posts for your TikTok inbox")
            panel.form.move_button.click()
            assert panel.form.isVisible()
            panel.form.when.set_at(NOON + 3 * DAY)
            panel.form.when.changed.emit()
            assert not panel.form.refusal.isVisible()
            panel.form.move_button.click()
            assert [one.key for one in opened.posts.all()][-1] == key
            assert [one.at for one in opened.posts.all()][-1] == NOON + 3 * DAY

    run(qapp, work)
