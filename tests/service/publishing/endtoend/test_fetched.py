"""Kinds that a platform only fetches: from the service's public address or the bucket's, or not at all."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.platforms.adapters import PullingAdapter
from app.platforms.base import FailureKind, LookBackOutcome
from app.platforms.registry import build_adapters
from app.platforms.rules import FILES
from app.platforms.wire import Timeouts
from app.service.media.settings import LIFETIME, MediaSettings
from app.service.media.stores import Place
from app.service.settings import PlatformApp, RunOptions, Settings
from tests.platforms.world import Practice, connect, media, program
from tests.service.media.bucket import running_bucket
from tests.service.publishing.endtoend.files import Sample
from tests.service.publishing.endtoend.stage import Stage, connect_everything, sha256, working
from tests.service.running import run_service
from tests.service.test_envelope import fields as issues

JPEG = Sample("image/jpeg", 640, 480)
_SOON = Timeouts(first_look=0.05)
C, P, T = ConnectionPlatform, PostingPlatform, PostType


@contextmanager
def staged(
    root: Path,
    practice_url: str,
    *,
    reachable: bool,
    settings: Settings | None = None,
    platforms: tuple[str, ...] = ("tiktok", "instagram"),
) -> Iterator[Stage]:
    """A service whose app for Instagram uses Instagram Login, so that accounts have no Pages."""
    app = PlatformApp(client_id="app", login="instagram")
    settings = (settings or Settings()).model_copy(update={"platforms": {ConnectionPlatform.INSTAGRAM: app}})
    adapters = build_adapters(practice_url, timeouts=_SOON, instagram_login=True)
    run = RunOptions(practice_url=practice_url)
    with (
        run_service(root, adapters, run, settings, reachable=reachable) as service,
        working(service),
        httpx.Client(verify=service.trust, trust_env=False, follow_redirects=True, timeout=60) as person,
        httpx.Client(base_url=practice_url, trust_env=False, timeout=60) as practice,
    ):
        caller = service.new_caller()
        yield Stage(caller, person, practice, connect_everything(caller, person, list(platforms)))
        service.forget_callers()
        service.await_(adapters.close)


@pytest.fixture(scope="module")
def fetching(tmp_path_factory: pytest.TempPathFactory, practice_url: str) -> Iterator[Stage]:
    with staged(tmp_path_factory.mktemp("service"), practice_url, reachable=True) as stage:
        yield stage


@pytest.fixture(scope="module")
def hidden(tmp_path_factory: pytest.TempPathFactory, practice_url: str) -> Iterator[Stage]:
    with staged(tmp_path_factory.mktemp("service"), practice_url, reachable=False) as stage:
        yield stage


def body(stage: Stage, platform: str, post_type: str = "image", sample: Sample = JPEG) -> dict[str, Any]:
    return {
        "social_account_id": stage.accounts[platform]["id"],
        "platform": platform,
        "post_type": post_type,
        "description": f"Fetched by {platform} 🧶",
        "media_storage_path": stage.stored(sample),
    }


@pytest.mark.parametrize("platform", ["tiktok", "instagram"])
def test_what_is_fetched_arrives_byte_by_byte(fetching: Stage, platform: str) -> None:
    post = fetching.publish(body(fetching, platform))

    record = fetching.content_of(post["id"])
    [entry] = fetching.ledger_of(record["content_id"])
    assert entry["media_sha256"] == sha256(JPEG.content)
    assert entry["text"] == f"Fetched by {platform} 🧶"
    assert entry["account_identifier"] == fetching.accounts[platform]["account_identifier"]
    assert [attempt["outcome"] for attempt in fetching.attempts(post["id"])] == ["published"]


def test_a_file_in_a_bucket_is_fetched_through_the_service(
    tmp_path_factory: pytest.TempPathFactory, practice_url: str
) -> None:
    with running_bucket(tmp_path_factory.mktemp("bucket")) as bucket:
        settings = Settings(media=MediaSettings(s3=bucket.settings))
        folder = tmp_path_factory.mktemp("service")
        with staged(folder, practice_url, reachable=True, settings=settings, platforms=("tiktok",)) as stage:
            post = stage.publish(body(stage, "tiktok"))

            [entry] = stage.ledger_of(stage.content_of(post["id"])["content_id"])
            assert entry["media_sha256"] == sha256(JPEG.content)
            assert not (folder / "media").exists()


def test_a_video_is_brought_to_an_account_without_a_page(hidden: Stage) -> None:
    clip = Sample("video/mp4", 540, 960)
    post = hidden.publish(body(hidden, "instagram", "video", clip))

    [entry] = hidden.ledger_of(hidden.content_of(post["id"])["content_id"])
    assert entry["media_sha256"] == sha256(clip.content)


@pytest.mark.parametrize("platform", ["tiktok", "instagram"])
def test_without_an_address_the_post_is_refused_when_it_is_created(hidden: Stage, platform: str) -> None:
    wanted = body(hidden, platform)
    refused = hidden.create(wanted)

    assert issues(refused) == {"post_type": "no_public_address"}
    [issue] = refused.json()["error"]["details"]["errors"]
    assert "downloads images from a public address, which this service doesn't have." in issue["message"]
    assert "Set public_origin under [media] in its settings" in issue["message"]
    bulk = hidden.caller.http.post("/posts/bulk", json={"posts": [wanted]}).json()
    assert [one["details"]["errors"][0]["field"] for one in bulk["rejected"]] == ["posts.0.post_type"]


def test_the_app_can_tell_in_advance(hidden: Stage, fetching: Stage) -> None:
    def told(stage: Stage) -> dict[str, list[str]]:
        found = stage.caller.http.get(f"{stage.caller.service.base_url}/companion/v1/platforms").json()
        return {one["platform"]: one["needs_address"] for one in found["data"] if one["needs_address"]}

    assert told(hidden) == {"tiktok": ["image"], "instagram": ["image"]}
    assert told(fetching) == {}


async def test_with_a_page_a_picture_needs_no_address(practice_url: str) -> None:
    found = []
    for without_page in (False, True):
        async with build_adapters(practice_url, instagram_login=without_page) as adapters:
            found.append(isinstance(adapters[C.INSTAGRAM], PullingAdapter))
    assert found == [False, True]


def test_the_table_names_what_is_fetched() -> None:
    fetched = {key for key, rules in FILES.items() if rules.pulled}

    assert fetched == {(P.TIKTOK, T.IMAGE), (P.INSTAGRAM, T.IMAGE)}


def test_an_address_serves_a_day_and_no_longer_whole_in_part_and_without_content(fetching: Stage) -> None:
    service, path = fetching.caller.service, fetching.stored(JPEG)
    parts = service.parts.api.state.service.media
    address = service.await_(lambda: parts.addresses.public(Place(path), JPEG.content_type))
    size = len(JPEG.content)

    assert address.startswith("https://")
    assert address.isascii()
    told = fetching.person.head(address)
    assert (told.status_code, told.headers["content-length"]) == (200, str(size))
    assert told.headers["content-type"] == "image/jpeg"
    part = fetching.person.get(address, headers={"Range": "bytes=3-9"})
    assert (part.status_code, part.content) == (206, JPEG.content[3:10])
    service.clock.ahead = LIFETIME - timedelta(minutes=1)
    assert fetching.person.get(address).content == JPEG.content
    service.clock.ahead = LIFETIME + timedelta(seconds=2)
    assert fetching.person.get(address).status_code == 403
    service.clock.ahead = timedelta()


# What practice has against an address, as the platforms would


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Practice]:
    """Practice platforms that know of one verified prefix alone."""
    data, option = tmp_path_factory.mktemp("strict"), ("--verified-prefix", "https://127.0.0.1/media/")
    with program(data, *option) as url, httpx.Client(base_url=url, trust_env=False) as http:
        yield Practice(url, http)


def publishing(practice: Practice, platform: Any, address: str | None) -> Callable[[], Any]:
    member = connect(practice, platform)

    async def told() -> str | None:
        return address

    file = media(JPEG.content, "image/jpeg", address=told)
    post = member.with_file("From an address", file)
    return lambda: practice.fail(platform, lambda adapter: adapter.publish(post))


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("https://elsewhere.example/a.jpg", "url_ownership_unverified"),
        ("https://127.0.0.1/other/a.jpg", "url_ownership_unverified"),
        ("http://127.0.0.1/media/a.jpg", "invalid_params"),
        ("https://127.0.0.1:9/media/a.jpg", "photo_pull_failed"),
        (None, "no_public_address"),
    ],
)
def test_tiktok_fetches_from_verified_https_addresses_alone(
    strict: Practice, address: str | None, code: str
) -> None:
    error = publishing(strict, C.TIKTOK, address)()

    assert error.code == code
    assert strict.http.get("/ledger").json()["data"] == []


def test_a_lost_answer_to_a_photo_is_never_taken_for_a_photo_that_is_not_there(strict: Practice) -> None:
    member = connect(strict, C.TIKTOK)

    async def told() -> str:
        return "https://127.0.0.1:9/media/a.jpg"

    post = member.with_file("Lost", media(JPEG.content, "image/jpeg", address=told))
    since = datetime.now(UTC)

    def look() -> LookBackOutcome:
        outcome: LookBackOutcome = strict.run(
            C.TIKTOK, lambda adapter: adapter.look_back(post, since=since, known=())
        ).outcome
        return outcome

    assert look() is LookBackOutcome.UNSENT
    assert strict.lose(C.TIKTOK, post, comes=False).kind is FailureKind.AMBIGUOUS
    assert look() is LookBackOutcome.UNKNOWABLE
