"""What is different where files lie in a bucket; what is not, the other modules try on both stores."""

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from app.contract.enums import PostType
from app.service.media import rows
from app.service.media.buckets import Bucket as OpenBucket
from app.service.media.buckets import open_bucket
from app.service.media.s3 import S3MediaStore
from app.service.media.settings import LIFETIME, MediaSettings, expiry
from app.service.media.stores import Place
from app.service.problems import CommandProblem
from app.service.settings import RunOptions, Settings
from app.service.store.tables import media
from tests.service.media.bucket import NAME, SECRET, Bucket, cutting
from tests.service.media.origins import serving
from tests.service.media.samples import image, video
from tests.service.media.shelf import Shelf, refusal, wait_until
from tests.service.running import run_service

pytestmark = pytest.mark.parametrize("service", ["bucket"], indirect=True)
PNG = image()
LARGE = PNG + hashlib.shake_128(b"large").digest(40 * 1024 * 1024)


def key_of(shelf: Shelf) -> str:
    (row,) = shelf.rows()
    key: str = row["object_key"]
    return key


def test_a_file_is_an_object_below_its_path_in_the_prefix(shelf: Shelf, bucket: Bucket) -> None:
    path = shelf.store(PNG, "Zürich [1] ~.png")

    assert key_of(shelf).rpartition("/")[0] == path
    assert bucket.held(path) == [key_of(shelf)]
    assert bucket.content(key_of(shelf)) == PNG
    assert shelf.folder.exists() is False


def test_a_large_file_goes_in_parts_and_leaves_none_behind(shelf: Shelf, bucket: Bucket) -> None:
    path = shelf.store(LARGE, "clip.png")

    assert shelf.content(path) == LARGE
    assert shelf.rows()[0]["sha256"] == hashlib.sha256(LARGE).hexdigest()
    assert bucket.unfinished() == 0


def test_an_upload_that_is_cut_off_leaves_nothing(shelf: Shelf, bucket: Bucket) -> None:
    given = shelf.announce(len(LARGE))

    def half() -> Iterator[bytes]:
        yield LARGE[: 36 * 1024 * 1024]
        raise ConnectionError("cut off")

    with pytest.raises(ConnectionError):
        shelf.links.put(given["upload_url"], content=half(), headers={"Content-Length": str(len(LARGE))})
    refusal(shelf.caller.http.get(f"/media/{given['storage_path']}"), 404)
    assert shelf.links.put(given["upload_url"], content=LARGE).status_code == 200
    assert bucket.held(given["storage_path"]) == [key_of(shelf)]
    wait_until(
        lambda: bucket.unfinished() == 0
    )  # the service may notice later that the first one was cut off


@pytest.mark.parametrize("times", [0, 4])
def test_an_abandoned_upload_leaves_no_parts_even_if_aborting_it_fails_at_first(
    shelf: Shelf, bucket: Bucket, times: int
) -> None:
    """The transfer's own attempts to abort it all break."""
    with cutting(str(bucket.settings.endpoint), b"DELETE ", times) as endpoint:
        store = S3MediaStore(open_bucket(bucket.settings.model_copy(update={"endpoint": endpoint})))
        incoming = store.begin(shelf.announce(len(LARGE))["storage_path"])
        incoming.write(LARGE)
        incoming.write(LARGE)
        incoming.abandon()

    assert bucket.unfinished() == 0


def test_what_is_not_what_it_was_announced_as_never_becomes_an_object(shelf: Shelf, bucket: Bucket) -> None:
    given = shelf.announce(len(PNG), "photo.jpg", "image/jpeg")
    refusal(shelf.links.put(given["upload_url"], content=PNG), 400)

    assert bucket.held(given["storage_path"]) == []


def test_a_view_is_a_link_to_the_bucket_for_as_long_as_was_asked(shelf: Shelf) -> None:
    path = shelf.store(video(), "clip.mp4", "video/mp4")
    url = shelf.view_url(path, expires_in_seconds=77)
    shown = httpx.get(url, trust_env=False)

    assert url.isascii()
    assert parse_qs(urlsplit(url).query)["X-Amz-Expires"] == ["77"]
    assert urlsplit(url).path == f"/{NAME}/kalends/{key_of(shelf)}"
    assert (shown.content, shown.headers["content-type"]) == (video(), "video/mp4")
    assert shown.headers["content-disposition"].startswith("inline; filename*=utf-8''clip.mp4")
    assert SECRET not in url
    shelf.caller.http.delete(f"/media/{path}")
    assert httpx.get(url, trust_env=False).status_code in {403, 404}


def through_service(shelf: Shelf, path: str) -> str:
    """The address below a public origin, at which the service passes the file on."""
    return shelf.parts.signer.view(shelf.service.base_url, path, expiry(shelf.service.clock(), LIFETIME))


@pytest.mark.parametrize(
    ("asked", "status", "first", "end"),
    [
        (None, 200, 0, len(PNG)),
        ("bytes=5-9", 206, 5, 10),
        ("bytes=10-", 206, 10, len(PNG)),
        ("bytes=-7", 206, len(PNG) - 7, len(PNG)),
        ("bytes=0-99999", 206, 0, len(PNG)),
        ("bytes=9-5", 200, 0, len(PNG)),
        ("bytes=-1", 206, len(PNG) - 1, len(PNG)),
    ],
)
def test_the_service_passes_a_file_on(
    shelf: Shelf, asked: str | None, status: int, first: int, end: int
) -> None:
    url = through_service(shelf, shelf.store(PNG))
    headers = {"Range": asked} if asked else {}
    answer, told = shelf.links.get(url, headers=headers), shelf.links.head(url, headers=headers)

    assert (answer.status_code, answer.content) == (status, PNG[first:end])
    assert (told.status_code, told.content) == (status, b"")
    for one in (answer, told):
        assert one.headers["content-length"] == str(end - first)
        assert (one.headers["content-type"], one.headers["accept-ranges"]) == ("image/png", "bytes")
        assert one.headers.get("content-range") == (
            f"bytes {first}-{end - 1}/{len(PNG)}" if status == 206 else None
        )
        assert "sandbox" in one.headers["content-security-policy"]


def test_beyond_the_end_there_is_nothing_and_of_another_version_there_is_the_whole(shelf: Shelf) -> None:
    url = through_service(shelf, shelf.store(PNG))

    for beyond in (f"bytes={len(PNG)}-", "bytes=-0", "bytes=-000"):
        refusal(shelf.links.get(url, headers={"Range": beyond}), 416)
        told = shelf.links.head(url, headers={"Range": beyond})
        assert (told.status_code, told.headers["content-range"]) == (416, f"bytes */{len(PNG)}")
    other = shelf.links.get(url, headers={"Range": "bytes=0-3", "If-Range": '"other"'})
    assert (other.status_code, other.content) == (200, PNG)


def test_a_file_that_is_gone_from_the_bucket_is_not_there(shelf: Shelf, bucket: Bucket) -> None:
    path = shelf.store(PNG)
    bucket.delete(key_of(shelf))

    refusal(shelf.links.get(through_service(shelf, path)), 404)
    while shelf.service.await_(shelf.parts.prober.probe_some):
        pass
    assert shelf.rows()[0]["probe_after"] is None


def test_a_file_is_looked_into(shelf: Shelf) -> None:
    large = video(width=96, height=64) + b"\0\0\0\0"
    shelf.store(large + hashlib.shake_128(b"x").digest(70 * 1024 * 1024), "clip.mp4", "video/mp4")
    while shelf.service.await_(shelf.parts.prober.probe_some):
        pass
    (row,) = shelf.rows()

    assert (row["width"], row["height"], row["probe_after"]) == (96, 64, None)


def sweep(shelf: Shelf, *, later: timedelta) -> None:
    shelf.service.clock.ahead += later
    shelf.parts.sweeper.sweep()


def notes(bucket: Bucket, shelf: Shelf) -> list[str]:
    """The objects of the account that are set aside."""
    own = str(shelf.caller.account_id)
    return [key.split("/", 2)[2] for key in bucket.held(".strays/") if own in key]


def test_objects_without_a_row_go_after_thirty_days_in_which_they_stay_where_they_are(
    shelf: Shelf, bucket: Bucket
) -> None:
    kept = [shelf.store(PNG) for _ in range(12)]
    keys = bucket.held(str(shelf.caller.account_id))
    stray, double = f"{shelf.caller.account_id}/photo-0.png/0a0a0a0a", f"{kept[0]}/0b0b0b0b"
    for key in (stray, double, "README"):
        bucket.put(key, b"left behind")
    sweep(shelf, later=timedelta(hours=23))
    assert notes(bucket, shelf) == []
    sweep(shelf, later=timedelta(hours=2))
    for days in (10, 20, 2, 0.9):
        assert notes(bucket, shelf) == sorted([stray, double])
        assert bucket.content(stray) == b"left behind"
        sweep(shelf, later=timedelta(days=days))
    assert notes(bucket, shelf) == sorted([stray, double])
    sweep(shelf, later=timedelta(days=0.2))

    assert notes(bucket, shelf) == []
    assert bucket.held(str(shelf.caller.account_id)) == keys
    assert "README" in bucket.held()  # not a file of ours
    bucket.delete("README")


def test_an_object_that_gets_its_row_back_is_kept(shelf: Shelf, bucket: Bucket) -> None:
    path, *_ = [shelf.store(PNG) for _ in range(12)]
    named = media.c.storage_path == path
    [row] = [row for row in shelf.rows() if row["storage_path"] == path]
    shelf.service.database.write_now(lambda opened: opened.execute(media.delete().where(named)))
    sweep(shelf, later=timedelta(days=2))
    assert notes(bucket, shelf) == [row["object_key"]]
    shelf.service.database.write_now(lambda opened: opened.execute(media.insert().values(dict(row))))
    for _ in range(3):
        sweep(shelf, later=timedelta(days=31))

    assert notes(bucket, shelf) == []
    assert shelf.content(path) == PNG


@pytest.mark.parametrize(
    "key", ["notes.txt", "2026-11-30", "2026-11-30/notes.txt", "old/account/photo.png/0a0a0a0a"]
)
def test_other_objects_in_quarantine_are_left_alone(shelf: Shelf, bucket: Bucket, key: str) -> None:
    for _ in range(12):
        shelf.store(PNG)
    stray = f"{shelf.caller.account_id}/photo-1.png/0a0a0a0a"
    bucket.put(stray, b"left behind")
    bucket.put(f".strays/{key}", b"")
    for days in (2, 31, 2):
        sweep(shelf, later=timedelta(days=days))

    assert stray not in bucket.held()
    assert f".strays/{key}" in bucket.held()
    bucket.delete(f".strays/{key}")


def test_a_bucket_that_hardly_matches_the_rows_is_left_alone(shelf: Shelf, bucket: Bucket) -> None:
    shelf.store(PNG)
    strays = [f"{shelf.caller.account_id}/photo-{number}.png/0a0a0a0a" for number in range(3)]
    for key in strays:
        bucket.put(key, b"left behind")
    for _ in range(3):
        sweep(shelf, later=timedelta(days=31))

    assert set(strays) <= set(bucket.held())
    assert notes(bucket, shelf) == []


def test_an_object_that_is_missing_twice_a_day_apart_is_lost_until_it_is_back(
    shelf: Shelf, bucket: Bucket
) -> None:
    kept, lost = shelf.store(PNG), shelf.store(PNG)
    (key,) = bucket.held(lost)
    bucket.delete(key)
    sweep(shelf, later=timedelta(hours=1))
    sweep(shelf, later=timedelta(hours=23))
    assert shelf.used_bytes() == 2 * len(PNG)
    sweep(shelf, later=timedelta(hours=2))
    assert shelf.used_bytes() == len(PNG)
    refusal(shelf.caller.http.get(f"/media/{lost}"), 404)
    bucket.put(key, PNG)
    sweep(shelf, later=timedelta(hours=1))

    assert shelf.used_bytes() == 2 * len(PNG)
    assert shelf.content(lost) == shelf.content(kept) == PNG


def test_what_a_person_removed_while_the_bucket_was_away_goes_with_the_next_sweep(
    shelf: Shelf, bucket: Bucket
) -> None:
    path = shelf.store(PNG)
    (row,) = shelf.rows()
    shelf.service.database.write_now(lambda opened: rows.delete_owned(opened, shelf.caller.account_id, path))
    assert bucket.held(path) == [row["object_key"]]
    sweep(shelf, later=timedelta())

    assert bucket.held(path) == []


def test_an_import_goes_to_the_bucket(
    tmp_path_factory: pytest.TempPathFactory, service: object, bucket: Bucket
) -> None:
    del service
    settings = Settings(media=MediaSettings(s3=bucket.settings))
    run = RunOptions(practice_url="http://practice.invalid", allow_private_network=True)
    with (
        serving() as origin,
        run_service(tmp_path_factory.mktemp("importing"), {}, run, settings) as importing,
        httpx.Client(verify=importing.trust, trust_env=False) as links,
    ):
        shelf = Shelf(importing.new_caller(), links)
        url = origin.add("/wool.png", PNG, content_type="image/png", told=True)
        answer = shelf.caller.http.post("/media/attach-from-url", json={"url": url})
        assert answer.status_code == 200, answer.text
        assert bucket.content(key_of(shelf)) == PNG
        importing.forget_callers()


def test_a_public_address_is_a_link_for_a_day_where_the_bucket_is_public(shelf: Shelf) -> None:
    addresses = shelf.parts.addresses
    shelf.store(PNG)
    place = Place(shelf.rows()[0]["storage_path"], key_of(shelf))

    assert shelf.service.await_(lambda: addresses.public(place, "image/png")) is None  # plain http
    addresses._is_reachable = True
    url = shelf.service.await_(lambda: addresses.public(place, "image/png"))
    addresses._is_reachable = False
    assert url is not None
    assert parse_qs(urlsplit(url).query)["X-Amz-Expires"] == [str(24 * 3600)]
    assert httpx.get(url, trust_env=False).content == PNG


@pytest.fixture
def opened(bucket: Bucket) -> OpenBucket:
    return open_bucket(bucket.settings)


async def test_two_uploads_to_one_path_never_touch_each_other(service: object, opened: OpenBucket) -> None:
    del service
    store = S3MediaStore(opened)
    first, second = store.begin("an-account/a.png"), store.begin("an-account/a.png")
    first.write(b"first")
    second.write(b"second")
    first.finish()
    second.finish()
    kept = first.keep("an-account/a.png")
    second.abandon()
    first.abandon()

    async def read() -> bytes:
        async with store.open_at(kept, 0) as chunks:
            return b"".join([chunk async for chunk in chunks])

    assert await read() == b"first"
    store.remove(Place("an-account/a.png"))
    assert store.missing([kept, Place("an-account/b.png")]) == [kept]


def test_an_unreachable_bucket_is_an_os_error_without_names(
    service: object, bucket: Bucket, caplog: pytest.LogCaptureFixture
) -> None:
    del service
    away = bucket.settings.model_copy(update={"endpoint": "http://127.0.0.1:9"})
    store = S3MediaStore(open_bucket(away))
    incoming = store.begin("an-account/a.png")
    incoming.write(b"bytes")

    with pytest.raises(OSError, match="the bucket could not be used") as caught:
        incoming.finish()
    assert SECRET not in f"{caught.value}{caplog.text}"
    assert "127.0.0.1" not in str(caught.value)


def test_without_keys_it_says_where_they_were_looked_for(
    service: object, bucket: Bucket, tmp_path: Path
) -> None:
    del service
    empty = tmp_path / "empty"
    empty.write_text("[other]\n", "utf-8")
    with pytest.raises(CommandProblem, match="There are no credentials for the bucket our-files in"):
        open_bucket(bucket.settings.model_copy(update={"credentials_file": empty}))


def test_a_post_is_created_with_a_file_in_the_bucket(shelf: Shelf) -> None:
    path = shelf.store(PNG)
    body = shelf.caller.post_body(
        shelf.caller.connect(), post_type=PostType.IMAGE.value, media_storage_path=path
    )
    answer = shelf.caller.http.post("/posts", json=body)

    assert answer.status_code == 201, answer.text
    assert shelf.caller.http.delete(f"/media/{path}").json()["deleted"] is False
