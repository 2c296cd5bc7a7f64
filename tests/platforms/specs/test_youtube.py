"""Every request to YouTube, and every answer of its stand-in, against Google's discovery documents."""

import json

import pytest

from app.contract.enums import ConnectionPlatform as P
from app.platforms.youtube.adapter import YouTube
from tests.platforms.specs import errands
from tests.platforms.specs.discovery import Discovery
from tests.platforms.specs.excerpts import DATA
from tests.platforms.specs.recording import Exchange
from tests.platforms.world import Practice

DOCUMENTS = {
    name: Discovery(json.loads((DATA / f"{name}.json").read_text("utf-8")))
    for name in ("youtube", "youtube_analytics")
}
SCOPES = frozenset(YouTube.scopes)


@pytest.fixture(scope="module")
def exchanges(practice: Practice) -> list[Exchange]:
    """Those of the APIs; tokens and the sessions of uploads are described in prose alone."""
    recorded = errands.run(practice, P.YOUTUBE)
    return [call for call in recorded if call.path != "/token" and call.method != "PUT"]


def document(call: Exchange) -> Discovery:
    return DOCUMENTS["youtube_analytics" if call.path.startswith("/v2/") else "youtube"]


def test_no_request_violates_a_document(exchanges: list[Exchange]) -> None:
    found = [found for call in exchanges for found in document(call).request_violations(call, SCOPES)]
    assert found == []


def test_no_answer_of_the_stand_in_violates_one(exchanges: list[Exchange]) -> None:
    answers = [call for call in exchanges if call.answer]
    assert [found for call in answers for found in document(call).answer_violations(call)] == []


def test_every_method_was_called(exchanges: list[Exchange]) -> None:
    called = {document(call).method(call) for call in exchanges}
    assert called == {method for known in DOCUMENTS.values() for method in known.methods()}
