"""What a process does, as OpenTelemetry spans. They're dropped unless the environment names a collector."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from app.service.problems import CommandProblem

if TYPE_CHECKING:  # most processes never record a span, and shouldn't spend their start on the library
    from opentelemetry.trace import Tracer, TracerProvider

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_PROTOCOL: Final = "http/protobuf"

Kind = Literal["internal", "server", "client"]
_tracer: "Tracer | None" = None
"""Records this process's spans; None while nothing does."""


@dataclass(slots=True)
class Work:
    """A piece of work. Its span gets these facts when it ends."""

    name: str
    attributes: dict[str, str | int] = field(default_factory=dict)
    is_failed: bool = False


@contextmanager
def span(
    name: str, kind: Kind = "internal", caller: str | None = None, **attributes: str | int
) -> Iterator[Work]:
    """Record a piece of work and whatever happens inside it. ``caller`` is a request's ``traceparent``.

    Names and attributes come from this program and its IDs. Of an error, only the type is recorded, because
    messages can contain addresses with signatures, and texts of users.
    """
    work = Work(name, {f"kalends.{key}": value for key, value in attributes.items()})
    if _tracer is None:
        yield work
        return
    with _recorded(_tracer, work, kind, caller):
        yield work


@contextmanager
def _recorded(tracer: "Tracer", work: Work, kind: Kind, caller: str | None) -> Iterator[None]:
    from opentelemetry.trace import SpanKind, StatusCode
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    parent = TraceContextTextMapPropagator().extract({"traceparent": caller}) if caller else None
    with tracer.start_as_current_span(
        work.name,
        parent,
        SpanKind[kind.upper()],
        record_exception=False,
        set_status_on_exception=False,
    ) as begun:
        try:
            yield
        except BaseException as error:
            work.is_failed = True
            work.attributes["error.type"] = type(error).__qualname__
            raise
        finally:
            begun.update_name(work.name)
            begun.set_attributes(work.attributes)
            if work.is_failed:
                begun.set_status(StatusCode.ERROR)


@contextmanager
def recorded_by(provider: "TracerProvider") -> Iterator[None]:
    """Let a provider get the spans of this process inside the block."""
    global _tracer  # noqa: PLW0603  like the library's own: one for each process
    _tracer = provider.get_tracer("kalends")
    try:
        yield
    finally:
        _tracer = None


@contextmanager
def exported(process: str) -> Iterator[None]:
    """Export the spans inside the block, if the environment names a collector; ``process`` is its role.

    The variables are OpenTelemetry's own. Raises CommandProblem if they ask for something else than OTLP over
    HTTP, or if the library isn't installed.
    """
    if not _is_wanted():
        yield
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("opentelemetry"):
            raise
        raise CommandProblem(
            "OTEL_EXPORTER_OTLP_ENDPOINT needs a library that this install doesn't have. Install "
            "kalends[server]."
        ) from None
    name = os.environ.get("OTEL_SERVICE_NAME", "kalends")
    resource = Resource.create({"service.name": name, "kalends.process": process})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    try:
        with recorded_by(provider):
            yield
    finally:
        provider.shutdown()


def _is_wanted() -> bool:
    """Whether the environment names a collector. Raises CommandProblem."""
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or not _first(_ENDPOINTS):
        return False
    exporter = os.environ.get("OTEL_TRACES_EXPORTER") or "otlp"
    if exporter not in ("otlp", "none"):
        raise CommandProblem(f"OTEL_TRACES_EXPORTER is {exporter}. Kalends only exports traces as otlp.")
    protocol = _first(_PROTOCOLS) or _PROTOCOL
    if protocol != _PROTOCOL:
        raise CommandProblem(
            f"OTEL_EXPORTER_OTLP_PROTOCOL is {protocol}. Kalends only exports as {_PROTOCOL}."
        )
    return exporter == "otlp"


def _first(names: tuple[str, ...]) -> str | None:
    return next((value for name in names if (value := os.environ.get(name))), None)
