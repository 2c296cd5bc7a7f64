"""The storm: creates and changes posts while processes die, until everything has settled."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from operator import itemgetter
from random import Random
from typing import Any, Final

from tests.benchmarks.killstorm.api import Api, instant
from tests.benchmarks.killstorm.fleet import Fleet
from tests.benchmarks.killstorm.outages import Outages, Planned
from tests.benchmarks.killstorm.plan import Change, ChangeOfMind, Plan, Post
from tests.benchmarks.killstorm.stage import Stage, reconnect, set_up
from tests.benchmarks.killstorm.strikes import Disasters, Strikes
from tests.benchmarks.killstorm.verdict import Observation, Verdict, judge
from tests.benchmarks.registry import step

WEATHER: Final = {"lost": 0.02, "error_500": 0.03, "rate_limit": 0.02, "expired_token": 0.005}
"""Shares of platform calls with lost responses, 5xx, 429, and expiring tokens."""

_CLIENTS: Final = 4
"""Number of simultaneous clients if there are several processes with the API."""
_IMPATIENT_S: Final = 4.0
"""When a client repeats a call that creates a post, although the first one may still be carried out, in s."""
_SOON_S: Final = 60.0
_LEAD_S: Final = 2.0
_CREATIONS_PER_S: Final = 60.0
_LONGEST_SETTLING_S: Final = 1_800.0
_ENDED: Final = frozenset({"posted", "failed", "cancelled"})
_UNDECIDED: Final = frozenset({"pending", "unknown"})


Act = tuple[float, Callable[[Api], None]]
"""Something that a caller does, with its time in seconds from the start of the storm."""


@dataclass(frozen=True)
class Ordeal:
    """What happens to a fleet.

    Attributes:
        kill_every_s: Interval at which another worker is killed, in s; None for only those in ``disasters``.
    """

    disasters: Disasters
    outages: Planned = field(default_factory=Planned)
    kill_every_s: float | None = None


class Storm:
    """A storm.

    Args:
        plan: Posts and changes.
        fleet: The processes to kill and stall.
        ordeal: What happens to them.
    """

    def __init__(self, plan: Plan, fleet: Fleet, ordeal: Ordeal) -> None:
        self._plan = plan
        self._fleet = fleet
        self._ordeal = ordeal
        self._strikes = Strikes(fleet, ordeal.disasters, Random(plan.seed + 1))  # noqa: S311  not for security
        self._trouble = self._strikes.trouble
        self._outages = Outages(fleet, ordeal.outages, self._trouble)
        urls = [api.ready["base_url"] for api in fleet.apis]
        ca_file = fleet.apis[0].ready["ca_file"]
        self._clients = [
            Api(urls[0], ca_file, fleet.key, urls[1:]) for _ in range(_CLIENTS if len(urls) > 1 else 1)
        ]
        self._api = self._clients[0]
        self._over = threading.Event()
        self._zero = datetime.now(UTC)

    def rage(self) -> Verdict:
        """Run everything from the first post to the verdict."""
        began = time.monotonic()
        with step("connecting accounts"):
            platforms = sorted({post.platform for post in self._plan.posts})
            stage = set_up(self._api, platforms, self._fleet.start_workers)
        if self._fleet.bucket is not None and not self._fleet.bucket.held():
            self._trouble.append("The bucket is empty.")
        self._outages.watch()
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
            "outages": len(self._outages.happened),
        }
        with step("settling"):
            self._set_clocks_right()
            settled_s = self._settle()
        self._outages.end()
        self._weather()
        with step("judging"):
            seen = self._observe(stage)
            verdict = judge(self._plan, seen, self._trouble)
            self._note_outages(verdict, seen)
        for client in self._clients:
            client.close()
        verdict.struck |= struck
        verdict.besides |= {
            "set_up_s": set_up_s,
            "settled_after_s": settled_s,
            "took_s": time.monotonic() - began,
        }
        return verdict

    def _note_outages(self, verdict: Verdict, seen: Observation) -> None:
        """Add to the verdict how publishing resumed, and what the callers repeated."""
        repeated = sum((client.repeated for client in self._clients), Counter[str]())
        verdict.besides |= {f"repeated_after_{problem}": count for problem, count in sorted(repeated.items())}
        verdict.besides["revived"] = self._outages.revived
        reports = list(self._outages.reports(self._plan, seen.ledger))
        verdict.notes += [line for line, _ in reports]
        if reports:
            verdict.besides["first_post_after_outage_s"] = max(first_s for _, first_s in reports)

    def _plan_ahead(self, stage: Stage) -> None:
        """Create the posts planned before the storm, and set its start time."""
        before = [post for post in self._plan.posts if post.created_s is None]
        self._zero = datetime.now(UTC) + timedelta(seconds=_LEAD_S + len(before) / _CREATIONS_PER_S)
        for post in before:
            self._create(stage, post, self._api)

    def _live_through(self, stage: Stage) -> None:
        """Run the storm while the callers continue their work."""
        self._weather(seed=self._plan.seed, **WEATHER)
        disasters = [threading.Thread(target=strike) for strike in self._disasters()]
        for thread in disasters:
            thread.start()
        try:
            with ThreadPoolExecutor(len(self._clients)) as callers:
                lanes = self._lanes(stage)
                for done in [callers.submit(self._act_all, *lane) for lane in lanes]:
                    done.result()
        except BaseException:
            self._strikes.end()
            self._outages.end()
            self._over.set()
            raise
        finally:
            for thread in disasters:
                thread.join()

    def _disasters(self) -> Iterator[Callable[[], None]]:
        """Yield what threads do during the storm."""
        until = self._plan.seconds, self._sleep_until
        yield partial(self._strikes.strike_all, *until)
        yield partial(self._outages.suffer_all, *until)
        if self._ordeal.kill_every_s is not None:
            random = Random(self._plan.seed + 2)  # noqa: S311  not for security
            yield partial(self._strikes.kill_regularly, self._ordeal.kill_every_s, *until, random)

    def _act_all(self, client: Api, acts: Sequence[Act]) -> None:
        for at_s, act in acts:
            self._sleep_until(at_s)
            if self._over.is_set():
                return
            act(client)

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

    def _lanes(self, stage: Stage) -> Iterator[tuple[Api, list[Act]]]:
        """Yield what each client does during the storm, in order. All about one post is in one lane."""
        creations = [
            (post.created_s, post, partial(self._create, stage, post))
            for post in self._plan.posts
            if post.created_s is not None
        ]
        changes = [(change.at_s, change.post, partial(self._change, change)) for change in self._plan.changes]
        acts = sorted([*creations, *changes], key=itemgetter(0))
        for number, client in enumerate(self._clients):
            own: list[Act] = [
                (at_s, act) for at_s, post, act in acts if post.number % len(self._clients) == number
            ]
            yield client, own

    def _create(self, stage: Stage, post: Post, client: Api) -> None:
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
            # A refused repeat doesn't say that the first call isn't carried out later.
            may_pass = at is not None and (at - begun_at).total_seconds() < _SOON_S
            patience = {} if may_pass or len(self._clients) == 1 else {"timeout": _IMPATIENT_S}
            answer = client.call("POST", "/posts", json=sent, **patience)
            if answer.is_success:
                created = answer.json()
                # For immediate posts, the service returns a time by its own clock.
                post.id, post.due = created["id"], instant(created["scheduled_at"]) if at else begun_at
                return
            at = datetime.now(UTC) + timedelta(seconds=1 + turn)  # a busy machine takes long
            time.sleep(turn / 10)  # the service's clock may be ahead until it gets a platform's time
        raise RuntimeError(f"A post was not taken: {answer.text}")

    def _change(self, change: ChangeOfMind, client: Api) -> None:
        post, path = change.post, f"/posts/{change.post.id}"
        match change.change:
            case Change.MOVE | Change.RESUME:
                self._move(change, path, client)
            case Change.CANCEL:
                client.answer("DELETE", path)
                post.removed_at = datetime.now(UTC)
            case Change.DELETE:
                answer = client.call("DELETE", path, params={"hard": "true"})
                if answer.status_code not in {200, 404}:
                    raise RuntimeError(f"{path} was not deleted: {answer.text}")
                post.removed_at = datetime.now(UTC)

    def _move(self, change: ChangeOfMind, path: str, client: Api) -> None:
        """Reschedule a post. The service's response decides its time."""
        at = max(self._zero + timedelta(seconds=change.to_s), datetime.now(UTC) + timedelta(seconds=1))
        answer = client.call("PATCH", path, json={"scheduled_at": at.isoformat()})
        if answer.is_success:
            change.post.due, change.post.removed_at = instant(answer.json()["scheduled_at"]), None
            return
        # It started earlier, or this retries a call whose response was lost in a kill.
        now = client.answer("GET", path)
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
