"""The names of all metrics, for checking what uses them."""

import asyncio
import re
import tempfile
from contextlib import closing
from datetime import timedelta
from functools import cache
from pathlib import Path

from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from app.contract.companion import AttemptOutcome
from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.service.clock import system_clock
from app.service.monitoring.prometheus import Exporter, PrometheusMeter
from app.service.store.folder import DataFolder

_NAME = re.compile(r"\b(?:kalends|process)_\w+")


def names_in(text: str) -> set[str]:
    """The metrics that a file names."""
    return set(_NAME.findall(text))


def names_of_metrics() -> set[str]:
    """The names of all samples that a process exports."""
    return {name for name, _ in _samples()}


def names_of_families() -> set[str]:
    """Our own metrics, without the suffixes of their samples."""
    return {family for _, family in _samples() if family.startswith("kalends_")}


@cache
def _samples() -> frozenset[tuple[str, str]]:
    families = text_string_to_metric_families(asyncio.run(_exposition()))
    return frozenset((sample.name, family.name) for family in families for sample in _described(family))


def _described(family: Metric) -> list[Sample]:
    """Families without samples still have names."""
    return family.samples or [Sample(family.name, {}, 0)]


async def _exposition() -> str:
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(DataFolder(Path(folder)).open_database()) as database,
    ):
        meter = PrometheusMeter()
        x, second = PostingPlatform.X, timedelta(seconds=1)
        meter.note_request("GET", "/", 200, second)
        meter.note_attempt(x, AttemptOutcome.PUBLISHED)
        meter.note_start(x, second)
        meter.note_end(x, is_published=True)
        meter.note_delivery(second, is_delivered=True)
        meter.note_renewal(ConnectionPlatform.X, "renewed")
        meter.note_upload(1, is_stored=True)
        return (await Exporter(meter, database, system_clock, lambda: None).render()).decode()
