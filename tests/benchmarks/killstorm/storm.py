"""The storm: creates and changes posts while processes die, until everything has settled."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from operator import itemgetter
from random import Random
from typing import Any, Final

from tests.benchmarks.killstorm.api import Api, instant
from tests.benchmarks.killstorm.fleet import Fleet
from tests.benchmarks.killstorm.plan import Change, ChangeOfMind, Plan, Post
from tests.benchmarks.killstorm.stage import Stage, reconnect, set_up
from tests.benchmarks.killstorm.strikes import Disasters, Strikes
from tests.benchmarks.killstorm.verdict import Observation, Verdict, judge
from tests.benchmarks.registry import step

WEATHER: Final = {"lost": 0.02, "error_500": 0.03, "rate_limit": 0.02, "expired_token": 0.005}
"""Shares of platform calls with lost responses, 5xx, 429, and expiring tokens."""

_LEAD_S: Final = 2.0
_CREATIONS_PER_S: Final = 60.0
_LONGEST_SETTLING_S: Final = 1_800.0
_ENDED: Final = frozenset({"posted", "failed", "cancelled"})
_UNDECIDED: Final = frozenset({"pending", "unknown"})


class Storm:
    """A storm.

    Args:
        plan: Posts and changes.
        fleet: The processes to kill and stall.
        disasters: What happens to them.
    """

    def __init__(self, plan: Plan, fleet: Fleet, disasters: Disasters) -> None:
        self._plan = plan
        self._fleet = fleet
        self._strikes = Strikes(fleet, disasters, Random(plan.seed + 1))  # noqa: S311  not for security
        ready = fleet.api.ready
        self._api = Api(ready["base_url"], ready["ca_file"], fleet.key)
        self._trouble = self._strikes.trouble
        self._over = threading.Event()
        self._zero = datetime.now(UTC)

    def rage(self) -> Verdict:
        """Run everything from the first post to the verdict."""
        began = time.monotonic()
        with step("connecting accounts"):
            platforms = sorted({post.platform for post in self._plan.posts})
            stage = set_up(self._api, platforms, self._fleet.start_workers)
        set_up_s = time.monotonic() - began
        with step("planning posts"):
            self._plan_ahead(stage)
        with step(f"storming for {self._plan.seconds:.0f} s"):
            self._live_through(stage)
        struck = {
            "kills": sum(program.kills for program in self._fleet.mortal),
            "refused": self._strikes.refused,
            "renewals_killed": self._strikes.renewals_killed,
            "wrong_clocks": self._fleet.clocks.wrong,
        }
        with step("settling"):
            self._set_clocks_right()
            settled_s = self._settle()
        self._weather()
        with step("judging"):
            verdict = judge(self._plan, self._observe(stage), self._trouble)
        self._api.close()
        verdict.struck |= struck
        verdict.besides |= {
            "set_up_s": set_up_s,
            "settled_after_s": settled_s,
            "took_s": time.monotonic() - began,
        }
        return verdict

    def _plan_ahead(self, stage: Stage) -> None:
        """Create the posts planned before the storm, and set its start time."""
        before = [post for post in self._plan.posts if post.created_s is None]
        self._zero = datetime.now(UTC) + timedelta(seconds=_LEAD_S + len(before) / _CREATIONS_PER_S)
        for post in before:
            self._create(stage, post)

    def _live_through(self, stage: Stage) -> None:
        """Run the storm while the caller continues its work."""
        self._weather(seed=self._plan.seed, **WEATHER)
        disasters = threading.Thread(
            target=self._strikes.strike_all, args=(self._plan.seconds, self._sleep_until)
        )
        disasters.start()
        try:
            for at_s, act in self._acts(stage):
                self._sleep_until(at_s)
                act()
        except BaseException:
            self._strikes.end()
            self._over.set()
            raise
        finally:
            disasters.join()

    def _set_clocks_right(self) -> None:
        """Correct the clocks, like a user who notices late posts."""
        self._fleet.clocks.set_right()
        for program in self._fleet.mortal:
            if not program.clock.is_right:
                program.kill()
                program.start()

    def _weather(self, **shares: float) -> None:
        self._fleet.practice.post("/weather", json=shares).raise_for_status()

    def _sleep_until(self, at_s: float) -> None:
        left = (self._zero + timedelta(seconds=at_s) - datetime.now(UTC)).total_seconds()
        if left > 0:
            self._over.wait(left)

    def _acts(self, stage: Stage) -> list[tuple[float, Callable[[], None]]]:
        """Return the caller's actions during the storm, in order."""
        creations = [
            (post.created_s, partial(self._create, stage, post))
            for post in self._plan.posts
            if post.created_s is not None
        ]
        changes = [(change.at_s, partial(self._change, change)) for change in self._plan.changes]
        return sorted([*creations, *changes], key=itemgetter(0))

    def _create(self, stage: Stage, post: Post) -> None:
        """Create a post, with a new time if its time has passed."""
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
            begun_at = datetime.now(UTC)
            answer = self._api.call("POST", "/posts", json=sent)
            if answer.is_success:
                created = answer.json()
                # For immediate posts, the service returns a time by its own clock.
                post.id, post.due = created["id"], instant(created["scheduled_at"]) if at else begun_at
                return
            at = datetime.now(UTC) + timedelta(seconds=1)
            time.sleep(turn / 10)  # the service's clock may be ahead until it gets a platform's time
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
        """Reschedule a post. The service's response decides its time."""
        at = max(self._zero + timedelta(seconds=change.to_s), datetime.now(UTC) + timedelta(seconds=1))
        answer = self._api.call("PATCH", path, json={"scheduled_at": at.isoformat()})
        if answer.is_success:
            change.post.due, change.post.removed_at = instant(answer.json()["scheduled_at"]), None
            return
        # It started earlier, or this retries a call whose response was lost in a kill.
        now = self._api.answer("GET", path)
        change.post.due = instant(now["scheduled_at"])
        if now["status"] != "cancelled":
            change.post.removed_at = None

    def _reconnect(self) -> None:
        """Reconnect expired accounts like a user would, because their posts wait for that."""
        for account in self._api.pages("/connections", include_unavailable=True):
            if not account["is_available"]:
                reconnect(self._api, account["id"])

    def _settle(self) -> float:
        """Wait until nothing is in progress, and return the seconds this took."""
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
