"""Makes the excerpts in ``data`` from the platforms' own documents: what the adapters call, and no more.

    python -m tests.platforms.specs.excerpts FOLDER

``FOLDER`` holds the documents that ``data/README.md`` names. Texts are left out; of Meta's files only names
and types are taken.
"""

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

DATA: Final = Path(__file__).parent / "data"

_PROSE: Final = frozenset(
    {"description", "summary", "example", "examples", "externalDocs", "enumDescriptions", "title", "tags"}
)
PINTEREST: Final = {
    "/oauth/token": ["post"],
    "/user_account": ["get"],
    "/boards": ["get"],
    "/boards/{board_id}/pins": ["get"],
    "/pins": ["get", "post"],
    "/pins/{pin_id}/analytics": ["get"],
    "/media": ["post"],
    "/media/{media_id}": ["get"],
}
YOUTUBE: Final = {"channels": ["list"], "videos": ["list", "insert"], "thumbnails": ["set"]}
META: Final = {
    "User": ["GET accounts", "GET permissions"],
    "Page": [
        "GET",
        "POST feed",
        "POST photos",
        "POST videos",
        "POST video_reels",
        "GET published_posts",
    ],
    "PagePost": ["GET", "GET insights"],
    "Photo": ["GET", "DELETE"],
    "AdVideo": ["GET", "POST thumbnails"],
    "VideoStatus": [],
    "IGUser": ["GET", "POST media", "POST media_publish", "GET media"],
    "ShadowIGMediaBuilder": ["GET"],
    "IGMedia": ["GET", "GET insights"],
    "IGUserForIGOnlyAPI": ["GET", "POST media", "POST mediapublish", "GET media"],
    "IGMediaForIGOnlyAPI": ["GET", "GET insights"],
}


def pinterest(document: Mapping[str, Any]) -> dict[str, Any]:
    """The operations, with every part of the document that they refer to."""
    paths = {
        path: {method: document["paths"][path][method] for method in methods}
        for path, methods in PINTEREST.items()
    }
    needed = ["#/components/securitySchemes/pinterest_oauth2", "#/components/securitySchemes/basic"]
    components: dict[str, dict[str, Any]] = {}
    needed += _references(paths)
    while needed:
        _, _, kind, name = needed.pop().split("/")
        if name not in components.setdefault(kind, {}):
            components[kind][name] = document["components"][kind][name]
            needed += _references(components[kind][name])
    # The two lists of metrics overlap, so that "one of" would refuse what is in both.
    metrics = components["parameters"]["query_pin_analytics_metric_types"]["schema"]["items"]
    metrics["anyOf"] = metrics.pop("oneOf")
    head = {key: document[key] for key in ("openapi", "servers")}
    info = {"title": document["info"]["title"], "version": document["info"]["version"]}
    return {**head, "info": info, **_bare({"paths": paths, "components": components})}


def discovery(document: Mapping[str, Any], resources: Mapping[str, list[str]]) -> dict[str, Any]:
    """The methods of one of Google's documents, with the schemas that they refer to."""
    methods = {
        document["resources"][resource]["methods"][name]["id"]: document["resources"][resource]["methods"][
            name
        ]
        for resource, names in resources.items()
        for name in names
    }
    schemas: dict[str, Any] = {}
    needed = _references(methods)
    while needed:
        name = needed.pop()
        if name not in schemas:
            schemas[name] = document["schemas"][name]
            needed += _references(schemas[name])
    head = {key: document[key] for key in ("name", "version", "revision", "rootUrl", "parameters")}
    return {**_bare(head), **_bare({"methods": methods, "schemas": schemas})}


def meta(folder: Path) -> dict[str, Any]:
    """Names and types of fields, edges and their parameters."""
    enums = {enum["name"]: enum["values"] for enum in _read(folder / "enum_types.json")}
    nodes: dict[str, Any] = {}
    for name, edges in META.items():
        node = _read(folder / f"{name}.json")
        calls = {_edge(call): call for call in node["apis"]}
        nodes[name] = {
            "fields": {field["name"]: field["type"] for field in node["fields"]},
            "lists": sorted(call["endpoint"] for key, call in calls.items() if key.startswith("GET ")),
            "calls": {
                key: {param["name"]: [param["type"], param["required"]] for param in calls[key]["params"]}
                for key in edges
            },
        }
    used = {
        word
        for node in nodes.values()
        for call in node["calls"].values()
        for kind, _ in call.values()
        for word in kind.replace(">", "<").split("<")
    }
    return {"nodes": nodes, "enums": {name: values for name, values in enums.items() if name in used}}


def _edge(call: Mapping[str, Any]) -> str:
    return " ".join(filter(None, (call["method"], call.get("endpoint"))))


def _references(part: Any) -> list[str]:
    if isinstance(part, Mapping):
        here = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
        here += part.get("mapping", {}).values() if "propertyName" in part else []  # a discriminator
        return here + [found for value in part.values() for found in _references(value)]
    if isinstance(part, list):
        return [found for value in part for found in _references(value)]
    return []


def _bare(part: Any) -> Any:
    """Without prose; a property that happens to be called so stays."""
    if isinstance(part, list):
        return [_bare(value) for value in part]
    if not isinstance(part, Mapping):
        return part
    return {
        key: _bare(value)
        for key, value in part.items()
        if isinstance(value, Mapping) or not (key in _PROSE or key.startswith("x-"))
    }


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def _write(name: str, excerpt: Mapping[str, Any]) -> None:
    (DATA / name).write_text(json.dumps(excerpt, separators=(",", ":"), sort_keys=True) + "\n", "utf-8")


def main(arguments: Iterable[str]) -> None:
    [folder] = map(Path, arguments)
    _write("pinterest.json", pinterest(_read(folder / "pinterest/openapi-5.23.0.json")))
    _write("youtube.json", discovery(_read(folder / "youtube/youtube.v3.discovery.json"), YOUTUBE))
    reports = _read(folder / "youtube/youtubeAnalytics.v2.discovery.json")
    _write("youtube_analytics.json", discovery(reports, {"reports": ["query"]}))
    _write("meta.json", meta(folder / "meta"))


if __name__ == "__main__":
    main(sys.argv[1:])
