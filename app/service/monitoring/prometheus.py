"""Metrics for Prometheus. Only processes with an admin port import this."""

import asyncio
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from app.contract.companion import AttemptOutcome
from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.database import Database
from app.service.clock import Clock
from app.service.monitoring.backlog import Backlog, read_backlog
from app.service.monitoring.meter import Meter
from app.service.worker import DATABASE_ERRORS

_SHORT_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_DELAYS_S: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 15.0, 60.0, 300.0, 1_800.0, 7_200.0, 43_200.0)
_LAGS_S: Final = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
_PATIENCE: Final = timedelta(seconds=5)
_TICK_S: Final = 0.5


class PrometheusMeter(Meter):
    """Counts the work of this process in a registry. Labels are names from this program, never user data."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # unused here
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        self._requests = self._counter(
            "kalends_http_requests", "Responses of the API and its pages.", "method", "route", "status"
        )
        self._request_seconds = self._histogram(
            "kalends_http_response_start_seconds",
            "Time until the first byte of a response.",
            _SHORT_S,
            "method",
            "route",
        )
        self._attempts = self._counter(
            "kalends_publish_attempts", "Attempts to publish a post.", "platform", "outcome"
        )
        self._ends = self._counter(
            "kalends_posts_ended", "Posts published or failed for good.", "platform", "result"
        )
        self._delays = self._histogram(
            "kalends_publish_delay_seconds",
            "How long after its time a post was sent to the platform.",
            _DELAYS_S,
            "platform",
        )
        self._deliveries = self._counter(
            "kalends_webhook_deliveries", "Attempts to deliver a webhook.", "outcome"
        )
        self._delivery_seconds = self._histogram(
            "kalends_webhook_delivery_seconds", "Duration of attempts to deliver a webhook.", _SHORT_S
        )
        self._renewals = self._counter(
            "kalends_renewals", "Renewals of access to accounts.", "platform", "outcome"
        )
        self._uploads = self._counter("kalends_uploads", "Files received from clients or URLs.", "outcome")
        self._upload_bytes = self._counter("kalends_upload_bytes", "Bytes of files that were stored.")

    def note_request(self, method: str, route: str, status: int, took: timedelta) -> None:
        self._requests.labels(method, route, str(status)).inc()
        self._request_seconds.labels(method, route).observe(took.total_seconds())

    def note_attempt(self, platform: PostingPlatform, outcome: AttemptOutcome) -> None:
        self._attempts.labels(platform.value, outcome.value).inc()

    def note_start(self, platform: PostingPlatform, delay: timedelta) -> None:
        self._delays.labels(platform.value).observe(max(0.0, delay.total_seconds()))

    def note_end(self, platform: PostingPlatform, *, is_published: bool) -> None:
        self._ends.labels(platform.value, "published" if is_published else "failed").inc()

    def note_delivery(self, took: timedelta, *, is_delivered: bool) -> None:
        self._deliveries.labels("delivered" if is_delivered else "failed").inc()
        self._delivery_seconds.observe(took.total_seconds())

    def note_renewal(self, platform: ConnectionPlatform, outcome: str) -> None:
        self._renewals.labels(platform.value, outcome).inc()

    def note_upload(self, size: int, *, is_stored: bool) -> None:
        self._uploads.labels("stored" if is_stored else "failed").inc()
        if is_stored:
            self._upload_bytes.inc(size)

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(name, text, labels, registry=self.registry)

    def _histogram(self, name: str, text: str, buckets: Iterable[float], *labels: str) -> Histogram:
        return Histogram(name, text, labels, buckets=tuple(buckets), registry=self.registry)


class Exporter:
    """Renders the metrics of a process and the backlog of its installation. For one event loop."""

    def __init__(
        self,
        meter: PrometheusMeter,
        database: Database,
        clock: Clock,
        wrong_by_seconds: Callable[[], int | None],
    ) -> None:
        """``wrong_by_seconds`` says how far this machine's clock is off, if that prevents publishing."""
        self._registry = meter.registry
        self._database = database
        self._clock = clock
        self._backlog = _BacklogCollector()
        self._registry.register(self._backlog)
        self._lag = Histogram(
            "kalends_event_loop_lag_seconds",
            "How much later than planned the event loop resumed a task.",
            buckets=_LAGS_S,
            registry=self._registry,
        )
        self._gauge(
            "kalends_clock_wrong_by_seconds",
            "How far the machine's clock is off, if it publishes nothing because of that.",
            lambda: wrong_by_seconds() or 0,
        )
        self._gauge(
            "kalends_database_connections_in_use",
            "Open database connections that are in use.",
            lambda: database.load().in_use,
        )
        self._gauge(
            "kalends_database_pool_size",
            "Database connections that stay open. In a burst, there may be more.",
            lambda: database.load().pool_size,
        )
        self._gauge(
            "kalends_database_waiting_writes",
            "Writes that wait for the next commit.",
            lambda: database.load().waiting_writes,
        )

    async def render(self) -> bytes:
        """Return all metrics in the text format. The backlog is missing if the database doesn't answer."""
        now = self._clock()
        try:
            async with asyncio.timeout(_PATIENCE.total_seconds()):
                self._backlog.newest = await self._database.read(lambda rows: read_backlog(rows, now))
        except (TimeoutError, *DATABASE_ERRORS):
            self._backlog.newest = None
        return generate_latest(self._registry)

    async def measure_lag(self) -> None:
        """Measure how late the event loop is, until cancelled."""
        time = asyncio.get_running_loop().time
        while True:
            planned = time() + _TICK_S
            await asyncio.sleep(_TICK_S)
            self._lag.observe(max(0.0, time() - planned))

    def _gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        Gauge(name, text, registry=self._registry).set_function(read)


class _BacklogCollector(Collector):
    """The backlog as it was read last. Every process of an installation exports the same."""

    def __init__(self) -> None:
        self.newest: Backlog | None = None

    def describe(self) -> Iterable[GaugeMetricFamily]:
        return ()

    def collect(self) -> Iterable[GaugeMetricFamily]:
        backlog = self.newest
        yield _gauge("kalends_database_up", "Whether the database answered.", float(backlog is not None))
        if backlog is None:
            return
        due = GaugeMetricFamily(
            "kalends_posts_due", "Posts whose time has come.", labels=["platform", "state"]
        )
        for post in backlog.posts:
            due.add_metric([post.platform, post.state], post.count)
        accounts = GaugeMetricFamily(
            "kalends_connected_accounts", "Connected accounts.", labels=["platform", "state"]
        )
        for account in backlog.accounts:
            accounts.add_metric([account.platform, account.state], account.count)
        yield due
        yield accounts
        for name, text, value in (
            (
                "posts_lag_seconds",
                "How late the oldest post is that any worker may take.",
                backlog.lag_seconds,
            ),
            ("attempts_unresolved", "Attempts whose outcome isn't known yet.", backlog.unresolved),
            ("deliveries_due", "Webhook deliveries whose time has come.", backlog.deliveries),
            ("deliveries_lag_seconds", "How late the oldest delivery is.", backlog.delivery_lag_seconds),
            ("renewals_due", "Accounts whose access should be renewed by now.", backlog.renewals),
            ("metric_samples_due", "Items whose numbers should be collected by now.", backlog.samples),
            ("paused_connections", "Connected accounts that are paused.", backlog.paused_connections),
            ("queue_paused", "Whether the whole queue is paused.", backlog.is_queue_paused),
            ("files_unprobed", "Stored files that weren't examined yet.", backlog.unprobed),
        ):
            yield _gauge(f"kalends_{name}", text, value)


def _gauge(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, value=value)
