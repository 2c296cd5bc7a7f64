"""The admin port of a process that serves a data folder."""

import json
from pathlib import Path

import httpx
import pytest
import yaml  # type: ignore[import-untyped]

from tests.service.monitoring.exported import names_in, names_of_families, names_of_metrics
from tests.service.programs import ROOT, complaint, serving

TEXT = "A post that is nobody else's business"


def _metrics(text: str) -> dict[str, float]:
    """The samples of an exposition, by name with labels."""
    lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


def test_an_admin_port_tells_what_the_process_does_and_nothing_about_accounts(
    data: Path, account: str, key: str
) -> None:
    with serving(data, "--admin-port", "0") as service, service.client(key) as http:
        admin = httpx.Client(base_url=service.ready["admin_url"], trust_env=False)
        assert admin.base_url.host == "127.0.0.1"
        assert admin.get("/healthz").json() == {"status": "alive"}
        assert admin.get("/readyz").json() == {"status": "ready"}
        assert http.get("/posts", params={"cursor": "nonsense"}).status_code == 400
        assert http.get("/posts/5f0c8c3e-8f1e-4c56-9a51-000000000000").status_code == 404
        http.request("BREW", "/posts")
        text = admin.get("/metrics").text
        admin.close()

    found = _metrics(text)
    route = "/api/v1/posts/{post_id}"
    assert found[f'kalends_http_requests_total{{method="GET",route="{route}",status="404"}}'] == 1
    assert found['kalends_http_requests_total{method="GET",route="/api/v1/posts",status="400"}'] == 1
    assert found['kalends_http_requests_total{method="other",route="/api/v1/posts",status="404"}'] == 1
    assert found["kalends_database_up"] == 1
    assert "kalends_event_loop_lag_seconds_count" in found
    assert found["kalends_database_pool_size"] > 0
    for secret in (account, key, "Ines", "nonsense", "5f0c8c3e"):
        assert secret not in text


def test_without_the_option_there_is_no_such_port(data: Path, account: str) -> None:
    assert account
    with serving(data) as service:
        assert "admin_url" not in service.ready
        answer = httpx.get(f"{service.base_url}/metrics", verify=False, trust_env=False)  # noqa: S501
        assert answer.status_code == 404


def test_a_port_that_is_taken_is_said_before_anything_starts(data: Path, account: str) -> None:
    assert account
    with serving(data, "--admin-port", "0") as service:
        port = httpx.URL(service.ready["admin_url"]).port
        assert str(port) in complaint(
            "serve", "--data", data.with_name("other"), "--admin-port", str(port), code=69
        )


def test_the_access_log_has_no_paths_queries_or_keys(
    data: Path, account: str, key: str, tmp_path: Path
) -> None:
    data.mkdir(exist_ok=True)
    (data / "service.toml").write_text("access_log = true\n", "utf-8")
    log = tmp_path / "log"
    with serving(data, log=log) as service, service.client(key) as http:
        http.get("/posts/5f0c8c3e-8f1e-4c56-9a51-000000000000", params={"cursor": "nonsense"})
        http.post("/posts", json={"description": TEXT})
        assert service.end() == 0

    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    requests = [line for line in lines if line["event"] == "request"]
    assert [(one["method"], one["route"], one["status"]) for one in requests] == [
        ("GET", "/api/v1/posts/{post_id}", 404),
        ("POST", "/api/v1/posts", 400),
    ]
    assert {one["account_id"] for one in requests} == {account}
    assert {one["client"] for one in requests} == {"127.0.0.1"}
    assert all(one["ms"] >= 0 and one["request_id"].startswith("req_") for one in requests)
    for secret in (key, "nonsense", "5f0c8c3e", TEXT):
        assert secret not in log.read_text("utf-8")


MONITORING = ROOT / "packaging" / "server" / "monitoring"


@pytest.mark.parametrize("file", ["alerts.yml", "dashboard.json"])
def test_alerts_and_the_dashboard_name_existing_metrics(file: str) -> None:
    used = names_in((MONITORING / file).read_text("utf-8"))

    assert len(used) > 10
    assert used - names_of_metrics() == set()


def test_every_metric_of_ours_is_on_the_dashboard() -> None:
    used = names_in((MONITORING / "dashboard.json").read_text("utf-8"))

    assert [name for name in names_of_families() if not any(each.startswith(name) for each in used)] == []


def test_alert_rules_have_what_prometheus_requires() -> None:
    [group] = yaml.safe_load((MONITORING / "alerts.yml").read_text("utf-8"))["groups"]

    for rule in group["rules"]:
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in {"critical", "warning"}
        assert rule["annotations"]["summary"].endswith(".")
        assert rule["expr"].count("(") == rule["expr"].count(")")
    names = [rule["alert"] for rule in group["rules"]]
    explained = (ROOT / "docs" / "operating.md").read_text("utf-8")
    assert [name for name in names if f"`{name}`" not in explained] == []
