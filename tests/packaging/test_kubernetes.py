"""The manifests for Kubernetes fit the program, the image and each other."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from app.service.cli import parse
from app.service.settings import STOP_GRACE, read_settings
from tests.architecture.sources import ROOT

FOLDER = ROOT / "packaging" / "server" / "kubernetes"
PARTS = ("api", "worker", "migrate")
RUNNING = ("api", "worker")
_PASSWORD_FILES = ("database_passfile", "storage_credentials")

Manifest = Mapping[str, Any]


def _all() -> Iterator[Manifest]:
    for file in sorted(FOLDER.glob("*.yaml")):
        yield from yaml.safe_load_all(file.read_text("utf-8"))


def _one(kind: str, name: str) -> Manifest:
    [found] = [one for one in _all() if (one["kind"], one["metadata"]["name"]) == (kind, name)]
    return found


def _pod(part: str) -> Manifest:
    workload = _one("Job" if part == "migrate" else "Deployment", f"kalends-{part}")
    pod: Manifest = workload["spec"]["template"]["spec"]
    return pod


def _container(part: str) -> Manifest:
    [container] = _pod(part)["containers"]
    found: Manifest = container
    return found


def test_everything_is_in_one_namespace_that_refuses_privileges() -> None:
    [namespace] = [one for one in _all() if one["kind"] == "Namespace"]
    assert namespace["metadata"]["labels"] == {"pod-security.kubernetes.io/enforce": "restricted"}
    name = namespace["metadata"]["name"]
    assert {one["metadata"].get("namespace", name) for one in _all()} == {name}


@pytest.mark.parametrize("part", PARTS)
def test_commands_exist_and_read_the_mounted_settings(part: str) -> None:
    container = _container(part)
    options = parse(container["args"])
    mounts = {mount["name"]: Path(mount["mountPath"]) for mount in container["volumeMounts"]}
    [name] = _one("ConfigMap", "kalends-settings")["data"]
    assert options.config == mounts["settings"] / name
    assert container["args"][0] == {"api": "serve"}.get(part, part)


@pytest.mark.parametrize("part", RUNNING)
def test_probes_and_metrics_use_the_admin_port_of_the_command(part: str) -> None:
    container = _container(part)
    options = parse(container["args"])
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert (options.admin_host, options.admin_port) == ("0.0.0.0", ports["admin"])  # noqa: S104  inside a pod
    assert container["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": "admin"}
    assert container["startupProbe"]["httpGet"] == {"path": "/healthz", "port": "admin"}
    assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "admin"}
    template = _one("Deployment", f"kalends-{part}")["spec"]["template"]
    assert template["metadata"]["annotations"]["prometheus.io/port"] == str(ports["admin"])


def test_the_service_reaches_the_port_of_the_api() -> None:
    options, container = parse(_container("api")["args"]), _container("api")
    assert options.without_workers
    assert {"name": "https", "containerPort": options.port} in container["ports"]
    service = _one("Service", "kalends-api")["spec"]
    assert [port["targetPort"] for port in service["ports"]] == ["https"]
    labels = _one("Deployment", "kalends-api")["spec"]["template"]["metadata"]["labels"]
    assert service["selector"].items() <= labels.items()


@pytest.mark.parametrize("part", RUNNING)
def test_one_pod_may_be_missing_and_ends_cleanly(part: str) -> None:
    deployment, budget = _one("Deployment", f"kalends-{part}"), _one("PodDisruptionBudget", f"kalends-{part}")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["replicas"] > 1
    assert deployment["spec"]["selector"]["matchLabels"] == labels
    assert budget["spec"] == {"maxUnavailable": 1, "selector": {"matchLabels": labels}}
    assert _pod(part)["terminationGracePeriodSeconds"] > STOP_GRACE.total_seconds()


@pytest.mark.parametrize("part", PARTS)
def test_pods_can_change_little(part: str) -> None:
    pod = _pod(part)
    assert not pod["automountServiceAccountToken"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert f"USER {pod['securityContext']['runAsUser']}" in _containerfile()
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in (*pod["initContainers"], *pod["containers"]):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert "env" not in container  # passwords would be visible there
        assert container["resources"]["limits"]["memory"]
        assert ":" in container["image"].rpartition("/")[2]
        assert not container["image"].endswith(":latest")


@pytest.mark.parametrize("part", PARTS)
def test_what_is_mounted_exists(part: str) -> None:
    pod = _pod(part)
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    for container in (*pod["initContainers"], *pod["containers"]):
        assert {mount["name"] for mount in container["volumeMounts"]} <= set(volumes)
    assert _one("ConfigMap", volumes["settings"]["configMap"]["name"])
    assert _one("Secret", volumes["secrets"]["secret"]["secretName"])
    claim = _one("PersistentVolumeClaim", volumes["state"]["persistentVolumeClaim"]["claimName"])
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]


@pytest.mark.parametrize("part", PARTS)
def test_passwords_reach_the_files_that_the_settings_name(part: str) -> None:
    pod, settings = _pod(part), _one("ConfigMap", "kalends-settings")["data"]["kalends.toml"]
    [copying] = pod["initContainers"]
    mounts = {mount["name"]: mount["mountPath"] for mount in copying["volumeMounts"]}
    assert "--mode=600" in copying["command"]
    assert f"--target-directory={mounts['private']}" in copying["command"]
    given = _one("Secret", "kalends-secrets")["stringData"]
    assert set(given) == set(_PASSWORD_FILES)
    [private] = [mount for mount in _container(part)["volumeMounts"] if mount["name"] == "private"]
    for name in _PASSWORD_FILES:
        assert f"{mounts['secrets']}/{name}" in copying["command"]
        assert f"{private['mountPath']}/{name}" in settings


def test_the_settings_are_valid_and_leave_migrating_to_the_job(tmp_path: Path) -> None:
    file = tmp_path / "kalends.toml"
    file.write_text(_one("ConfigMap", "kalends-settings")["data"]["kalends.toml"], "utf-8")
    file.chmod(0o600)
    settings = read_settings(file)
    assert settings.server is not None
    assert not settings.server.migrate_at_start
    assert str(settings.server.folder) in {mount["mountPath"] for mount in _container("api")["volumeMounts"]}
    assert settings.media.s3 is not None


def test_commands_of_the_instructions_exist() -> None:
    text = (FOLDER / "README.md").read_text("utf-8").replace("\\\n", " ")
    commands = [line.partition("-- kalends-service ")[2].split() for line in text.splitlines()]
    given = [words for words in commands if words]
    assert len(given) == 3
    for words in given:
        parse(["00000000-0000-0000-0000-000000000001" if word == "ID" else word for word in words])


def _containerfile() -> list[str]:
    return (ROOT / "packaging" / "server" / "Containerfile").read_text("utf-8").splitlines()
