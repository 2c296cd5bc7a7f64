"""The window on a service that is not ours, in every variation: it works or says why not."""

import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.shell.house import House
from app.desktop.theme import theme
from tests.desktop.running import run
from tests.gallery.showing import watching
from tests.hostile.running import Elsewhere, Service, house, service
from tests.hostile.variation import Variation
from tests.hostile.variations import VARIATIONS
from tests.hostile.visit import administer, agree, look_around, look_closely, work


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("service")) as started:
        yield started


@pytest.mark.parametrize("variation", VARIATIONS.values(), ids=VARIATIONS)
def test_every_pane_works_or_says_why_not(
    qapp: QApplication, tmp_path: Path, other: Service, variation: Variation
) -> None:
    theme.apply(qapp, "light")
    elsewhere = other.visit(variation.name)
    wrong: list[str] = []

    async def visit() -> None:
        with watching() as noticed:
            async with house(elsewhere, tmp_path) as made:
                try:
                    await _look_and_work(made, variation, elsewhere)
                except Exception:  # noqa: BLE001  its traceback would hold windows that are gone
                    wrong.append(traceback.format_exc())
        wrong.extend(noticed)

    run(qapp, visit)
    if wrong:
        pytest.fail("\n".join(wrong), pytrace=False)


async def _look_and_work(made: House, variation: Variation, elsewhere: Elsewhere) -> None:
    state = await elsewhere.state()
    if not variation.fails & {"posts", "connections"}:
        await agree(made, elsewhere, "after the first look")
    await look_around(made, variation, state)
    await look_closely(made)
    await work(made, variation, elsewhere)
    await administer(made)
