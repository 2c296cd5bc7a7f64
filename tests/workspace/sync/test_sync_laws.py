"""Whatever happens here, there and in between: in the end both have the same, and nothing is wanted."""

import asyncio
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import ClassVar

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from app.contract.base import format_timestamp, parse_timestamp
from app.workspace.clock import from_millis, to_millis
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import Opened, new_post, opened, until
from tests.workspace.streaming_service import StreamingService

HOURS = st.integers(1, 40)
PICK = st.integers(0, 1_000)
FAULTS = st.sampled_from(["lose", "timeout", "500", "429", "garbage", "refuse"])
METHODS = st.sampled_from(["GET", "POST", "PATCH", "DELETE"])

State = dict[str, tuple[int, str, str, bool]]
"""What is compared of each post: time, status, text, published."""


class SyncMachine(RuleBasedStateMachine):
    """A person here, others there, a network that fails in between, and restarts. Pages have three posts."""

    companion: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.service: ModelService
        self.stack = AsyncExitStack()
        self.workspace: Opened
        self.texts = 0

    @initialize(posts=st.lists(HOURS, max_size=12))
    def begin(self, posts: list[int]) -> None:
        kind = StreamingService if self.companion else ModelService
        self.service = kind(HandClock(), page_max=3)
        if isinstance(self.service, StreamingService):
            self.service.offers = ["events", "posts"]
        self.account = self.service.add_account()
        for hours in posts:
            self.service.add_post(self.account, START + hours * HOUR, self.text())
        self.run(self.open())

    async def open(self) -> None:
        self.workspace = await self.stack.enter_async_context(opened(Path(self.folder.name), self.service))

    def run(self, work: "asyncio._CoroutineLike[None]") -> None:
        self.loop.run_until_complete(work)

    def text(self) -> str:
        self.texts += 1
        return f"post {self.texts}"

    def tell(self, post_id: str) -> None:
        if isinstance(self.service, StreamingService):
            self.service.tell_post(post_id)

    # What others do.

    @rule(hours=HOURS)
    def others_plan(self, hours: int) -> None:
        self.tell(self.service.add_post(self.account, START + hours * HOUR, self.text()))

    @rule(index=PICK, hours=HOURS, how=st.sampled_from(["move", "cancel", "publish", "fail", "delete"]))
    def others_change(self, index: int, hours: int, how: str) -> None:
        if not self.service.posts:
            return
        key = list(self.service.posts)[index % len(self.service.posts)]
        post = self.service.posts[key]
        at = format_timestamp(from_millis(START + hours * HOUR))
        if how == "delete":
            del self.service.posts[key]
        elif post["posted_at"] is None and post["status"] != "failed":
            post |= {
                "move": {"scheduled_at": at, "status": "scheduled"},
                "cancel": {"status": "cancelled"},
                "publish": {"status": "posted", "posted_at": at},
                "fail": {"status": "failed"},
            }[how]
        self.tell(str(key))

    # What the person here does.

    @rule(hours=HOURS)
    def plan(self, hours: int) -> None:
        self.workspace.plan([new_post(self.account, self.text(), START + hours * HOUR)])

    @rule(indexes=st.lists(PICK, min_size=1, max_size=4), hours=HOURS)
    def move(self, indexes: list[int], hours: int) -> None:
        keys = self.pick(*indexes)
        self.workspace.move({key: START + (hours + n) * HOUR for n, key in enumerate(keys)})

    @rule(index=PICK)
    def cancel(self, index: int) -> None:
        self.workspace.cancel(self.pick(index))

    @rule(back=st.booleans())
    def undo_or_redo(self, back: bool) -> None:
        (self.workspace.undo if back else self.workspace.redo)()

    @rule(here=st.booleans())
    def choose(self, here: bool) -> None:
        self.settle(here=here)

    def settle(self, *, here: bool) -> None:
        keys = [conflict.key for conflict in self.workspace.conflicts]
        (self.workspace.keep_here if here else self.workspace.keep_there)(keys)

    def pick(self, *indexes: int) -> list[str]:
        """None while there are no posts. What is there depends on time, so no rule depends on it."""
        posts = self.workspace.posts.all()
        return [posts[index % len(posts)].key for index in indexes] if posts else []

    # What happens in between.

    @rule(method=METHODS, fault=FAULTS)
    def break_a_call(self, method: str, fault: str) -> None:
        self.service.faults.append((method, fault))

    @rule(online=st.booleans())
    def network(self, online: bool) -> None:
        self.service.online = online
        if not online:
            self.cut()

    @rule()
    def cut(self) -> None:
        if isinstance(self.service, StreamingService):
            self.service.cut()

    @rule()
    def forget_events(self) -> None:
        if isinstance(self.service, StreamingService):
            self.service.forgotten = len(self.service.told)

    @rule(turns=st.integers(1, 30))
    def wait(self, turns: int) -> None:
        async def turn() -> None:
            for _ in range(turns):
                await asyncio.sleep(0.001)

        self.run(turn())

    @rule()
    def restart(self) -> None:
        async def again() -> None:
            await self.stack.aclose()
            await self.open()

        self.run(again())

    # What holds in the end.

    def there(self) -> State:
        return {
            str(key): (
                to_millis(parse_timestamp(post["scheduled_at"])),
                post["status"],
                post["description"],
                post["posted_at"] is not None,
            )
            for key, post in self.service.posts.items()
        }

    def here(self) -> State:
        mirror = self.workspace._core.mirror
        return {
            str(mirror.service_id(post.key)): (post.at, post.status.value, post.headline, post.published)
            for post in self.workspace.posts
            if post.key not in mirror.unsent
        }

    async def agree(self) -> None:
        """By itself, but for conflicts, which the person has to settle."""
        self.service.online = True
        self.service.faults.clear()
        end = self.loop.time() + 30
        while self.workspace.sync.waiting or self.here() != self.there():
            assert self.loop.time() < end, f"{self.workspace.sync} {self.here()} is not {self.there()}"
            self.settle(here=False)
            await asyncio.sleep(0.005)
        await until(lambda: not self.workspace.sync.saving)

    def teardown(self) -> None:
        try:
            if hasattr(self, "workspace"):
                self.run(self.agree())
                before = self.here()
                self.restart()
                assert self.here() == before, "the file holds something else"
                left = [
                    post for post in self.workspace.posts if post.key in self.workspace._core.mirror.unsent
                ]
                assert {post.status.value for post in left} <= {"failed", "cancelled"}
        finally:
            self.run(self.stack.aclose())
            self.run(self.loop.shutdown_default_executor())
            self.loop.close()
            self.folder.cleanup()


class CompanionMachine(SyncMachine):
    """The same with a service that tells of changes and lists by time."""

    companion = True


# Time passes for real here, so a failure does not shrink; it is shown as it was found.
LAWS = settings(
    max_examples=12, stateful_step_count=25, deadline=None, phases=[Phase.generate], database=None
)
SyncMachine.TestCase.settings = LAWS
CompanionMachine.TestCase.settings = LAWS
TestSpecifiedSurface = SyncMachine.TestCase
TestWithCompanion = CompanionMachine.TestCase
