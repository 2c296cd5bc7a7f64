"""Requests against Meta's tables of nodes, fields, edges and parameters.

What a path's id is comes from the answer that named it first.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.platforms.specs.recording import Exchange

# Every read takes them, and no table names them.
_GENERAL: Final = frozenset({"fields", "limit", "after", "before", "since", "until"})
_TYPES: Final = {"bool": r"true|false", "unsigned int": r"\d+", "int": r"-?\d+", "datetime": r"\d+"}


class Graph:
    """The tables, and the ids that were seen.

    Args:
        tables: As ``excerpts`` made them.
        alone: Instagram is reached by its own login: its users and items are described apart.
        beyond: ``Node.field`` and ``Node METHOD edge.parameter`` that the tables lack and Meta's guides name.
    """

    def __init__(self, tables: Mapping[str, Any], beyond: frozenset[str], *, alone: bool = False) -> None:
        self._nodes = tables["nodes"]
        self._enums = {name.lower(): values for name, values in tables["enums"].items()}
        self._beyond = beyond
        self._alone = alone
        self._kinds: dict[str, str] = {}
        self.calls: set[str] = set()
        self.used_beyond: set[str] = set()

    def violations(self, exchange: Exchange) -> list[str]:
        """What the tables have against a request; its answer names ids for those that follow."""
        _, _, id_, *edges = exchange.path.split("/")
        node = self._node_of(id_, edges[0] if edges else "")
        key = " ".join((exchange.method, *edges))
        self._learn(node, key, exchange)
        if node is None:
            return [f"{exchange}: an id of nothing"]
        if self._alone and key == "POST media_publish":
            key = "POST mediapublish"  # as the table writes it, against all guides
        known = self._nodes[node]["calls"].get(key)
        if known is None:
            return [f"{exchange}: {node} has no {key}"]
        self.calls.add(f"{node} {key}")
        given = exchange.form if exchange.body else exchange.query
        problems = [*self._parameters(node, key, known, given)]
        if "fields" in given:
            read = self._read_of(node, key)
            problems += self._fields(read, given["fields"])
        return [f"{node} {key}: {problem}" for problem in problems]

    def every_call(self) -> set[str]:
        return {f"{name} {key}" for name, node in self._nodes.items() for key in node["calls"]}

    def _parameters(
        self, node: str, key: str, known: Mapping[str, Any], given: Mapping[str, str]
    ) -> Iterator[str]:
        for name, (_, required) in known.items():
            if required and name not in given:
                yield f"{name} is missing"
        for name, value in given.items():
            if name in known:
                if not self._matches(known[name][0], value):
                    yield f"{name}: {value!r} is no {known[name][0]}"
            elif not self._is_beyond(f"{node} {key}.{name}") and not (
                key.startswith("GET") and name in _GENERAL
            ):
                yield f"{name} is not known"

    def _matches(self, kind: str, value: str) -> bool:
        if inner := re.fullmatch(r"list<(\w+)>", kind):
            if inner.group(1).lower() in self._enums:
                return all(self._matches(inner.group(1), item) for item in value.split(","))
            return isinstance(_json(value), list) or (kind == "list<Object>" and value.isidentifier())
        if kind.lower() in self._enums:
            # Meta's own samples write them in lower case.
            return value.lower() in {choice.lower() for choice in self._enums[kind.lower()]}
        if kind in {"Object", "map"}:
            return isinstance(_json(value), Mapping)
        return re.fullmatch(_TYPES.get(kind, r"(?s).*"), value) is not None

    def _fields(self, node: str, text: str) -> Iterator[str]:
        """Fields that a node does not have; ``name.limit(0)`` and ``name{inner}`` ask more of one."""
        about = self._nodes[node]
        for name, inner in _split(text):
            if name not in about["fields"] and name not in about["lists"]:
                if not self._is_beyond(f"{node}.{name}"):
                    yield f"field {name} is not known"
            elif inner and (kind := about["fields"].get(name)) in self._nodes:
                yield from self._fields(kind, inner)

    def _is_beyond(self, name: str) -> bool:
        found = name in self._beyond
        if found:
            self.used_beyond.add(name)
        return found

    def _node_of(self, id_: str, edge: str) -> str | None:
        if id_ == "me" and self._alone:
            return "IGUserForIGOnlyAPI"
        if id_ == "me":
            return "User" if edge in {"accounts", "permissions"} else "Page"
        kind = self._kinds.get(id_) or self._kinds.get(id_.rpartition("_")[2])
        return f"{kind}ForIGOnlyAPI" if self._alone and kind in {"IGUser", "IGMedia"} else kind

    def _read_of(self, node: str, key: str) -> str:
        """Whose fields a read asks for."""
        lists = {"GET accounts": "Page", "GET published_posts": "PagePost", "GET media": "IGMedia"}
        read = lists.get(key, node)
        return "IGMediaForIGOnlyAPI" if self._alone and read == "IGMedia" else read

    def _learn(self, node: str | None, key: str, exchange: Exchange) -> None:
        answer = exchange.answered
        if not isinstance(answer, Mapping):
            return
        if "post_id" in answer:
            self._kinds[str(answer["post_id"])] = "PagePost"
        if "video_id" in answer:
            self._kinds[str(answer["video_id"])] = "AdVideo"
        if "user_id" in answer:
            self._kinds[str(answer["user_id"])] = "IGUser"
        if "data" in answer and node is not None:
            for item in answer["data"]:
                if "id" in item:
                    self._kinds[item["id"]] = self._read_of(node, key).removesuffix("ForIGOnlyAPI")
                if account := item.get("instagram_business_account"):
                    self._kinds[account["id"]] = "IGUser"
        made = {
            "POST feed": "PagePost",
            "POST photos": "Photo",
            "POST media": "ShadowIGMediaBuilder",
            "POST media_publish": "IGMedia",
        }
        if key in made and "id" in answer:
            self._kinds[answer["id"]] = made[key]


def _split(text: str) -> Iterator[tuple[str, str]]:
    """``a,b{c,d},e.f(1)`` as names, each with what stands in its braces."""
    yield from re.findall(r"(\w+)(?:\.\w+\([^)]*\))*(?:\{([^}]*)\})?(?:,|$)", text)


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None
