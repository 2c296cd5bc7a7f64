"""Links from IDs in a response to operations on these objects."""

from collections.abc import Iterable
from typing import Any

from app.service.openapi.operations import Operation


def links_from(source: Operation, everything: Iterable[Operation]) -> dict[str, Any]:
    """Return the links of an operation whose response contains IDs."""
    found = {}
    for target in everything:
        values = {name: _value_of(name, source, target) for name in target.parameters}
        from_the_answer = any((value or "").startswith("$response") for value in values.values())
        if target is not source and from_the_answer and all(values.values()):
            found[target.name] = {"operationId": target.name, "parameters": values}
    return found


def _value_of(name: str, source: Operation, target: Operation) -> str | None:
    """Return where ``source`` contains the value of a path parameter; None if it doesn't."""
    fields = source.answer.model_fields if source.answer else {}
    collection = target.path.partition(f"/{{{name}}}")[0]
    if name in source.parameters:
        return f"$request.path.{name}"
    if name in fields:
        return f"$response.body#/{name}"
    if source.path == collection and "id" in fields:
        return "$response.body#/id"
    if source.path == collection and "data" in fields:
        return "$response.body#/data/0/id"
    return None
