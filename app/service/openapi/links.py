"""Links: how the ids in one answer lead to the operations on what they name."""

from collections.abc import Iterable
from typing import Any

from app.service.openapi.operations import Operation


def links_from(source: Operation, everything: Iterable[Operation]) -> dict[str, Any]:
    """The links of an operation whose answer names what it made, found or listed."""
    found = {}
    for target in everything:
        values = {name: _value_of(name, source, target) for name in target.parameters}
        from_the_answer = any((value or "").startswith("$response") for value in values.values())
        if target is not source and from_the_answer and all(values.values()):
            found[target.name] = {"operationId": target.name, "parameters": values}
    return found


def _value_of(name: str, source: Operation, target: Operation) -> str | None:
    """Where the value of a path's parameter stands in the call of ``source``; None: nowhere."""
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
