"""Calls of platforms as spans: which post, which platform, and the type of an error, but never its words."""

from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from app.contract.enums import ConnectionPlatform
from app.service.monitoring.traces import recorded_by
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import Fate, listing
from tests.service.publishing.world import World


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with recorded_by(provider):
        yield exporter


def test_each_call_is_a_span_and_an_error_has_no_words(play: Played, spans: InMemorySpanExporter) -> None:
    async def scene(world: World) -> None:
        world.platforms[ConnectionPlatform.X].fates = [Fate.REFUSED]
        refused = world.add("Refused")
        world.start()
        await world.until_done()
        posted = world.add("Posted")
        await world.until_done()
        found = {
            (span.attributes or {})["kalends.post_id"]: span
            for span in spans.get_finished_spans()
            if span.name == "publish"
        }
        assert found.keys() == {str(refused), str(posted)}
        failed = found[str(refused)]
        assert dict(failed.attributes or {}) == {
            "kalends.platform": "x",
            "kalends.post_id": str(refused),
            "error.type": "PlatformError",
        }
        assert (failed.status.status_code, failed.status.description, failed.events) == (
            StatusCode.ERROR,
            None,
            (),
        )
        assert found[str(posted)].status.status_code is StatusCode.UNSET

    play(scene, listing())
