"""The largest allowed requests of every kind to every endpoint, from a seed."""

import json
import re
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import httpx

from app.contract.limits import API_PREFIX, COMPANION_PREFIX
from app.service.api.app import api_routes
from app.service.openapi.document import Operation, operations
from app.service.openapi.examples import example_of
from tests.architecture.sources import ROOT
from tests.fuzzing.busy import payloads
from tests.fuzzing.busy.findings import Finding, Findings

_PATIENCE_S: Final = 60
_FORM_TOKEN: Final = re.compile(r'name="form_token" value="([^"]+)"')
_ID: Final = "0b2f9c9c-6f0c-4f7e-9d35-0f6f9f3c5d11"


@dataclass(frozen=True)
class Served:
    """The service, which reports the lag of its loop and its memory."""

    ready: Mapping[str, Any]
    program: "subprocess.Popen[str]"
    http: httpx.Client

    def measured(self) -> dict[str, float]:
        """Return the lag since the last call in ms, and the memory in MB."""
        assert self.program.stdin is not None
        assert self.program.stdout is not None
        self.program.stdin.write("\n")
        self.program.stdin.flush()
        told: dict[str, float] = json.loads(self.program.stdout.readline())
        return told


@contextmanager
def served() -> Iterator[Served]:
    """Run the service that measures itself."""
    with tempfile.TemporaryDirectory(prefix="kalends-busy-") as folder:
        command = [sys.executable, "-m", "tests.fuzzing.busy.served", folder]
        with subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as program:
            assert program.stdout is not None
            assert program.stdin is not None
            ready = json.loads(program.stdout.readline())
            with httpx.Client(
                base_url=ready["base_url"],
                verify=ssl.create_default_context(cafile=ready["ca_file"]),
                headers={"Authorization": f"Bearer {ready['key']}"},
                trust_env=False,
                timeout=_PATIENCE_S,
            ) as http:
                yield Served(ready, program, http)
            program.stdin.close()


def fuzz(seed: int, count: int) -> Findings:
    """Send ``count`` requests and return how long each blocked the loop. Raises AssertionError for a 5xx."""
    random, findings = Random(seed), Findings()  # noqa: S311  not for security
    with served() as service:
        ways = [_to_endpoint(service, *one) for one in _all()]
        ways += [_posts(service), _posts(service), _browser(service), _form(service)]
        before = service.measured()["resident_mb"]
        for number in range(count):
            name, request = random.choice(ways)(random)
            try:
                answer = service.http.send(request)
                assert answer.status_code < 500, f"{name}: {answer.text}"
                status = str(answer.status_code)
            except (httpx.RemoteProtocolError, httpx.WriteError, httpx.ReadError):
                status = "refused"
            told = service.measured()
            grown = told["resident_mb"] - before
            findings.add(Finding(number, name, status, told["lag_ms"], grown, len(request.content)))
    return findings


def _all() -> list[tuple[str, Operation]]:
    routes = api_routes()
    every = [(prefix, one) for prefix in (API_PREFIX, COMPANION_PREFIX) for one in operations(routes, prefix)]
    return [(prefix, one) for prefix, one in every if one.name not in {"stream_events", "revoke_key"}]


def _to_endpoint(service: Served, prefix: str, operation: Operation) -> Any:
    def build(random: Random) -> tuple[str, httpx.Request]:
        path, query = operation.path, ""
        for name in operation.parameters:
            value = payloads.long_path(random) if random.random() < 0.2 else _ID
            path = path.replace(f"{{{name}}}", "linkedin" if name == "platform" else value)
        headers, body = [], b""
        kind = random.choice(("body", "body", "body", "query", "headers"))
        if kind == "query" or operation.body is None:
            names = sorted(operation.query.model_fields) if operation.query else []
            query = "?" + payloads.many_pairs(random, names)
        if kind == "headers":
            headers = payloads.many_headers(random)
        if operation.body is not None:
            model = operation.body.model
            example, fields = example_of(model) or {}, sorted(model.model_fields)
            body = payloads.long_body(random, example, fields, operation.body.bytes_max)
        request = service.http.build_request(
            operation.method.upper(), f"{prefix}{path}{query}", content=body, headers=headers
        )
        return f"{operation.name}, {kind}", request

    return build


def _posts(service: Served) -> Any:
    def build(random: Random) -> tuple[str, httpx.Request]:
        platform, account = random.choice(list(service.ready["accounts"].items()))
        post = {"social_account_id": account, "platform": platform, "post_type": "text"}
        body = payloads.posts_body(random, {**post, "scheduled_at": "2035-01-01T00:00:00Z"}, 4 * 1024 * 1024)
        return "the longest posts", service.http.build_request(
            "POST", f"{API_PREFIX}/posts/bulk", content=body
        )

    return build


def _browser(service: Served) -> Any:
    """Return requests to the browser callback, with long queries and forms."""

    def build(random: Random) -> tuple[str, httpx.Request]:
        path = random.choice(("/callback/linkedin", "/choose", "/integrations/sign-in", "/integrations/keys"))
        pairs = payloads.many_pairs(random, ["state", "code", "token", "account", "link"])
        if random.random() < 0.5:
            return f"GET {path}", service.http.build_request("GET", f"{path}?{pairs}")
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": service.ready["base_url"]}
        return f"POST {path}", service.http.build_request(
            "POST", f"{path}?token=a", content=(pairs * 2)[: 64 * 1024].encode(), headers=headers
        )

    return build


def _form(service: Served) -> Any:
    """Return sign-in forms with the longest names and passwords."""

    def build(random: Random) -> tuple[str, httpx.Request]:
        page = service.http.get("/integrations/sign-in")
        found = _FORM_TOKEN.search(page.text)
        form = {name: payloads.long_text(random, 12_000) for name in ("login", "password")}
        content = httpx.Request("POST", "http://a", data={"form_token": found[1] if found else "", **form})
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": service.ready["base_url"]}
        return "sign-in", service.http.build_request(
            "POST",
            "/integrations/sign-in/password",
            content=content.read()[: 32 * 1024],
            headers=headers,
        )

    return build
