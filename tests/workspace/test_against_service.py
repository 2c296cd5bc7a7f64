"""The workspace with the real service over TLS, and the practice platforms behind it."""

import asyncio
import ssl
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from app.client import CertificateRejected, ServiceClient
from app.contract.enums import ConnectionPlatform, PostingPlatform, PostStatus, PostType
from app.workspace.exchange.csv_import import RowState
from app.workspace.messages import Message, Problem
from app.workspace.posts.new import NewPost
from app.workspace.published import PublishedFilter
from app.workspace.workspace import Workspace
from tests.workspace.opened import until
from tests.workspace.programs import RealService, command, consent, follow, real_service

LINKEDIN = ConnectionPlatform.LINKEDIN
BLUESKY = ConnectionPlatform("bluesky")
APP_PASSWORD = "abcd-efgh-2345-6789"
HOUR = 3_600_000


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealService]:
    with real_service(tmp_path_factory.mktemp("real")) as running:
        yield running


def now() -> int:
    return time.time_ns() // 1_000_000


async def connected(workspace: Workspace) -> str:
    """Connects an account as a person would; gives its key."""
    flow = await workspace.flows.begin(LINKEDIN)
    page = await asyncio.to_thread(lambda: follow(consent(flow.url, "allow")))
    assert "The account is connected" in page
    return (await flow.account()).key


def post(account: str, text: str, at: int | None) -> NewPost:
    return NewPost(account, PostingPlatform.LINKEDIN, PostType.TEXT, text, at=at)


async def test_connect_plan_move_undo_and_publish_once(tmp_path: Path, service: RealService) -> None:
    said: list[Message] = []
    workspace = await Workspace.open(service.client(), tmp_path / "w.db", name="Real")
    workspace.listen_messages(said.append)
    try:
        await until(lambda: workspace.sync.connected)
        account = await connected(workspace)
        assert workspace.accounts[account].practice
        far, soon = workspace.plan([post(account, "far", now() + HOUR), post(account, "soon", now() + HOUR)])
        await until(lambda: workspace.sync.waiting == 0)
        workspace.move({far: now() + 2 * HOUR, soon: now() + 4_000})
        await until(lambda: workspace.sync.waiting == 0)
        due = now() + 4_000
        await until(lambda: (found := workspace.posts.get(soon)) and found.published, patience=90)
        assert now() - due < 45_000  # it was told: a look comes after a minute
        assert service.ledger().count("soon") == 1
        async with asyncio.timeout(30):
            # Memory shows it before the disk has it, which tells nobody.
            while (detail := await workspace.detail(soon)).posted_at is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert detail.attempts
        page = await asyncio.to_thread(httpx.get, detail.page, follow_redirects=True)
        assert "soon" in page.text
        workspace.undo()  # the published one stays, the other goes back
        assert [message.text for message in said] == [
            "Couldn't undo “Move 2 posts” for 1 of 2 posts. “soon”: It's already published."
        ]
        workspace.cancel([far])
        await until(lambda: workspace.sync.waiting == 0)
        cancelled = workspace.posts.get(far)
        assert cancelled
        assert cancelled.status is PostStatus.CANCELLED
        assert len(said) == 1
    finally:
        await workspace.close()


async def test_a_post_by_hand_waits_for_the_user_until_they_report_it(
    tmp_path: Path, service: RealService
) -> None:
    x = ConnectionPlatform("x-by-hand")
    workspace = await Workspace.open(service.client(), tmp_path / "w.db", name="Real")
    said: list[Message] = []
    workspace.listen_messages(said.append)
    finishing = workspace.finishing
    try:
        await until(lambda: workspace.places.offered)
        account = await workspace.places.connect(x, "@mira", "")
        assert (account.platform, account.handle, account.is_available) == (x, "mira", True)
        posts = [
            NewPost(account.key, PostingPlatform(x), PostType.TEXT, words, at=now() + 2_000)
            for words in ("Wool", "Later", "Skipped")
        ]
        done, later, skipped = workspace.plan(posts)
        await until(lambda: len(finishing.waiting()) == 3, patience=90)
        await finishing.finish(done, "https://x.com/mira/status/1")
        assert (await workspace.detail(done)).page == "https://x.com/mira/status/1"
        await finishing.take_back(done)
        assert done in [post.key for post in finishing.waiting()]
        await finishing.finish(done)
        workspace.move({later: now() + HOUR})
        workspace.cancel([skipped])
        await until(lambda: workspace.sync.waiting == 0)
        await workspace.refresh()
        assert finishing.waiting() == []
        states = {post.key: post.status for post in workspace.posts}
        assert states[done] is PostStatus.POSTED
        assert states[later] is PostStatus.SCHEDULED
        assert states[skipped] is PostStatus.CANCELLED
        assert said == []
    finally:
        await workspace.close()


async def test_single_posts_of_a_connected_account_wait_for_the_user(
    tmp_path: Path, service: RealService
) -> None:
    workspace = await Workspace.open(service.client(), tmp_path / "w.db", name="Real")
    said: list[Message] = []
    workspace.listen_messages(said.append)
    finishing = workspace.finishing
    try:
        await until(lambda: workspace.places.offered)
        account = await connected(workspace)
        posts = [
            replace(post(account, words, now() + 4_000), by_hand=True)
            for words in ("Wool", "Later", "Skipped")
        ]
        done, later, skipped = workspace.plan(posts)
        await until(lambda: workspace.sync.waiting == 0 and len(finishing.waiting()) == 3, patience=90)
        await finishing.finish(done, "https://www.linkedin.com/feed/update/1")
        await finishing.take_back(done)
        await until(lambda: done in [post.key for post in finishing.waiting()])
        await finishing.finish(done)
        workspace.move({later: now() + HOUR})
        workspace.cancel([skipped])
        await until(lambda: workspace.sync.waiting == 0)
        workspace.undo()
        await until(lambda: workspace.sync.waiting == 0)
        await workspace.refresh()
        assert finishing.waiting() == []
        known = {one.key: one for one in workspace.posts}
        assert known[done].status is PostStatus.POSTED
        assert known[later].status is PostStatus.SCHEDULED
        assert known[skipped].status is PostStatus.SCHEDULED
        assert all(known[key].by_hand for key in (done, later, skipped))
        assert said == []
    finally:
        await workspace.close()


async def test_an_account_on_a_companion_network_from_its_connection_to_its_end(
    tmp_path: Path, service: RealService
) -> None:
    def text(account: str, words: str, at: int | None) -> NewPost:
        return NewPost(account, PostingPlatform("bluesky"), PostType.TEXT, words, at=at)

    said: list[Message] = []
    workspace = await Workspace.open(service.client(), tmp_path / "w.db", name="Real")
    workspace.listen_messages(said.append)
    try:
        await until(lambda: workspace.places.offered)
        account = await workspace.places.connect(BLUESKY, "@robin-marsh", APP_PASSWORD)
        assert (account.platform, account.handle) == ("bluesky", "robin-marsh.bsky.social")
        far, gone, left = workspace.plan(
            [text(account.key, words, now() + HOUR) for words in ("far away", "gone", "left")]
        )
        (published,) = workspace.plan([text(account.key, "Grüße 👩\u200d💻 #wool", None)])
        await until(lambda: workspace.sync.waiting == 0)
        workspace.move({far: now() + 2 * HOUR})
        workspace.cancel([gone])
        await until(lambda: workspace.sync.waiting == 0)
        workspace.undo()
        workspace.undo()
        workspace.redo()
        await until(lambda: workspace.sync.waiting == 0)
        await until(lambda: (found := workspace.posts.get(published)) and found.published, patience=90)
        assert service.ledger().count("Grüße 👩\u200d💻 #wool") == 1
        await workspace.refresh()
        states = {post.key: (post.status, post.at > now() + HOUR) for post in workspace.posts}
        assert states[far] == (PostStatus.SCHEDULED, True)
        assert states[gone] == (PostStatus.SCHEDULED, False)
        assert (await workspace.detail(published)).attempts

        await workspace.analytics.refresh()
        places = (await workspace.published.find(PublishedFilter(platform="bluesky"))).places
        (record,) = (await workspace.published.read(places)).values()
        assert workspace.published.post_key(record) == published

        await workspace.places.disconnect(account)
        assert not workspace.accounts[account.key].is_available
        again = await workspace.places.connect(BLUESKY, "", APP_PASSWORD, again=account)
        assert again.key == account.key
        assert again.is_available
        workspace.cancel([far, gone, left])
        await until(lambda: workspace.sync.waiting == 0)
        assert said == []
    finally:
        await workspace.close()

    reopened = await Workspace.open(service.client(), tmp_path / "w.db", name="Real")
    try:
        known = reopened.posts.get(published)
        assert known is not None
        assert known.platform == "bluesky"
    finally:
        await reopened.close()


@pytest.mark.parametrize(
    ("handle", "password", "kind"),
    [
        ("nobody.example.com", APP_PASSWORD, "unknown_handle"),
        ("", APP_PASSWORD, "unknown_handle"),
        ("robin-marsh", "hunter2", "not_an_app_password"),
        ("robin-marsh", "", "not_an_app_password"),
        ("robin-marsh", "aaaa-aaaa-aaaa-aaaa", "wrong_app_password"),
    ],
)
async def test_a_wrong_handle_or_app_password_is_a_problem_in_words(
    tmp_path: Path, service: RealService, handle: str, password: str, kind: str
) -> None:
    workspace = await Workspace.open(service.client(), tmp_path / "w.db", name="Real")
    try:
        with pytest.raises(Problem) as caught:
            await workspace.places.connect(BLUESKY, handle, password)
        assert caught.value.kind == kind
        named = {"unknown_handle": "handle", "not_an_app_password": "app password"}
        assert named.get(kind, "Bluesky") in caught.value.text
    finally:
        await workspace.close()


@pytest.mark.parametrize(
    ("fault", "kind"), [("error_500", "network_unreachable"), ("rate_limit", "rate_limited")]
)
async def test_a_network_that_does_not_answer_is_named(
    tmp_path: Path, service: RealService, fault: str, kind: str
) -> None:
    body = {"platform": "bluesky", "operation": "token", "kind": fault}
    async with httpx.AsyncClient(trust_env=False) as practice:
        (await practice.post(f"{service.practice_url}/faults", json=body)).raise_for_status()
    workspace = await Workspace.open(service.client(), tmp_path / "w.db", name="Real")
    try:
        with pytest.raises(Problem, match="Bluesky") as caught:
            await workspace.places.connect(BLUESKY, "kei-tanaka", APP_PASSWORD)
        assert caught.value.kind == kind
    finally:
        await workspace.close()


async def test_a_denied_and_a_pasted_connection(tmp_path: Path, service: RealService) -> None:
    workspace = await Workspace.open(service.client(), tmp_path / "w.db", name="Real")
    try:
        await until(lambda: workspace.sync.connected)
        flow = await workspace.flows.begin(LINKEDIN)
        await asyncio.to_thread(lambda: follow(consent(flow.url, "deny")))
        with pytest.raises(Problem, match="declined"):
            await flow.account()
        flow = await workspace.flows.begin(ConnectionPlatform.X)
        address = await asyncio.to_thread(lambda: consent(flow.url, "allow"))
        await flow.paste(address)
        assert (await flow.account()).platform is ConnectionPlatform.X
    finally:
        await workspace.close()


async def test_a_move_left_in_the_outbox_is_delivered_by_the_next_start(
    tmp_path: Path, service: RealService
) -> None:
    workspace = await Workspace.open(service.client(), tmp_path / "w.db", name="Real")
    await until(lambda: workspace.sync.connected)
    account = await connected(workspace)
    (key,) = workspace.plan([post(account, "kept", now() + HOUR)])
    await until(lambda: workspace.sync.waiting == 0)
    await workspace.close()

    refused = await Workspace.open(service.client(key="stp_rest_" + "0" * 64), tmp_path / "w.db", name="R")
    await until(lambda: refused.sync.problem)
    assert (refused.sync.problem or "").startswith("The service rejected the API key")
    wanted = now() + 3 * HOUR
    refused.move({key: wanted})
    await refused.close()

    workspace = await Workspace.open(service.client(), tmp_path / "w.db", name="Real")
    assert workspace.sync.waiting == 1
    await until(lambda: workspace.sync.waiting == 0)
    await workspace.refresh()
    assert [found.at for found in workspace.posts if found.key == key] == [wanted]
    await workspace.close()


async def test_what_was_published_is_in_the_history_and_files_and_metrics_can_be_asked_for(
    tmp_path: Path, service: RealService
) -> None:
    workspace = await Workspace.open(service.client(), tmp_path / "w.db", name="Real")
    try:
        await until(lambda: workspace.sync.connected)
        account = await connected(workspace)
        (key,) = workspace.plan([post(account, "for the record", None)])
        await until(lambda: (found := workspace.posts.get(key)) and found.published, patience=90)
        published = workspace.published
        assert (await published.find(PublishedFilter())).places == []
        await published.refresh()
        places = (await published.find(PublishedFilter("record", platform="linkedin"))).places
        (record,) = (await published.read(places)).values()
        assert record.scheduled_post_id == (await workspace.detail(key)).service_id
        assert published.post_key(record) == key
        await published.refresh()
        assert (await published.find(PublishedFilter("for the"))).places == places
        await workspace.analytics.refresh()
        await workspace.catalogues.refresh_media()
        assert await workspace.analytics.samples(record.created_at.date()) == []
        assert await workspace.catalogues.media() == []
    finally:
        await workspace.close()


async def test_a_move_made_on_two_computers_is_shown_side_by_side(
    tmp_path: Path, service: RealService
) -> None:
    first = await Workspace.open(service.client(), tmp_path / "first.db", name="First")
    await until(lambda: first.sync.connected)
    account = await connected(first)
    (key,) = first.plan([post(account, "twice moved", now() + HOUR)])
    await until(lambda: first.sync.waiting == 0)
    await first.close()
    offline = await Workspace.open(
        service.client(key="stp_rest_" + "0" * 64), tmp_path / "first.db", name="First"
    )
    here, there = now() + 5 * HOUR, now() + 9 * HOUR
    offline.move({key: here})
    await offline.close()

    second = await Workspace.open(service.client(), tmp_path / "second.db", name="Second")
    await until(lambda: any(one.headline == "twice moved" for one in second.posts))
    (same,) = [one.key for one in second.posts if one.headline == "twice moved"]
    second.move({same: there})
    await until(lambda: second.sync.waiting == 0)

    first = await Workspace.open(service.client(), tmp_path / "first.db", name="First")
    await until(lambda: first.conflicts)
    (conflict,) = first.conflicts
    assert (conflict.here.at, conflict.there.at) == (here, there)
    first.keep_here([key])
    await until(lambda: (moved := second.posts.get(same)) and moved.at == here)
    await first.close()
    await second.close()


async def test_a_revoked_key_is_a_problem_in_words(tmp_path: Path, service: RealService) -> None:
    account = command("account", "create", "--data", service.data, "--name", "Sam")["account_id"]
    made = command("key", "create", "--data", service.data, "--account", account)
    workspace = await Workspace.open(service.client(made["key"]), tmp_path / "w.db", name="Sam")
    await until(lambda: workspace.sync.connected)
    command("key", "revoke", "--data", service.data, "--key-id", made["key_id"])
    with pytest.raises(Problem) as caught:
        await workspace.refresh()
    assert caught.value.kind == "key_refused"
    assert "Request ID" in caught.value.details
    await workspace.close()


async def test_another_authoritys_certificate_is_rejected(service: RealService) -> None:
    client = ServiceClient(service.base_url, service.key, ssl_context=ssl.create_default_context())
    with pytest.raises(CertificateRejected):
        await client.usage()
    await client.close()


async def test_a_table_that_comes_twice_makes_its_posts_once(tmp_path: Path, service: RealService) -> None:
    day = datetime.now(UTC) + timedelta(days=20)
    rows = [f"Row {i} of the table,linkedin,{day:%Y-%m-%d} {i % 24:02}:{i % 60:02}" for i in range(60)]
    rows[7:9] = ["No such account,nobody,2099-12-01 10:00", "No such day,linkedin,2099-02-30 10:00"]
    (tmp_path / "plan.csv").write_text("\n".join(("Text,Account,Date", *rows)), "utf-8")

    async def imported(workspace: Workspace) -> dict[str, int]:
        file = await workspace.csv.read(tmp_path / "plan.csv", "Europe/Lisbon")
        run = workspace.csv.begin(file, await workspace.csv.check(file, file.choices))
        await run.run()
        await until(lambda: not run.counts().get(RowState.KEPT), patience=90)
        return {state.value: count for state, count in run.counts().items()}

    workspace = await Workspace.open(service.client(), tmp_path / "w.db", name="Real")
    try:
        await until(lambda: workspace.sync.connected)
        if not workspace.accounts:
            await connected(workspace)
        assert await imported(workspace) == {"sent": 58, "refused": 2}
        assert await imported(workspace) == {"there": 58, "refused": 2}
        await workspace.refresh()
        ours = [post for post in workspace.posts if "of the table" in post.headline]
        assert len(ours) == 58
        assert len({post.batch_id for post in ours}) == 2
        workspace.cancel([post.key for post in ours])
        await until(lambda: workspace.sync.waiting == 0, patience=90)
    finally:
        await workspace.close()
