"""Every request to YouTube, and every answer of its stand-in, against Google's discovery documents."""

import json

import pytest

from app.contract.enums import ConnectionPlatform as P
from app.platforms.youtube import YouTube
from tests.platforms.specs import errands
from tests.platforms.specs.discovery import Discovery
from tests.platforms.specs.excerpts import DATA
from tests.platforms.specs.recording import Exchange
from tests.platforms.world import Practice

DOCUMENT = Discovery(json.loads((DATA / "youtube.json").read_text("utf-8")))
SCOPES = frozenset(YouTube.scopes)


@pytest.fixture(scope="module")
def exchanges(practice: Practice) -> list[Exchange]:
    return errands.run(practice, P.YOUTUBE)


def calls(exchanges: list[Exchange]) -> list[Exchange]:
    """Those of the API; tokens and the sessions of uploads are described in prose alone."""
    return [call for call in exchanges if call.path != "/token" and call.method != "PUT"]


def test_no_request_violates_the_document(exchanges: list[Exchange]) -> None:
    assert [found for call in calls(exchanges) for found in DOCUMENT.request_violations(call, SCOPES)] == []


def test_no_answer_of_the_stand_in_violates_it(exchanges: list[Exchange]) -> None:
    answers = [call for call in calls(exchanges) if call.answer]
    assert [found for call in answers for found in DOCUMENT.answer_violations(call)] == []


def test_every_method_was_called(exchanges: list[Exchange]) -> None:
    assert {DOCUMENT.method(call) for call in calls(exchanges)} == DOCUMENT.methods()
