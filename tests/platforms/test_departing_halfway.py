"""However far a publication was made ready: nothing more is called before its departure."""

from dataclasses import replace

import pytest

from app.contract.enums import ConnectionPlatform as P
from app.platforms.adapters import Adapter
from app.platforms.base import Media, MemorySteps, PlatformError
from app.platforms.wire import LostError, Network, Reply, Request, Timeouts
from tests.platforms.test_departing import Never, TakenBack
from tests.platforms.test_files_against_practice import board_of
from tests.platforms.world import Practice, connect, picture, video

FILES = [
    (P.X, picture(alt_text="Wool")),
    (P.X, video()),
    (P.LINKEDIN, picture()),
    (P.LINKEDIN, video()),
    (P.FACEBOOK, picture()),
    (P.FACEBOOK, video()),
    (P.FACEBOOK, video(width=1080, height=1920)),
    (P.INSTAGRAM, picture()),
    (P.INSTAGRAM, video()),
    (P.PINTEREST, picture()),
    (P.PINTEREST, video()),
    (P.TIKTOK, video()),
    (P.YOUTUBE, video()),
]
_CALLS_MAX = 30


class Cut(Network):
    """The network until a number of calls went through it; then nothing does."""

    def __init__(self, calls: int) -> None:
        super().__init__(Timeouts())
        self.left = calls
        self.refused = 0

    async def exchange(self, request: Request) -> Reply:
        if self.left == 0:
            self.refused += 1
            raise LostError("cut")
        self.left -= 1
        return await super().exchange(request)


@pytest.mark.parametrize(("platform", "file"), FILES, ids=lambda value: getattr(value, "content_type", value))
def test_nothing_is_called_before_the_departure(practice: Practice, platform: P, file: Media) -> None:
    member = connect(practice, platform)
    post = member.with_file("Wool", file, title="Wool", board_id=board_of(practice, member))

    def prepared(calls: int) -> bool:
        """Prepare with so many calls, then try to publish; whether it was ready before that."""
        one = replace(post, steps=MemorySteps())
        wires = iter([cut := Cut(calls), never := Cut(0)])

        async def prepare(adapter: Adapter) -> bool:
            try:
                await adapter.prepare(one)
            except PlatformError:
                return False
            return True

        async def publish(adapter: Adapter) -> None:
            with pytest.raises(TakenBack):
                await adapter.publish(replace(one, departure=Never()))

        cutting = replace(practice, wire=lambda: next(wires))
        is_ready = bool(cutting.run(platform, prepare))
        cutting.run(platform, publish)
        assert never.refused == 0
        return is_ready and cut.refused == 0

    assert any(prepared(calls) for calls in range(_CALLS_MAX))


async def test_the_network_is_cut_when_the_calls_are_used_up() -> None:
    with pytest.raises(LostError):
        await Cut(0).exchange(Request("GET", "http://127.0.0.1:9/", {}, None))
