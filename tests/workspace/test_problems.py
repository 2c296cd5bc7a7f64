"""Words for what the service answered: its own where it has some, and never those of the client."""

import errno
import os
from collections.abc import Iterator

import pytest

from app.client import Forbidden, ServerFailed, ServiceAnswered, ValidationRefused
from app.language import tr, use
from app.service.outbound import AddressRefusedError
from app.service.outbound.policy import HTTP_AND_HTTPS, HTTPS, PrivateTargetError, Target
from app.service.webhooks.sender import judge
from app.workspace import foreign_texts
from app.workspace.foreign_texts import KNOWN, in_own_language
from app.workspace.problems import problem_of, reason_of

WITHOUT = ("", "the service gave no reason")
"""Code and message of an error whose body is not the contract's."""


@pytest.mark.parametrize(
    ("error", "reason", "text"),
    [
        (Forbidden(403, *WITHOUT), "", "The service doesn't allow this."),
        (ValidationRefused(422, *WITHOUT), "", "The service rejected this."),
        (
            Forbidden(403, "forbidden", "Access denied"),
            "Access denied",
            "The service rejected this: Access denied.",
        ),
        (Forbidden(403, "forbidden", "The storage is full."), "The storage is full", "The storage is full."),
        (
            Forbidden(403, "forbidden", "The API key doesn't have the scope api:full."),
            "The API key doesn't have the scope api:full",
            "This API key doesn't allow that. Enter one with full access in Settings.",
        ),
        (
            ServerFailed(504, *WITHOUT),
            "",
            ("The service had an internal error. Your changes are saved and will be sent again."),
        ),
        (ValidationRefused(400, "teapot", "Short and stout."), "Short and stout", None),
        (ValidationRefused(400, "x", "No.", {"title": "is boring"}), "is boring", None),
    ],
)
def test_a_reason_is_the_services_own(error: ServiceAnswered, reason: str, text: str | None) -> None:
    assert reason_of(error) == reason
    assert problem_of(error).text == (text or f"The service rejected this: {reason}.")


@pytest.fixture
def german() -> Iterator[None]:
    use("de")
    yield
    use("en")


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    "error",
    [
        ValidationRefused(400, "teapot", "Short and stout."),
        ValidationRefused(400, "x", "No.", {"title": "is boring"}),
        Forbidden(403, "forbidden", "Apps are set in this service's settings file."),
    ],
)
def test_another_language_leaves_out_what_it_does_not_know_and_keeps_it_in_the_details(
    error: ServiceAnswered,
) -> None:
    assert reason_of(error) == ""
    problem = problem_of(error)
    assert problem.text in {tr("The service rejected this."), "The service rejected this."} | {
        "The service doesn't allow this."
    }
    assert error.message in problem.details


def refused(url: str, *, with_http: bool = False) -> str:
    with pytest.raises(AddressRefusedError) as caught:
        Target.parse(url, HTTP_AND_HTTPS if with_http else HTTPS)
    return str(caught.value)


def test_the_refusals_of_addresses_and_deliveries_are_known() -> None:
    said = (
        str(PrivateTargetError()),
        refused("nonsense"),
        refused("https://ada:secret@example.com/"),
        refused("https://exa mple.com/"),
        refused("https://example..com/"),
        refused("http://example.com/"),
        refused("ftp://example.com/", with_http=True),
        judge(302).problem or "",
        judge(404).problem or "",
        judge(503).problem or "",
    )
    assert [one for one in said if not KNOWN.say(one)] == []


def test_in_english_a_service_says_what_it_likes() -> None:
    assert in_own_language("Tea is out.") == "Tea is out."
    said = str(PrivateTargetError())
    assert in_own_language(f"cannot be used. {said}") == said


@pytest.mark.usefixtures("german")
def test_unknown_words_of_the_system_are_a_number_in_another_language() -> None:
    error = OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    assert str(errno.ELOOP) in foreign_texts.why(error)
    assert os.strerror(errno.ELOOP).lower() not in foreign_texts.why(error).lower()
    elsewhere = OSError(errno.ENOSPC, "Auf dem Gerät ist kein Speicherplatz mehr verfügbar")
    assert foreign_texts.why(elsewhere) == "the disk is full"
