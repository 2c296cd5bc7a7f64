"""``python -m app.service.openapi FOLDER``: write the API descriptions and references."""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from app.contract.limits import API_PREFIX, COMPANION_PREFIX
from app.service.api.app import api_routes
from app.service.openapi.document import SUCCESS, description

_INTRODUCTION = """# {title}

{description}

All paths are relative to `{prefix}`. Every response has an `X-Request-Id` header. Errors have this envelope:

```json
{{"error": {{"code": "validation_error", "message": "...", "details": {{...}}}}, "request_id": "req_..."}}
```

{guide}`python -m app.service.openapi docs` generates `{file}` from the code, and this page from `{file}`.
"""
_RANGES = (
    ("minLength", "maxLength", "character"),
    ("minItems", "maxItems", "item"),
    ("minimum", "maximum", ""),
)
_CONSTRAINTS = {"exclusiveMinimum": "more than {}", "default": "default {}"}


class Reference:
    """Renders an OpenAPI document as Markdown."""

    def __init__(self, document: Mapping[str, Any], file: str, guide: str = "") -> None:
        """``file`` is the name of the document's file; ``guide`` is printed before the endpoints."""
        self._guide = guide
        self._document = document
        self._file = file

    def write(self) -> str:
        return "\n".join(self._lines()).rstrip() + "\n"

    def _lines(self) -> Iterator[str]:
        info, prefix = self._document["info"], self._document["servers"][0]["url"]
        yield _INTRODUCTION.format(
            title=info["title"],
            description=info["description"],
            prefix=prefix,
            file=self._file,
            guide=f"{self._guide}\n" if self._guide else "",
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
            yield f"{operation['description'].replace('``', '`')}\n"
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
                note = response["description"]
                yield f"Returns {status}.\n" if note == SUCCESS else f"Returns {status}: {note}\n"
                schema = response.get("content", {}).get("application/json", {}).get("schema", {})
                if schema.get("$ref") not in shown:
                    shown.add(schema.get("$ref", ""))
                    yield from _example(self._resolved(schema))
        failures = ", ".join(status for status in responses if status >= "400")
        yield f"Errors: {failures}.\n"

    def _row(self, name: str, field: Mapping[str, Any], required: bool) -> str:
        kind, rules = self._type(field), [*self._rules(field)]
        return f"| `{name}` | {kind} | {'yes' if required else 'no'} | {'; '.join(rules)} |"

    def _type(self, field: Mapping[str, Any]) -> str:
        if "anyOf" in field:
            return " or ".join(dict.fromkeys(self._type(option) for option in field["anyOf"]))
        resolved = self._resolved(field)
        if resolved.get("type") == "array":
            items = resolved.get("items", {})
            name = str(items.get("$ref", "")).rpartition("/")[2]
            is_object = self._resolved(items).get("type") == "object"
            return f"array of `{name}`" if name and is_object else f"array of {self._type(items)}"
        if "format" in resolved:
            return f"{resolved['type']} ({resolved['format']})"
        return str(resolved.get("type", "any"))

    def _rules(self, field: Mapping[str, Any]) -> Iterator[str]:
        if "description" in field:
            yield str(field["description"])
        for option in field.get("anyOf", [field]):
            own = {name: value for name, value in option.items() if name != "$ref"}
            resolved = {**self._resolved(option), **own}
            if "enum" in resolved:
                yield ", ".join(f"`{value}`" for value in resolved["enum"])
            for least, most, unit in _RANGES:
                if words := _range(resolved.get(least), resolved.get(most), unit):
                    yield words
            for name, words in _CONSTRAINTS.items():
                if name in resolved:
                    yield words.format(json.dumps(resolved[name]))

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        name = str(schema.get("$ref", "")).rpartition("/")[2]
        found: Mapping[str, Any] = self._document["components"]["schemas"][name] if name else schema
        return found


def _range(least: float | None, most: float | None, unit: str) -> str:
    """Return a phrase such as "1 to 200 characters"; empty without a limit."""
    if least is None and most is None:
        return ""
    last = most if most is not None else least
    unit = f" {unit}{'' if last == 1 else 's'}" if unit else ""
    if most is None:
        return f"at least {least}{unit}"
    return f"at most {most}{unit}" if least is None else f"{least} to {most}{unit}"


def _example(schema: Mapping[str, Any]) -> Iterator[str]:
    for example in schema.get("examples", [])[:1]:
        yield f"```json\n{json.dumps(example, indent=2, ensure_ascii=False)}\n```\n"


_GUIDE: Final = Path(__file__).with_name("guide.md").read_text(encoding="utf-8")
"""Introduction of the API's page; a test runs its commands."""


def files() -> Iterator[tuple[str, str]]:
    """Yield name and content of each file."""
    routes = api_routes()
    for prefix, name, guide in ((API_PREFIX, "api", _GUIDE), (COMPANION_PREFIX, "companion-api", "")):
        document = description(routes, prefix)
        yield f"{name}.json", json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        yield f"{name}.md", Reference(document, f"{name}.json", guide).write()


def main() -> None:
    folder = Path(sys.argv[1])
    for name, text in files():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
