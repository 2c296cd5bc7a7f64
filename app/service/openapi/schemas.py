"""The contract's models as JSON Schemas, with readable names."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from app.service.openapi.examples import example_of
from app.service.openapi.field_rules import FIELD_RULES

Mode = Literal["validation", "serialization"]
Use = tuple[type[BaseModel], Mode]

_REFERENCE = "#/components/schemas/{model}"
_GENERIC_PAGE = re.compile(r"\bPage_(\w+)_\b")


class Schemas:
    """The schemas of all models of an API, and references to them."""

    def __init__(self, uses: Iterable[Use]) -> None:
        """``uses``: models with ``validation`` for requests, ``serialization`` for responses."""
        ordered = sorted(set(uses), key=lambda use: (use[0].__name__, use[1]))
        references, definitions = models_json_schema(ordered, ref_template=_REFERENCE)
        self._references = {use: _renamed(schema) for use, schema in references.items()}
        self.components: dict[str, Any] = {
            name: _tidied(schema) for name, schema in sorted(_renamed(definitions.get("$defs", {})).items())
        }
        for use in ordered:
            for field, rules in FIELD_RULES.get(use[0], {}).items():
                self.components[self._name(use)]["properties"][field].update(rules)
            example = example_of(use[0])
            if example is not None:
                self.components[self._name(use)]["examples"] = [example]

    def reference(self, model: type[BaseModel], mode: Mode) -> dict[str, Any]:
        """Return a reference to the model."""
        return self._references[model, mode]

    def properties(self, model: type[BaseModel]) -> list[tuple[str, dict[str, Any], bool]]:
        """Return name, schema and necessity of each field of a request model."""
        schema = _tidied(model.model_json_schema(mode="validation", ref_template=_REFERENCE))
        required = schema.get("required", ())
        inlined = _inlined(schema.get("properties", {}), schema.get("$defs", {}))
        return [(name, field, name in required) for name, field in inlined.items()]

    def _name(self, use: Use) -> str:
        return str(self._references[use]["$ref"]).rpartition("/")[2]


def _renamed(schema: Mapping[Any, Any]) -> dict[str, Any]:
    """Rename ``Page[Post]`` to ``PostPage``."""
    renamed: dict[str, Any] = json.loads(_GENERIC_PAGE.sub(r"\1Page", json.dumps(schema)))
    return renamed


def _tidied(schema: dict[str, Any]) -> dict[str, Any]:
    """Remove titles that repeat a field's name, and null defaults where null is rejected."""
    for field in schema.get("properties", {}).values():
        field.pop("title", None)
        if field.get("default", ...) is None and not _takes_null(field):
            del field["default"]
    for nested in schema.get("$defs", {}).values():
        _tidied(nested)
    return schema


def _takes_null(field: Mapping[str, Any]) -> bool:
    return any(option.get("type") == "null" for option in field.get("anyOf", ()))


def _inlined(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """Replace references by their schemas, because parameters must be self-contained."""
    if isinstance(schema, list):
        return [_inlined(part, definitions) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if reference := schema.get("$ref"):
        rest = {name: value for name, value in schema.items() if name != "$ref"}
        inlined = _inlined(definitions[reference.rpartition("/")[2]], definitions)
        inlined.pop("description", None)  # of the type, which says nothing of the parameter
        return {**inlined, **rest}
    return {name: _inlined(value, definitions) for name, value in schema.items()}
