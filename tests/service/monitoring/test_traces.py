"""Traces of a process that serves a data folder, as a collector gets them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from app.service.monitoring.traces import exported
from app.service.problems import CommandProblem
from tests.service.programs import serving

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"


@dataclass
class Collector:
    """Takes spans over OTLP."""

    url: str = ""
    bodies: list[bytes] = field(default_factory=list)

    def spans(self) -> list[Any]:
        found = []
        for body in self.bodies:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                found += [span for scope in resource.scope_spans for span in scope.spans]
        return found


@contextmanager
def collecting() -> Iterator[Collector]:
    collector = Collector()

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            collector.bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Taking) as server:
        collector.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield collector
        server.shutdown()
        thread.join()


def attributes(span: Any) -> dict[str, Any]:
    return {one.key: one.value.string_value or one.value.int_value for one in span.attributes}


def test_requests_are_spans_of_their_callers_without_paths_queries_or_keys(
    data: Path, account: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        with serving(data) as service, service.client(key) as http:
            http.headers["traceparent"] = f"00-{TRACE}-{PARENT}-01"
            answer = http.get("/posts/5f0c8c3e-8f1e-4c56-9a51-000000000000", params={"cursor": "nonsense"})
            http.headers["traceparent"] = "nonsense"
            http.request("BREW", "/posts")
            assert service.end() == 0

    found = {span.name: span for span in collector.spans()}
    assert found.keys() == {"GET /api/v1/posts/{post_id}", "other /api/v1/posts"}
    span = found["GET /api/v1/posts/{post_id}"]
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, PARENT)
    assert attributes(span) == {
        "kalends.request_id": answer.headers["x-request-id"],
        "http.request.method": "GET",
        "http.route": "/api/v1/posts/{post_id}",
        "http.response.status_code": 404,
    }
    assert found["other /api/v1/posts"].parent_span_id == b""
    told = b"".join(collector.bodies)
    for secret in (account, key, "Ines", "nonsense", "5f0c8c3e"):
        assert secret.encode() not in told


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("OTEL_TRACES_EXPORTER", "zipkin", "OTEL_TRACES_EXPORTER is zipkin."),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "Kalends only exports as http/protobuf."),
    ],
)
def test_what_kalends_does_not_export_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv(name, value)
    with pytest.raises(CommandProblem, match=says), exported("serve"):
        pass


def test_a_collector_that_is_away_stops_nothing(
    data: Path, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    with serving(data) as service, service.client(key) as http:
        assert http.get("/posts").status_code == 200
        assert service.end() == 0
