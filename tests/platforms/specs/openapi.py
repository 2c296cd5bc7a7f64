"""Requests and answers against an OpenAPI 3.0 document.

It is stricter than the document: what the document does not name is a violation, too.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from openapi_schema_validator import OAS30ReadValidator, OAS30WriteValidator

from tests.platforms.specs.recording import Exchange

_FORMS: Final = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})


class OpenApi:
    """One document.

    Args:
        document: As it was read.
        base: What comes before its paths.
        prose: Properties that only its texts speak of.
    """

    def __init__(self, document: Mapping[str, Any], base: str, prose: frozenset[str] = frozenset()) -> None:
        self._document = document
        self._base = base
        self._prose = prose

    def operation(self, exchange: Exchange) -> tuple[str, Mapping[str, Any], dict[str, str]] | None:
        """The name of the operation that a request is for, its description, and what the path holds."""
        for template, methods in self._document["paths"].items():
            pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(self._base + template))
            found = re.fullmatch(pattern, exchange.path)
            if found and exchange.method.lower() in methods:
                method = exchange.method.lower()
                return f"{method} {template}", methods[method], found.groupdict()
        return None

    def operations(self) -> set[str]:
        return {f"{method} {path}" for path, methods in self._document["paths"].items() for method in methods}

    def request_violations(self, exchange: Exchange, scopes: frozenset[str]) -> list[str]:
        """What the document has against a request; ``scopes`` are those that the token was asked for."""
        found = self.operation(exchange)
        if found is None:
            return [f"{exchange}: no such operation"]
        name, operation, in_path = found
        violations = [
            *self._parameters(operation, exchange, in_path),
            *self._body(operation, exchange),
            *self._security(operation, exchange, scopes),
        ]
        return [f"{name}: {violation}" for violation in violations]

    def answer_violations(self, exchange: Exchange) -> list[str]:
        """What the document has against an answer."""
        found = self.operation(exchange)
        if found is None:
            return [f"{exchange}: no such operation"]
        name, operation, _ = found
        responses = operation["responses"]
        response = responses.get(str(exchange.status)) or responses.get("default")
        if response is None:
            return [f"{name}: {exchange.status} is not documented"]
        schema = self._resolved(response)["content"]["application/json"]["schema"]
        problems = self._problems(OAS30ReadValidator, schema, exchange.answered)
        return [f"{name}: answer {problem}" for problem in problems]

    def _parameters(
        self, operation: Mapping[str, Any], exchange: Exchange, in_path: Mapping[str, str]
    ) -> Iterator[str]:
        known = [self._resolved(parameter) for parameter in operation.get("parameters", [])]
        names = {parameter["name"] for parameter in known if parameter["in"] == "query"}
        yield from (f"query {name} is not known" for name in exchange.query.keys() - names)
        places = {"path": in_path, "query": exchange.query, "header": exchange.headers}
        for parameter in known:
            text = places[parameter["in"]].get(parameter["name"])
            if text is None:
                if parameter.get("required"):
                    yield f"{parameter['name']} is missing"
            else:
                value = self._parsed(parameter["schema"], text)
                for problem in self._problems(OAS30WriteValidator, parameter["schema"], value):
                    yield f"{parameter['name']} {problem}"

    def _parsed(self, schema: Mapping[str, Any], text: str) -> object:
        kind = self._resolved(schema).get("type")
        if kind == "array":
            return text.split(",")
        if kind in {"integer", "number"} and re.fullmatch(r"-?\d+", text):
            return int(text)
        return {"true": True, "false": False}.get(text, text) if kind == "boolean" else text

    def _body(self, operation: Mapping[str, Any], exchange: Exchange) -> Iterator[str]:
        if "requestBody" not in operation:
            if exchange.body:
                yield "has a body"
            return
        content = operation["requestBody"]["content"].get(exchange.content_type)
        if content is None:
            yield f"{exchange.content_type} is not taken"
            return
        if exchange.content_type == "application/json":
            yield from self._problems(OAS30WriteValidator, content["schema"], exchange.json)
        elif exchange.content_type in _FORMS:
            yield from self._problems(OAS30WriteValidator, content["schema"], exchange.form)

    def _security(
        self, operation: Mapping[str, Any], exchange: Exchange, scopes: frozenset[str]
    ) -> Iterator[str]:
        scheme = exchange.headers.get("authorization", "").partition(" ")[0]
        choices = operation.get("security")
        if choices is None:
            # X's token endpoint alone takes the app's own proof as well.
            if scheme == "Bearer":
                yield "a token where none is wanted"
            return
        for choice in choices:
            for name, needed in choice.items():
                wanted = "Basic" if name == "basic" else "Bearer"
                if scheme == wanted and scopes.issuperset(needed):
                    return
        yield "no token with the scopes that it needs"

    def _problems(self, validator: Any, schema: Mapping[str, Any], value: object) -> Iterator[str]:
        chosen = self._chosen(schema, value)
        whole = {**chosen, "components": self._document["components"]}
        for error in validator(whole).iter_errors(value):
            yield f"{'.'.join(map(str, error.absolute_path))}: {error.message[:200]}"
        yield from (f"{name} is not known" for name in self._unknown(chosen, value, ""))

    def _unknown(self, schema: Mapping[str, Any], value: object, where: str) -> Iterator[str]:
        """Properties that no part of a schema names."""
        schema = self._chosen(schema, value)
        if isinstance(value, list):
            for item in value:
                yield from self._unknown(schema.get("items", {}), item, where)
        elif isinstance(value, Mapping):
            known = self._properties(schema, value)
            free = schema.get("additionalProperties")
            for name, inner in value.items():
                if name in known:
                    yield from self._unknown(known[name], inner, f"{where}.{name}")
                elif known and not free and name not in self._prose:
                    yield f"{where}.{name}"

    def _properties(self, schema: Mapping[str, Any], value: object) -> dict[str, Any]:
        schema = self._chosen(schema, value)
        known = dict(schema.get("properties", {}))
        for part in (*schema.get("allOf", ()), *schema.get("oneOf", ()), *schema.get("anyOf", ())):
            known |= self._properties(part, value)
        return known

    def _chosen(self, schema: Mapping[str, Any], value: object) -> Mapping[str, Any]:
        """A schema with its reference resolved and its discriminator followed."""
        schema = self._resolved(schema)
        if "discriminator" in schema and isinstance(value, Mapping):
            about = schema["discriminator"]
            reference = about.get("mapping", {}).get(value.get(about["propertyName"]))
            if reference is not None and (target := self._at(reference)) is not schema:
                return target
        return schema

    def _resolved(self, part: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in part:
            part = self._at(part["$ref"])
        return part

    def _at(self, reference: str) -> Mapping[str, Any]:
        _, *keys = reference.split("/")
        found: Any = self._document
        for key in keys:
            found = found[key]
        return found  # type: ignore[no-any-return]  # JSON
