"""The window with every variation of another service: it works, or says why not."""

import traceback
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.theme import theme
from tests.desktop.running import run
from tests.gallery.showing import watching
from tests.hostile.running import Service, controller
from tests.hostile.variation import Variation
from tests.hostile.variations import VARIATIONS
from tests.hostile.visit import visit
from tests.hostile.visitor import Visitor


@pytest.mark.parametrize("variation", VARIATIONS.values(), ids=VARIATIONS)
def test_every_pane_works_or_says_why_not(
    qapp: QApplication, tmp_path: Path, other: Service, variation: Variation
) -> None:
    theme.apply(qapp, "light")
    elsewhere = other.visit(variation.name)
    wrong: list[str] = []

    async def go_there() -> None:
        with watching() as noticed:
            async with controller(elsewhere, tmp_path) as made:
                try:
                    await visit(Visitor(made, variation, elsewhere), tmp_path)
                except Exception:  # noqa: BLE001  its traceback would keep closed windows alive
                    wrong.append(traceback.format_exc())
        wrong.extend(noticed)

    run(qapp, go_there)
    if wrong:
        pytest.fail("\n".join(wrong), pytrace=False)
