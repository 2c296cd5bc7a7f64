"""Every request to Pinterest, and every answer of its stand-in, against the OpenAPI document 5.23.0."""

import json

import pytest

from app.contract.enums import ConnectionPlatform as P
from app.platforms.pinterest.adapter import Pinterest
from tests.platforms.specs import errands
from tests.platforms.specs.excerpts import DATA
from tests.platforms.specs.openapi import OpenApi
from tests.platforms.specs.recording import Exchange
from tests.platforms.world import Practice

# The token endpoint's text speaks of it, for apps from before 2025-09-25.
DOCUMENT = OpenApi(
    json.loads((DATA / "pinterest.json").read_text("utf-8")), "/v5", prose=frozenset({"continuous_refresh"})
)
SCOPES = frozenset(Pinterest.scopes)


@pytest.fixture(scope="module")
def exchanges(practice: Practice) -> list[Exchange]:
    return [call for call in errands.run(practice, P.PINTEREST) if not call.path.startswith("/s3/")]


def test_no_request_violates_the_document(exchanges: list[Exchange]) -> None:
    assert [found for call in exchanges for found in DOCUMENT.request_violations(call, SCOPES)] == []


def test_no_answer_of_the_stand_in_violates_it(exchanges: list[Exchange]) -> None:
    assert [found for call in exchanges for found in DOCUMENT.answer_violations(call)] == []


def test_every_operation_was_called(exchanges: list[Exchange]) -> None:
    called = {found[0] for call in exchanges if (found := DOCUMENT.operation(call))}
    assert called == DOCUMENT.operations()
