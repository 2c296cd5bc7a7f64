"""Only signed, newer and intact updates are installed; everything else leaves nothing behind."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.network import Way
from app.updates.build import Channel, Kind, Version
from app.updates.feed import FEED_MAX, INSTALLER_MAX, Reason
from app.updates.updater import DAY_MS, Patience, Report, Standing, Updater
from tests.updates.server import INSTALLER, Place, head, plain, serving

OLD = b"what runs now"
SHORT = Patience(answer_s=5, pause_s=1, grace_s=0.3, pace=4096)


@dataclass
class Clock:
    now: int = 1_800_000_000_000

    def __call__(self) -> int:
        return self.now


@dataclass
class Scene:
    place: Place
    image: Path
    clock: Clock
    reports: list[Report]
    updater: Updater

    async def started(self, version: str = "") -> Updater:
        """Restart the app as this version."""
        channel = self.updater.channel
        if version:
            channel = replace(channel, version=Version.read(version))
        self.updater = _updater(channel, self)
        await self.updater.open()
        return self.updater

    @property
    def files(self) -> list[str]:
        return sorted(file.name for file in self.updater.shelf.folder.iterdir() if file.suffix != ".json")


def _updater(channel: Channel, scene: Scene) -> Updater:
    folder = scene.image.parent / "data" / "updates"
    told, place = scene.reports.append, scene.place
    return Updater(channel, folder, Way(), clock=scene.clock, told=told, trust=place.trust, patience=SHORT)


@asynccontextmanager
async def scene(folder: Path) -> AsyncIterator[Scene]:
    image = folder / "Kalends.AppImage"
    image.write_bytes(OLD)
    async with serving(folder) as place:
        keys = (place.public_key,)
        channel = Channel(f"{place.base}/feed", keys, Version(1, 0, 0), "linux-x64", Kind.APPIMAGE, image)
        made = Scene(place, image, Clock(), [], None)  # type: ignore[arg-type]
        made.updater = _updater(channel, made)
        await made.updater.open()
        yield made


async def run(folder: Path, work: Callable[[Scene], Awaitable[None]]) -> None:
    async def story() -> None:
        async with asyncio.timeout(60), scene(folder) as made:
            await work(made)

    await story()


async def test_a_newer_version_is_downloaded_and_takes_the_place_of_the_old_one_on_quit(
    tmp_path: Path,
) -> None:
    async def work(it: Scene) -> None:
        it.place.publish("1.1.0")
        assert await it.updater.look() == Report(Standing.READY, "1.1.0")
        assert [report.standing for report in it.reports] == ["looking", "downloading", "ready"]
        assert it.image.read_bytes() == OLD

        assert it.updater.install()
        assert it.image.read_bytes() == INSTALLER
        assert it.image.stat().st_mode & 0o777 == 0o755

        updater = await it.started("1.1.0")
        assert updater.shelf.state.ready is None
        before = updater.shelf.state.previous
        assert before is not None
        assert before.version == "1.0.0"
        assert updater.shelf.place(before).read_bytes() == OLD
        assert not updater.install()

    await run(tmp_path, work)


async def test_going_back_lasts_until_a_newer_version_or_the_user_asks(tmp_path: Path) -> None:
    async def work(it: Scene) -> None:
        it.place.publish("1.1.0")
        await it.updater.look()
        assert it.updater.install()
        updater = await it.started("1.1.0")
        before = updater.shelf.state.previous
        assert before is not None
        shutil.copy(updater.shelf.place(before), it.image)

        updater = await it.started("1.0.0")
        assert await updater.look() == Report(Standing.CURRENT, "1.0.0")
        assert not updater.install()
        updater = await it.started("1.0.0")
        assert await updater.look() == Report(Standing.CURRENT, "1.0.0")

        assert await updater.look(is_asked=True) == Report(Standing.READY, "1.1.0")
        assert await updater.look() == Report(Standing.READY, "1.1.0")
        assert updater.install()
        updater = await it.started("1.1.0")
        previous = updater.shelf.state.previous
        assert previous is not None
        assert (previous.version, updater.shelf.place(previous).read_bytes()) == ("1.0.0", OLD)

        shutil.copy(updater.shelf.place(previous), it.image)
        updater = await it.started("1.0.0")
        it.place.publish("1.2.0", at=datetime(2027, 6, 1, tzinfo=UTC))
        assert await updater.look() == Report(Standing.READY, "1.2.0")
        assert updater.install()
        updater = await it.started("1.2.0")
        assert updater.shelf.state.previous == before

    await run(tmp_path, work)


async def test_only_the_last_two_installers_are_kept(tmp_path: Path) -> None:
    async def work(it: Scene) -> None:
        for month, version in enumerate(("1.1.0", "1.2.0", "1.3.0"), 1):
            content = version.encode() * 1000
            it.place.answers["/Kalends.AppImage"] = plain(content)
            it.place.publish(version, content=content, at=datetime(2027, month, 1, tzinfo=UTC))
            await it.updater.look()
            assert it.updater.install()
            await it.started(version)
        assert it.files == ["1.2.0-Kalends.AppImage", "1.3.0-Kalends.AppImage"]
        state = it.updater.shelf.state
        assert state.previous is not None
        assert state.previous.version == "1.2.0"

    await run(tmp_path, work)


async def _one_byte_of_the_installer(place: Place) -> None:
    place.publish("1.1.0")
    middle = len(INSTALLER) // 2
    changed = INSTALLER[:middle] + bytes([INSTALLER[middle] ^ 1]) + INSTALLER[middle + 1 :]
    place.answers["/Kalends.AppImage"] = plain(changed)


async def _one_byte_of_the_feed(place: Place) -> None:
    body = place.publish("1.1.0")
    place.answers["/feed"] = plain(body.replace(b'"signed": "e', b'"signed": "f', 1))


async def _another_key(place: Place) -> None:
    place.publish("1.1.0", key=Ed25519PrivateKey.generate())


async def _no_signature(place: Place) -> None:
    body = place.publish("1.1.0")
    place.answers["/feed"] = plain(body.split(b', "signatures"')[0] + b', "signatures": []}')


async def _an_older_version(place: Place) -> None:
    place.publish("0.9.9")


async def _a_truncated_installer(place: Place) -> None:
    place.publish("1.1.0")

    async def answer(to: asyncio.StreamWriter) -> None:
        to.write(head(length=len(INSTALLER)) + INSTALLER[:-1000])
        await to.drain()

    place.answers["/Kalends.AppImage"] = answer


async def _truncated_without_a_length(place: Place) -> None:
    place.publish("1.1.0")

    async def answer(to: asyncio.StreamWriter) -> None:
        to.write(head() + INSTALLER[:-1000])
        await to.drain()

    place.answers["/Kalends.AppImage"] = answer


async def _larger_than_announced(place: Place) -> None:
    place.publish("1.1.0")
    place.answers["/Kalends.AppImage"] = plain(INSTALLER + b"more")


async def _larger_without_a_length(place: Place) -> None:
    place.publish("1.1.0")

    async def answer(to: asyncio.StreamWriter) -> None:
        to.write(head())
        while True:
            to.write(INSTALLER)
            await to.drain()

    place.answers["/Kalends.AppImage"] = answer


async def _larger_than_any_installer(place: Place) -> None:
    place.publish("1.1.0", size=INSTALLER_MAX + 1)


async def _an_endless_feed(place: Place) -> None:
    async def answer(to: asyncio.StreamWriter) -> None:
        to.write(head() + b" " * (FEED_MAX + 1))
        await to.drain()

    place.answers["/feed"] = answer


async def _dripping(place: Place) -> None:
    place.publish("1.1.0")

    async def answer(to: asyncio.StreamWriter) -> None:
        to.write(head(length=len(INSTALLER)))
        for byte in INSTALLER:
            to.write(bytes([byte]))
            await to.drain()
            await asyncio.sleep(0.02)

    place.answers["/Kalends.AppImage"] = answer


async def _silent_in_the_middle(place: Place) -> None:
    place.publish("1.1.0")

    async def answer(to: asyncio.StreamWriter) -> None:
        to.write(head(length=len(INSTALLER)) + INSTALLER[:500_000])
        await to.drain()
        await asyncio.sleep(60)

    place.answers["/Kalends.AppImage"] = answer


def _redirecting(to_address: str) -> Callable[[asyncio.StreamWriter], Awaitable[None]]:
    async def answer(to: asyncio.StreamWriter) -> None:
        to.write(head("302 Found", length=0, location=to_address))
        await to.drain()

    return answer


async def _feed_redirected_to_http(place: Place) -> None:
    place.answers["/feed"] = _redirecting("http://127.0.0.1:9/feed")


async def _installer_redirected_to_http(place: Place) -> None:
    place.publish("1.1.0")
    place.answers["/Kalends.AppImage"] = _redirecting("http://127.0.0.1:9/Kalends.AppImage")


async def _installer_redirected_in_a_circle(place: Place) -> None:
    place.publish("1.1.0")
    place.answers["/Kalends.AppImage"] = _redirecting("/Kalends.AppImage")


async def _installer_over_http(place: Place) -> None:
    place.publish("1.1.0", url="http://127.0.0.1:9/Kalends.AppImage")


async def _a_path_for_a_name(place: Place) -> None:
    told = place.described("1.1.0")
    told["installers"][0]["name"] = "../../.bashrc"
    place.answers["/feed"] = plain(place.signed(told, place.key))


async def _a_missing_feed(_place: Place) -> None:
    pass


async def _no_json(place: Place) -> None:
    place.answers["/feed"] = plain(b"<html>Sign in to the hotel's network</html>")


@pytest.mark.parametrize(
    ("misbehave", "reason"),
    [
        (_one_byte_of_the_installer, Reason.CHANGED),
        (_one_byte_of_the_feed, Reason.SIGNATURE),
        (_another_key, Reason.SIGNATURE),
        (_no_signature, Reason.SIGNATURE),
        (_an_older_version, Reason.OLDER),
        (_a_truncated_installer, Reason.CUT_SHORT),
        (_truncated_without_a_length, Reason.CUT_SHORT),
        (_larger_than_announced, Reason.SIZE),
        (_larger_without_a_length, Reason.SIZE),
        (_larger_than_any_installer, Reason.MALFORMED),
        (_an_endless_feed, Reason.SIZE),
        (_dripping, Reason.SLOW),
        (_silent_in_the_middle, Reason.SLOW),
        (_feed_redirected_to_http, Reason.NOT_SECURE),
        (_installer_redirected_to_http, Reason.NOT_SECURE),
        (_installer_redirected_in_a_circle, Reason.UNREACHABLE),
        (_installer_over_http, Reason.MALFORMED),
        (_a_path_for_a_name, Reason.MALFORMED),
        (_a_missing_feed, Reason.UNREACHABLE),
        (_no_json, Reason.MALFORMED),
    ],
    ids=lambda value: value.__name__.strip("_") if callable(value) else str(value),
)
async def test_everything_else_is_refused(
    tmp_path: Path, misbehave: Callable[[Place], Awaitable[None]], reason: Reason
) -> None:
    async def work(it: Scene) -> None:
        await misbehave(it.place)
        assert await it.updater.look() == Report(Standing.REFUSED, reason=reason)
        assert it.files == []
        assert not it.updater.install()
        assert it.image.read_bytes() == OLD

    await run(tmp_path, work)


async def test_a_server_with_another_certificate_is_refused(tmp_path: Path) -> None:
    async def work(it: Scene) -> None:
        it.place.publish("1.1.0")
        it.place.trust = None  # what this computer trusts
        updater = await it.started()
        assert await updater.look() == Report(Standing.REFUSED, reason=Reason.UNREACHABLE)

    await run(tmp_path, work)


async def test_an_older_feed_is_refused_once_a_newer_one_was_seen_also_after_a_restart(
    tmp_path: Path,
) -> None:
    async def work(it: Scene) -> None:
        old = it.place.publish("1.1.0", at=datetime(2026, 11, 1, tzinfo=UTC))
        it.place.publish("1.2.0", at=datetime(2026, 11, 2, tzinfo=UTC))
        assert (await it.updater.look()).version == "1.2.0"
        it.place.answers["/feed"] = plain(old)
        updater = await it.started()
        assert await updater.look() == Report(Standing.REFUSED, reason=Reason.OLDER)
        ready = updater.shelf.state.ready
        assert ready is not None
        assert ready.version == "1.2.0"

    await run(tmp_path, work)


async def test_bytes_that_change_while_they_wait_are_not_installed(tmp_path: Path) -> None:
    async def work(it: Scene) -> None:
        it.place.publish("1.1.0")
        await it.updater.look()
        ready = it.updater.shelf.state.ready
        assert ready is not None
        file = it.updater.shelf.place(ready)
        content = bytearray(file.read_bytes())
        content[100] ^= 1
        file.write_bytes(content)
        with pytest.raises(Exception, match="changed"):
            it.updater.install()
        assert it.image.read_bytes() == OLD
        assert it.files == []

    await run(tmp_path, work)


async def test_a_version_that_was_withdrawn_is_not_installed(tmp_path: Path) -> None:
    async def work(it: Scene) -> None:
        it.place.publish("1.1.0", at=datetime(2026, 11, 1, tzinfo=UTC))
        await it.updater.look()
        it.place.publish("1.0.0", at=datetime(2026, 11, 2, tzinfo=UTC))
        assert (await it.updater.look()).standing is Standing.CURRENT
        assert it.files == []
        assert not it.updater.install()

    await run(tmp_path, work)


async def test_what_is_for_another_system_is_not_downloaded(tmp_path: Path) -> None:
    async def work(it: Scene) -> None:
        told = it.place.described("1.1.0")
        told["installers"][0]["system"] = "windows-x64"
        it.place.answers["/feed"] = plain(it.place.signed(told, it.place.key))
        assert (await it.updater.look()).standing is Standing.CURRENT
        assert it.place.asked == ["/feed"]

    await run(tmp_path, work)


async def test_it_looks_at_most_once_a_day_also_when_that_fails(tmp_path: Path) -> None:
    async def work(it: Scene) -> None:
        assert it.updater.is_due
        await it.updater.look()
        assert it.updater.report.standing is Standing.REFUSED
        assert not (await it.started()).is_due
        looked = it.clock.now
        due = []
        for since in (DAY_MS - 1, DAY_MS, -30 * DAY_MS):  # the last: a clock that was set back
            it.clock.now = looked + since
            due.append(it.updater.is_due)
        assert due == [False, True, True]

    await run(tmp_path, work)


async def test_a_download_that_was_cancelled_is_made_up_for(tmp_path: Path) -> None:
    async def work(it: Scene) -> None:
        it.place.publish("1.1.0")
        before = it.updater.report
        looking = asyncio.create_task(it.updater.look())
        while it.updater.report.standing is not Standing.DOWNLOADING:  # noqa: ASYNC110  it may last for one turn
            await asyncio.sleep(0)
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
        assert it.updater.report == before
        assert it.updater.is_due
        assert await it.updater.look() == Report(Standing.READY, "1.1.0")

    await run(tmp_path, work)


async def test_what_waits_is_not_downloaded_again(tmp_path: Path) -> None:
    async def work(it: Scene) -> None:
        it.place.publish("1.1.0")
        await it.updater.look()
        updater = await it.started()
        assert updater.report == Report(Standing.READY, "1.1.0")
        await updater.look()
        assert it.place.asked == ["/feed", "/Kalends.AppImage", "/feed"]

    await run(tmp_path, work)
