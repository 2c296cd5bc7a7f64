"""The API reference for people, written from the same document that programs read."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

_INTRODUCTION = """# {title}

{description}

All paths are below `{prefix}`. Every answer carries `X-Request-Id`; every error has this envelope:

```json
{{"error": {{"code": "validation_error", "message": "...", "details": [...]}}, "request_id": "req_..."}}
```

This page is made from `{file}`, which is made from the code: `python -m app.service.openapi docs`.
"""
_CONSTRAINTS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "default": "default {}",
}


class Reference:
    """Markdown out of an OpenAPI document."""

    def __init__(self, document: Mapping[str, Any], file: str) -> None:
        """``file`` is the name of the document's own file."""
        self._document = document
        self._file = file

    def write(self) -> str:
        return "\n".join(self._lines()).rstrip() + "\n"

    def _lines(self) -> Iterator[str]:
        info, prefix = self._document["info"], self._document["servers"][0]["url"]
        yield _INTRODUCTION.format(
            title=info["title"], description=info["description"], prefix=prefix, file=self._file
        )
        for tag in self._document["tags"]:
            yield f"## {tag['name'].title()}\n"
            for path, methods in self._document["paths"].items():
                for method, operation in methods.items():
                    if operation["tags"] == [tag["name"]]:
                        yield from self._operation(f"{method.upper()} {path}", operation)

    def _operation(self, heading: str, operation: Mapping[str, Any]) -> Iterator[str]:
        yield f"### `{heading}`\n"
        yield f"{operation['summary']}\n"
        if "description" in operation:
            yield f"{operation['description']}\n"
        if rows := [
            self._row(one["name"], one["schema"], one.get("required", False))
            for one in self._asked(operation)
        ]:
            yield "| Parameter | Type | Required | Rule |\n|---|---|---|---|"
            yield from rows
            yield ""
        if "requestBody" in operation:
            yield from self._body(operation["requestBody"]["content"]["application/json"]["schema"])
        yield from self._answers(operation["responses"])

    @staticmethod
    def _asked(operation: Mapping[str, Any]) -> list[dict[str, Any]]:
        return list(operation.get("parameters", ()))

    def _body(self, reference: Mapping[str, Any]) -> Iterator[str]:
        schema = self._resolved(reference)
        yield "| Field | Type | Required | Rule |\n|---|---|---|---|"
        for name, field in schema.get("properties", {}).items():
            yield self._row(name, field, name in schema.get("required", ()))
        yield ""
        yield from _example(schema)

    def _answers(self, responses: Mapping[str, Any]) -> Iterator[str]:
        shown: set[str] = set()
        for status, response in responses.items():
            if status < "300":
                yield f"Answers {status}: {response['description']}\n"
                schema = response.get("content", {}).get("application/json", {}).get("schema", {})
                if schema.get("$ref") not in shown:
                    shown.add(schema.get("$ref", ""))
                    yield from _example(self._resolved(schema))
        failures = ", ".join(status for status in responses if status >= "400")
        yield f"Can fail with {failures}.\n"

    def _row(self, name: str, field: Mapping[str, Any], required: bool) -> str:
        kind, rules = self._type(field), [*self._rules(field)]
        return f"| `{name}` | {kind} | {'yes' if required else 'no'} | {'; '.join(rules)} |"

    def _type(self, field: Mapping[str, Any]) -> str:
        if "anyOf" in field:
            return " or ".join(dict.fromkeys(self._type(option) for option in field["anyOf"]))
        resolved = self._resolved(field)
        if resolved.get("type") == "array":
            return f"array of {self._type(resolved.get('items', {}))}"
        if "format" in resolved:
            return f"{resolved['type']} ({resolved['format']})"
        return str(resolved.get("type", "any"))

    def _rules(self, field: Mapping[str, Any]) -> Iterator[str]:
        for option in field.get("anyOf", [field]):
            resolved = {**self._resolved(option), **{k: v for k, v in option.items() if k != "$ref"}}
            if "enum" in resolved:
                yield ", ".join(f"`{value}`" for value in resolved["enum"])
            for name, words in _CONSTRAINTS.items():
                if name in resolved:
                    yield words.format(json.dumps(resolved[name]))

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        name = str(schema.get("$ref", "")).rpartition("/")[2]
        found: Mapping[str, Any] = self._document["components"]["schemas"][name] if name else schema
        return found


def _example(schema: Mapping[str, Any]) -> Iterator[str]:
    for example in schema.get("examples", [])[:1]:
        yield f"```json\n{json.dumps(example, indent=2, ensure_ascii=False)}\n```\n"
