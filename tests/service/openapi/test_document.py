"""The description of the API: whole, true to the models, and the same as the one in the repository."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import validator_for

from app.contract.enums import Action
from app.contract.limits import API_PREFIX, COMPANION_PREFIX
from app.service.api.app import api_routes
from app.service.openapi.__main__ import files
from app.service.openapi.document import Operation, description, operations
from app.service.openapi.examples import example_of

DOCS = Path(__file__).resolve().parents[3] / "docs"
PREFIXES = (API_PREFIX, COMPANION_PREFIX)


ROUTES = api_routes()
DOCUMENTS = {prefix: description(ROUTES, prefix) for prefix in PREFIXES}
OPERATIONS = {prefix: operations(ROUTES, prefix) for prefix in PREFIXES}
ALL = [operation for prefix in PREFIXES for operation in OPERATIONS[prefix]]


def _named(operation: Operation) -> str:
    return operation.name


@pytest.mark.parametrize(("name", "text"), list(files()))
def test_the_files_in_the_repository_are_what_the_code_says(name: str, text: str) -> None:
    kept = (DOCS / name).read_text("utf-8")
    assert kept == text, f"docs/{name} differs from the code: python -m app.service.openapi docs"


def test_every_action_of_the_contract_has_one_operation() -> None:
    assert len(OPERATIONS[API_PREFIX]) == len(Action)


def test_names_of_operations_are_unique() -> None:
    for found in OPERATIONS.values():
        assert len({operation.name for operation in found}) == len(found)


@pytest.mark.parametrize("operation", ALL, ids=_named)
def test_every_operation_says_what_it_does_and_takes_a_key(operation: Operation) -> None:
    assert operation.summary.endswith(".")
    assert operation.admitted
    assert operation.tag


def _responses() -> Iterator[tuple[str, str]]:
    for document in DOCUMENTS.values():
        for methods in document["paths"].values():
            for operation in methods.values():
                for status in operation["responses"]:
                    yield operation["operationId"], status


def test_nothing_answers_with_422_and_every_status_is_one_of_the_contract() -> None:
    assert {status for _, status in _responses()} <= {
        "200",
        "201",
        "400",
        "401",
        "403",
        "404",
        "429",
        "500",
    }


def _examples(node: Any) -> Iterator[tuple[dict[str, Any], Any]]:
    if isinstance(node, dict):
        for example in node.get("examples", ()):
            yield node, example
        node = list(node.values())
    for part in node if isinstance(node, list) else ():
        yield from _examples(part)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_every_example_is_valid(prefix: str) -> None:
    document = DOCUMENTS[prefix]
    found = list(_examples(document["components"]["schemas"]))
    assert found
    for schema, example in found:
        whole = {**schema, "components": document["components"]}
        validator_for(whole, validate_formats=True).validate(example)


def test_every_body_and_answer_has_an_example() -> None:
    models = {operation.body.model for operation in ALL if operation.body}
    models |= {operation.answer for operation in ALL if operation.answer}
    assert [model.__name__ for model in models if example_of(model) is None] == []
