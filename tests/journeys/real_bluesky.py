"""A post on Bluesky's own server, allowed on its own pages. Run ``pytest tests/journeys/real_bluesky.py``.

It isn't part of the suite, because it downloads and compiles the server first. Accounts there look like
practice accounts, since nothing else replaces ``bsky.social``.
"""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.journeys.bluesky import Login, publish
from tests.journeys.conftest import Play
from tests.journeys.hands import Hands
from tests.journeys.stage import Browser, Stage
from tests.journeys.wiretap import Wiretap
from tests.platforms.bluesky.forwarder import HANDLE, PASSWORD, forwarded, new_account
from tests.platforms.bluesky.pds import Addresses, running
from tests.platforms.bluesky.real_consent import allow
from tests.real_browser import chromium
from tests.workspace.programs import RealService, enrol, program

TEXT = "A first post from #Kalends"
_ACTIONS_MAX = 12

pytestmark = pytest.mark.skipif(bool(chromium.missing()), reason=f"not installed here: {chromium.missing()}")


class RealBrowser(Browser):
    """Chromium, in which the account's owner signs in and allows access."""

    def __init__(self, folder: Path) -> None:
        super().__init__("allow")
        self._folder = folder
        self.has_returned = threading.Event()

    def _decide(self, address: str) -> None:
        allow(
            address,
            PASSWORD,
            self._folder,
            lambda page: "onnected" in (page.evaluate("document.body.innerText") or ""),
        )
        self.has_returned.set()


@pytest.fixture
def servers() -> Iterator[Addresses]:
    with running() as found:
        yield found


@pytest.fixture
def on_pds(tmp_path: Path, servers: Addresses) -> Iterator[Stage]:
    data = tmp_path / "service"
    data.mkdir()
    key_id, key = enrol(data)
    with forwarded(servers) as practice_url:
        arguments = ("app.service", "serve", "--data", data, "--practice-url", practice_url)
        with program(tmp_path / "service.log", *arguments) as ready:
            service = RealService(data, ready["base_url"], ready["ca_file"], practice_url, key, str(key_id))
            stage = Stage(tmp_path, service, Wiretap(service.base_url, Path(service.ca_file), tmp_path))
            yield stage
            stage.wire.close()


def test_a_post_is_in_the_repository_of_the_real_server(
    on_pds: Stage, servers: Addresses, play: Play, tmp_path: Path
) -> None:
    did, _ = new_account(servers.pds)

    async def journey() -> None:
        async with on_pds.app() as actor:
            hands = Hands(actor.application.window)
            with RealBrowser(tmp_path / "browser") as browser:
                await publish(actor, hands, Login(HANDLE), TEXT)
                assert await asyncio.to_thread(browser.has_returned.wait, 60), "no closing page"
            print(*hands.done, sep="\n")
            assert len(hands.done) <= _ACTIONS_MAX, hands.done

    play(journey())
    asked = {"repo": did, "collection": "app.bsky.feed.post"}
    listed = httpx.get(f"{servers.pds}/xrpc/com.atproto.repo.listRecords", params=asked, trust_env=False)
    [record] = [one["value"] for one in listed.json()["records"]]
    assert record["text"] == TEXT
    [tag] = [feature["tag"] for facet in record["facets"] for feature in facet["features"]]
    assert tag == "Kalends"
