"""Entering URL and key of another service: it opens, or a sentence says why not."""

import asyncio
from pathlib import Path

import pytest

from app.workspace.homes import Homes
from app.workspace.homes.certificates import presented_certificate
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.visit import Visits
from app.workspace.messages import Problem
from tests.hostile.running import Service
from tests.hostile.seen import NOT_FOR_PEOPLE
from tests.hostile.variation import Variation
from tests.hostile.variations import VARIATIONS
from tests.hostile.world import KEY


@pytest.mark.parametrize("variation", VARIATIONS.values(), ids=VARIATIONS)
def test_it_is_opened_or_says_why_not(tmp_path: Path, other: Service, variation: Variation) -> None:
    visits = Visits(Homes(tmp_path), Credentials(tmp_path))
    address = other.visit(variation.name).address

    async def enter() -> str:
        try:
            shown = await presented_certificate(address)
            visit = await visits.begin_service(address, KEY, trusted=shown, progress=lambda _text: None)
        except Problem as problem:
            assert visits.homes.all() == []
            return problem.text
        assert [home.base_url for home in visits.homes.all()] == [address]
        await visit.leave()
        return ""

    said = asyncio.run(enter())
    if not {"usage", "connections"} <= variation.fails:
        assert said == ""
    if said:
        assert said.endswith(".")
        assert not NOT_FOR_PEOPLE.search(said)
        assert "hanges" not in said, "there are none yet"
