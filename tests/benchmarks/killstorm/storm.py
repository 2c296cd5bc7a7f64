"""The storm itself: posts are created and changed while processes die, until everything has settled."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from operator import itemgetter
from random import Random
from typing import Any, Final

from app.contract.enums import PostingPlatform
from tests.benchmarks.killstorm.api import Api, instant
from tests.benchmarks.killstorm.fleet import SETTINGS, Fleet
from tests.benchmarks.killstorm.plan import Change, ChangeOfMind, Plan, Post
from tests.benchmarks.killstorm.stage import Stage, reconnect, set_up
from tests.benchmarks.killstorm.verdict import Observation, Verdict, judge

WEATHER: Final = {"lost": 0.02, "error_500": 0.03, "rate_limit": 0.02, "expired_token": 0.005}
"""Of the calls to platforms: answers lost, refusals with 5xx and 429, and ends of tokens."""

_LEAD_S: Final = 2.0
_CREATIONS_PER_S: Final = 60.0
_SPARED_AT_START: Final = 0.7
_BREATH_S: Final = 2.0
_LONGEST_SETTLING_S: Final = 600.0
_RENEWAL_S: Final = 5.0
_ENDED: Final = frozenset({"posted", "failed", "cancelled"})
_UNDECIDED: Final = frozenset({"pending", "unknown"})


@dataclass(frozen=True)
class Disasters:
    """How often what strikes.

    Attributes:
        kills: One of the fleet's processes is killed.
        stalls: One is stopped for longer than its claims hold.
        refusals: A platform refuses some calls with 401, whatever their token.
        renewals: One is killed while it most likely renews a token.
    """

    kills: int = 0
    stalls: int = 0
    refusals: int = 0
    renewals: int = 0


class Storm:
    """One storm.

    Args:
        plan: What is posted and changed.
        fleet: What is killed and stalled.
        disasters: What happens meanwhile.
    """

    def __init__(self, plan: Plan, fleet: Fleet, disasters: Disasters) -> None:
        self._plan = plan
        self._fleet = fleet
        self._disasters = disasters
        self._random = Random(plan.seed + 1)  # noqa: S311  where a disaster strikes
        ready = fleet.api.ready
        self._api = Api(ready["base_url"], ready["ca_file"], fleet.key)
        self._trouble: list[str] = []
        self._over = threading.Event()
        self._zero = datetime.now(UTC)

    def rage(self) -> Verdict:
        """Everything from the first post to the verdict."""
        began = time.monotonic()
        stage = set_up(self._api, sorted({post.platform for post in self._plan.posts}))
        set_up_s = time.monotonic() - began
        self._plan_ahead(stage)
        self._live_through(stage)
        settled_s = self._settle()
        self._weather()
        verdict = judge(self._plan, self._observe(stage), self._trouble)
        self._api.close()
        kills = sum(program.kills for program in self._fleet.mortal)
        verdict.besides |= {
            "kills": kills,
            "set_up_s": set_up_s,
            "settled_after_s": settled_s,
            "took_s": time.monotonic() - began,
        }
        return verdict

    def _plan_ahead(self, stage: Stage) -> None:
        """Creates what is planned before the storm, and sets the time of its beginning."""
        before = [post for post in self._plan.posts if post.created_s is None]
        self._zero = datetime.now(UTC) + timedelta(seconds=_LEAD_S + len(before) / _CREATIONS_PER_S)
        for post in before:
            self._create(stage, post)

    def _live_through(self, stage: Stage) -> None:
        """The storm, in which the caller goes on with what it has to do."""
        self._weather(seed=self._plan.seed, **WEATHER)
        disasters = threading.Thread(target=self._strike)
        disasters.start()
        try:
            for at_s, act in self._acts(stage):
                self._sleep_until(at_s)
                act()
        except BaseException:
            self._over.set()
            raise
        finally:
            disasters.join()

    def _weather(self, **shares: float) -> None:
        self._fleet.practice.post("/weather", json=shares).raise_for_status()

    def _sleep_until(self, at_s: float) -> None:
        left = (self._zero + timedelta(seconds=at_s) - datetime.now(UTC)).total_seconds()
        if left > 0:
            self._over.wait(left)

    def _acts(self, stage: Stage) -> list[tuple[float, Callable[[], None]]]:
        """What the caller does during the storm, in order."""
        creations = [
            (post.created_s, partial(self._create, stage, post))
            for post in self._plan.posts
            if post.created_s is not None
        ]
        changes = [(change.at_s, partial(self._change, change)) for change in self._plan.changes]
        return sorted([*creations, *changes], key=itemgetter(0))

    def _create(self, stage: Stage, post: Post) -> None:
        """Creates a post; one whose time has passed by now is given another."""
        account = stage.accounts[post.platform][post.account]
        body: dict[str, Any] = {
            "social_account_id": account.id,
            "platform": post.platform.value,
            "post_type": post.kind.value,
            "title": post.title,
            "description": post.text,
            "pinterest_board_id": account.board_id,
            "pinterest_link": post.link,
            "media_storage_path": stage.files[post.file].path if post.file else None,
        }
        at = None if post.due_s is None else self._zero + timedelta(seconds=post.due_s)
        for turn in range(10):
            body |= {"scheduled_at": at and at.isoformat(), "idempotency_key": f"{post.number}-{turn}"}
            sent = {name: value for name, value in body.items() if value is not None}
            answer = self._api.call("POST", "/posts", json=sent)
            if answer.is_success:
                created = answer.json()
                post.id, post.due = created["id"], instant(created["scheduled_at"])
                return
            at = datetime.now(UTC) + timedelta(seconds=1)
        raise RuntimeError(f"A post was not taken: {answer.text}")

    def _change(self, change: ChangeOfMind) -> None:
        post, path = change.post, f"/posts/{change.post.id}"
        match change.change:
            case Change.MOVE | Change.RESUME:
                self._move(change, path)
            case Change.CANCEL:
                self._api.answer("DELETE", path)
                post.removed_at = datetime.now(UTC)
            case Change.DELETE:
                answer = self._api.call("DELETE", path, params={"hard": "true"})
                if answer.status_code not in {200, 404}:
                    raise RuntimeError(f"{path} was not deleted: {answer.text}")
                post.removed_at = datetime.now(UTC)

    def _move(self, change: ChangeOfMind, path: str) -> None:
        """Gives a post another time; what the service says afterwards holds."""
        at = max(self._zero + timedelta(seconds=change.to_s), datetime.now(UTC) + timedelta(seconds=1))
        answer = self._api.call("PATCH", path, json={"scheduled_at": at.isoformat()})
        if answer.is_success:
            change.post.due, change.post.removed_at = instant(answer.json()["scheduled_at"]), None
            return
        # It was begun before, or this is the repeat of a call whose answer a kill took.
        now = self._api.answer("GET", path)
        change.post.due = instant(now["scheduled_at"])
        if now["status"] != "cancelled":
            change.post.removed_at = None

    def _strike(self) -> None:
        """Lets disasters happen at random moments."""
        kinds = [
            *[self._kill] * self._disasters.kills,
            *[self._stall] * self._disasters.stalls,
            *[self._refuse] * self._disasters.refusals,
            *[self._kill_amid_renewal] * self._disasters.renewals,
        ]
        self._random.shuffle(kinds)
        moments = sorted(self._random.uniform(0, self._plan.seconds) for _ in kinds)
        for at_s, strike in zip(moments, kinds, strict=True):
            self._sleep_until(at_s)
            if self._over.is_set():
                return
            try:
                strike()
            except RuntimeError as error:  # it did not start
                self._trouble.append(str(error))

    def _kill(self) -> None:
        """Kills one, now and then while it starts, but not always: it has to get somewhere, too."""
        victim = self._random.choice(self._fleet.mortal)
        if self._random.random() < _SPARED_AT_START:
            victim.wait_until_ready()
            self._over.wait(self._random.uniform(0, _BREATH_S))
        if victim.has_ended:
            self._trouble.append("A process had ended by itself.")
        victim.kill()
        victim.start()

    def _stall(self) -> None:
        victim = self._random.choice(self._fleet.mortal)
        victim.stall()
        time.sleep(SETTINGS["lease"] * self._random.uniform(1.2, 2))
        victim.go_on()

    def _refuse(self) -> None:
        """Refuses a few calls of each of some platforms, as if their tokens had ended."""
        for platform in self._random.sample(list(PostingPlatform), 3):
            self._order(platform, "publish", "expired_token", self._random.randint(2, 6))

    def _kill_amid_renewal(self) -> None:
        """Has a call renew a token at a platform that is slow with its answer, and kills in between."""
        platform = self._random.choice(list(PostingPlatform))
        issued = self._issued()
        self._order(platform, "token", "slow", 1)
        self._order(platform, "publish", "expired_token", 1)
        end = time.monotonic() + _RENEWAL_S
        while self._issued() == issued and time.monotonic() < end and not self._over.is_set():
            time.sleep(0.05)
        for victim in self._fleet.mortal:  # whoever renews
            victim.kill()
            victim.start()

    def _issued(self) -> int:
        """How many tokens the platforms have given out."""
        return len(self._fleet.practice.get("/tokens").raise_for_status().json()["data"])

    def _order(self, platform: PostingPlatform, operation: str, kind: str, times: int) -> None:
        order = {"platform": platform.value, "operation": operation, "kind": kind, "times": times}
        self._fleet.practice.post("/faults", json=order).raise_for_status()

    def _reconnect(self) -> None:
        """As a person does who sees that an account has ended: its posts wait for that."""
        for account in self._api.pages("/connections", include_unavailable=True):
            if not account["is_available"]:
                reconnect(self._api, account["id"])

    def _settle(self) -> float:
        """Waits until nothing is under way any more; gives the seconds that it took."""
        began = time.monotonic()
        while self._open_posts():
            if time.monotonic() - began > _LONGEST_SETTLING_S:
                self._trouble.append("Not everything had settled in time.")
                break
            self._reconnect()
            time.sleep(1)
        return time.monotonic() - began

    def _open_posts(self) -> bool:
        for post in self._api.pages("/posts"):
            if post["status"] not in _ENDED:
                return True
        removed = [post for post in self._plan.posts if post.removed_at]
        return any(
            attempt["outcome"] in _UNDECIDED and attempt["finished_at"] is None
            for post in removed
            for attempt in self._api.attempts(post.id)
        )

    def _observe(self, stage: Stage) -> Observation:
        return Observation(
            stage=stage,
            ledger=self._fleet.practice.get("/ledger").raise_for_status().json()["data"],
            posts={post["id"]: post for post in self._api.pages("/posts")},
            history=list(self._api.pages("/content-history")),
            attempts={post.id: self._api.attempts(post.id) for post in self._plan.posts},
        )
