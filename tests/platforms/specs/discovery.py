"""Requests and answers against one of Google's discovery documents; what it does not name is a violation."""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from typing import Any, Final

from tests.platforms.specs.recording import Exchange

_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "object": Mapping,
    "array": list,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}
_TEXT_TYPES: Final = {"integer": r"-?\d+", "boolean": "true|false", "number": r"-?\d+(\.\d+)?"}


class Discovery:
    """One document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document

    def methods(self) -> set[str]:
        return set(self._document["methods"])

    def method(self, exchange: Exchange) -> str | None:
        """The method that a request is for; an upload's path has a prefix."""
        for name, method in self._document["methods"].items():
            upload = method.get("mediaUpload", {}).get("protocols", {}).get("simple", {}).get("path")
            paths = {f"/{method['path']}", upload}
            if exchange.method == method["httpMethod"] and exchange.path in paths:
                return str(name)
        return None

    def request_violations(self, exchange: Exchange, scopes: frozenset[str]) -> list[str]:
        """What the document has against a request of a token with these scopes."""
        name = self.method(exchange)
        if name is None:
            return [f"{exchange}: no such method"]
        method = self._document["methods"][name]
        problems = [*self._parameters(method, exchange.query)]
        if not scopes.intersection(method["scopes"]):
            problems.append("no scope that it takes")
        if "request" in method:
            parts = frozenset(exchange.query.get("part", "").split(","))
            problems += self._mismatches(method["request"], exchange.json, "body")
            problems += [f"{part} is sent, but not named as a part" for part in exchange.json.keys() - parts]
        if "mediaUpload" in method:
            problems += _upload_problems(method["mediaUpload"], exchange)
        return [f"{name}: {problem}" for problem in problems]

    def answer_violations(self, exchange: Exchange) -> list[str]:
        """What the document has against an answer."""
        name = self.method(exchange)
        if name is None:
            return [f"{exchange}: no such method"]
        schema = self._document["methods"][name]["response"]
        return [f"{name}: {problem}" for problem in self._mismatches(schema, exchange.answered, "answer")]

    def _parameters(self, method: Mapping[str, Any], query: Mapping[str, str]) -> Iterator[str]:
        known = {**self._document["parameters"], **method["parameters"]}
        # Uploads name their protocol so; the document holds it as the path.
        yield from (f"query {name} is not known" for name in query.keys() - known.keys() - {"uploadType"})
        for name, parameter in known.items():
            if name not in query:
                if parameter.get("required"):
                    yield f"{name} is missing"
                continue
            values = query[name].split(",") if parameter.get("repeated") else [query[name]]
            for value in values:
                if not re.fullmatch(_TEXT_TYPES.get(parameter["type"], ".+"), value):
                    yield f"{name}: {value!r} is no {parameter['type']}"
                if value not in parameter.get("enum", [value]):
                    yield f"{name}: {value!r} is not in the list"

    def _mismatches(self, schema: Mapping[str, Any], value: object, where: str) -> Iterator[str]:
        schema = self._document["schemas"][schema["$ref"]] if "$ref" in schema else schema
        kind = schema["type"]
        if kind in _TYPES:
            matches = isinstance(value, _TYPES[kind])
        else:
            matches = kind == "any" or isinstance(value, str)
        if not matches:
            yield f"{where} is no {kind}"
        elif isinstance(value, list):
            for item in value:
                yield from self._mismatches(schema["items"], item, f"{where}[]")
        elif isinstance(value, Mapping):
            for name, inner in value.items():
                described = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
                if described is None:
                    yield f"{where}.{name} is not known"
                else:
                    yield from self._mismatches(described, inner, f"{where}.{name}")
        elif isinstance(value, str):
            if value not in schema.get("enum", [value]):
                yield f"{where}: {value!r} is not in the list"
            if schema.get("format") in {"int64", "uint64"} and not re.fullmatch(r"-?\d+", value):
                yield f"{where}: {value!r} is no number"


def _upload_problems(upload: Mapping[str, Any], exchange: Exchange) -> Iterator[str]:
    """A session announces what is to come; a simple upload is it."""
    headers = exchange.headers
    kind = headers.get("x-upload-content-type") or headers.get("content-type", "")
    if not any(fnmatch(kind, pattern) for pattern in upload["accept"]):
        yield f"{kind!r} is not taken"
    size = headers.get("x-upload-content-length") or headers.get("content-length", "")
    if not (size.isdigit() and 0 < int(size) <= int(upload["maxSize"])):
        yield f"{size!r} bytes are not taken"
    asked = exchange.query.get("uploadType")
    if {"media": "simple"}.get(asked or "", asked) not in upload["protocols"]:
        yield "no protocol that it knows"
