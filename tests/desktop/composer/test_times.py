"""The composer offers the next free posting time, and the next best one."""

from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.desktop.composer.times import TimeChips
from app.workspace.clock import wall_clock
from app.workspace.slots.slots import Slot
from tests.desktop.running import run, service_of_today, shown, workspace
from tests.desktop.slots.numbers import NOON, TUESDAY, ZONE, Numbers
from tests.workspace.opened import until


def test_a_best_time_is_said_to_be_one_and_another_time_is_not(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    key = service.add_account()
    Numbers(service, key, weeks=5)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await opened.analytics.refresh()
            async with shown(TimeChips(opened, ZONE, wall_clock)) as offer:
                await opened.slots.set(key, [Slot(key, TUESDAY, NOON + 30)])
                offer.show_for([key], None)
                await until(offer.next_free.accessibleDescription)
                why = "A best time: 1.5 times the average, from 5 of your posts, by views, last sampled"
                assert offer.next_free.accessibleDescription().startswith(why)
                assert not offer.best.isVisible()  # it would be the same hour
                await opened.slots.set(key, [Slot(key, TUESDAY, NOON + 60)])
                offer.show_for([key], None)
                assert offer.next_free.text().endswith("13:00")
                assert offer.next_free.accessibleDescription() == ""
                assert offer.best.text().startswith("Best Tue ")
                assert offer.best.accessibleDescription().startswith(why)
                taken: list[int] = []
                offer.taken.connect(taken.append)
                offer.best.click()
                offer.show_for([key], taken[0])
                assert not offer.best.isVisible()

    run(qapp, work)


def test_the_slot_is_offered_also_where_no_numbers_are_known(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    key = service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await opened.slots.set(key, [Slot(key, TUESDAY, NOON)])
            async with shown(TimeChips(opened, ZONE, wall_clock)) as offer:
                offer.show_for([key], None)
                assert offer.next_free.text().startswith("Next free Tue ")
                assert offer.next_free.accessibleDescription() == ""
                assert not offer.best.isVisible()

    run(qapp, work)
