"""The storm: schedules posts, takes a copy, publishes posts, and restores the copy."""

import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final

from app.contract.enums import PostingPlatform
from tests.benchmarks.killstorm.api import Api, instant
from tests.benchmarks.killstorm.plan import Plan, Post
from tests.benchmarks.killstorm.stage import Stage, set_up
from tests.benchmarks.registry import step
from tests.benchmarks.restorestorm.installations import Fleet

_LEAD_S: Final = 1.0
_LATER_S: Final = 8.0
_AHEAD_S: Final = (1, 10, 100)
"""How soon a post is due if its time passes during creation, in s; later on a slow machine."""
_LONGEST_SETTLING_S: Final = 1_800.0
_CLOCK_STEP: Final = timedelta(milliseconds=1)
_ENDED: Final = frozenset({"posted", "failed", "cancelled"})
_SAID: Final = ("may be live", "whether the post is live")


class Storm:
    """Rounds on one installation, each with its own posts."""

    def __init__(self, fleet: Fleet, ways: Sequence[str], *, seconds: float, seed: int) -> None:
        self._fleet = fleet
        self._seconds, self._seed = seconds, seed
        self._random = Random(seed)  # noqa: S311  not for security
        self._ways = self._random.sample(ways, len(ways))
        self._rounds = 0
        self._stage: Stage | None = None
        self._counts = Counter(posts=0, put_back=0, doubled=0, missing=0, early=0, unknown=0)
        self._besides: Counter[str] = Counter()
        self._judged: dict[str, int] = {}
        """Number of live publications at the end of their round, by text."""
        self.deviations: list[str] = []

    def figures(self) -> dict[str, float]:
        return dict(self._counts)

    @property
    def besides(self) -> dict[str, float]:
        return dict(self._besides)

    def rage(self, count: int) -> None:
        """Run a round with ``count`` posts."""
        way = self._ways[self._rounds % len(self._ways)]
        self._rounds += 1
        self._counts["put_back"] += 1
        self._besides[f"put_back_{way}"] += 1
        with_api = self._api()
        with step(f"round {self._rounds}, {way}: planning"):
            posts = self._plan(with_api, count)
        with step(f"round {self._rounds}, {way}: publishing and putting back"):
            with_api = self._storm(with_api, posts, way)
        with step(f"round {self._rounds}, {way}: settling"):
            self._settle(with_api, way)
        self._judge(with_api, posts, way)
        with_api.close()

    def _storm(self, with_api: Api, posts: list[Post], way: str) -> Api:
        """Publish some posts, take a copy, publish more, and restore the copy."""
        self._until_live(posts, self._random.uniform(0.05, 0.35))
        self._fleet.kill()
        self._fleet.take_copy()
        self._fleet.start()
        self._move(with_api, posts)
        self._until_live(posts, self._random.uniform(0.5, 0.8))
        self._fleet.kill()
        self._fleet.put_back(way)
        if way.endswith("+"):
            self._fleet.make_key()
        self._fleet.start()
        with_api.close()
        return self._api()

    def _api(self) -> Api:
        ready = self._fleet.ready
        return Api(ready["base_url"], ready["ca_file"], self._fleet.key)

    def _until_live(self, posts: list[Post], share: float) -> None:
        """Wait until this share of the posts is live."""
        end = time.monotonic() + _LONGEST_SETTLING_S
        while len(self._live().keys() & {post.text for post in posts}) < share * len(posts):
            if time.monotonic() > end:
                raise TimeoutError("The posts were not published.")
            time.sleep(0.2)

    def _live(self) -> dict[str, list[datetime]]:
        """Return publication times by text."""
        live: dict[str, list[datetime]] = defaultdict(list)
        for entry in self._fleet.practice.get("/ledger").json()["data"]:
            live[entry["text"]].append(instant(entry["received_at"]))
        return live

    def _plan(self, api: Api, count: int) -> list[Post]:
        posts = list(Plan.drawn(count, self._seconds, self._seed * 1_000 + self._rounds).posts)
        if self._stage is None:
            platforms = sorted({post.platform for post in posts})
            self._stage = set_up(api, platforms, self._fleet.restart_workers)
        zero = datetime.now(UTC) + timedelta(seconds=_LEAD_S + count / 60)
        for post in posts:
            post.text = f"Round {self._rounds}, {post.text}"
            is_later = self._random.random() < 0.2
            due_s = self._seconds + _LATER_S if is_later else self._random.uniform(0, self._seconds)
            post.due_s, post.due = due_s, zero + timedelta(seconds=due_s)
            self._create(api, self._stage, post)
        return posts

    def _create(self, api: Api, stage: Stage, post: Post) -> None:
        account = stage.accounts[post.platform][post.account]
        body: dict[str, Any] = {
            "social_account_id": account.id,
            "platform": post.platform.value,
            "post_type": post.kind.value,
            "title": post.title,
            "description": post.text,
            "pinterest_board_id": account.board_id,
            "pinterest_link": post.link and f"{post.link}/{self._rounds}",
            "media_storage_path": stage.files[post.file].path if post.file else None,
        }
        sent = {name: value for name, value in body.items() if value is not None}
        for ahead_s in _AHEAD_S:
            at = max(post.due, datetime.now(UTC) + timedelta(seconds=ahead_s))
            answer = api.call("POST", "/posts", json={**sent, "scheduled_at": at.isoformat()})
            if answer.is_success:
                break
        created = answer.raise_for_status().json()
        post.id, post.due = created["id"], instant(created["scheduled_at"])

    def _move(self, api: Api, posts: list[Post]) -> None:
        """Reschedule posts to be published soon that the copy plans for later."""
        later = [post for post in posts if post.due_s is not None and post.due_s > self._seconds]
        for post in later[: len(later) // 2]:
            at = datetime.now(UTC) + timedelta(seconds=self._random.uniform(0.5, 1.5))
            answer = api.call("PATCH", f"/posts/{post.id}", json={"scheduled_at": at.isoformat()})
            if answer.is_success:
                post.due = instant(answer.json()["scheduled_at"])  # the copy has the later one

    def _settle(self, api: Api, way: str) -> None:
        end = time.monotonic() + _LONGEST_SETTLING_S
        while any(post["status"] not in _ENDED for post in api.pages("/posts")):
            if time.monotonic() > end:
                self.deviations.append(f"{way}: not everything had settled in time")
                return
            time.sleep(0.5)

    def _judge(self, api: Api, posts: list[Post], way: str) -> None:
        live = self._live()
        rows = {row["id"]: row for row in api.pages("/posts")}
        for text, times in self._judged.items():
            if len(live[text]) > times:
                self._counts["doubled"] += len(live[text]) - times
                self.deviations.append(f"{way}, “{text}” of an earlier round: {len(live[text])} times live")
        for post in posts:
            times = len(live[post.text])
            self._judged[post.text] = times
            row = rows.get(post.id)
            status = row["status"] if row else "gone"
            self._counts["posts"] += 1
            if early := [at for at in live[post.text] if at < post.due - _CLOCK_STEP]:
                self._count_one("early", post, way, f"live at {early}, due at {post.due}")
            if times > 1:
                self._count_one("doubled", post, way, f"{times} times live, {status}")
            elif not times and status != "failed":
                self._count_one("missing", post, way, f"not live, {status}")
            elif status == "failed":
                advice = " ".join(str(attempt["advice"]) for attempt in api.attempts(post.id))
                if any(words in advice for words in _SAID):
                    self._counts["unknown"] += 1
                    self._besides["unknown_and_live" if times else "unknown_and_not_live"] += 1
                else:
                    self._count_one("missing", post, way, f"{times} times live, failed: {advice}")
            else:
                self._besides[status] += 1

    def _count_one(self, kind: str, post: Post, way: str, words: str) -> None:
        self._counts[kind] += 1
        platform: PostingPlatform = post.platform
        self.deviations.append(f"{way}, {platform.value} {post.kind.value}, “{post.text}”: {words}")
