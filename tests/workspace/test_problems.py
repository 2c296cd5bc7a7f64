"""Words for what the service answered: its own where it has some, and never those of the client."""

import pytest

from app.client import Forbidden, ServerFailed, ServiceAnswered, ValidationRefused
from app.workspace.problems import problem_of, reason_of

WITHOUT = ("", "the service gave no reason")
"""Code and message of an error whose body is not the contract's."""


@pytest.mark.parametrize(
    ("error", "reason", "text"),
    [
        (Forbidden(403, *WITHOUT), "", "The service does not allow this."),
        (ValidationRefused(422, *WITHOUT), "", "The service refused this."),
        (
            ServerFailed(504, *WITHOUT),
            "",
            "The service has a problem of its own. Changes wait and are sent again.",
        ),
        (ValidationRefused(400, "teapot", "Short and stout."), "Short and stout", None),
        (ValidationRefused(400, "x", "No.", {"title": "is boring"}), "is boring", None),
    ],
)
def test_a_reason_is_the_services_own(error: ServiceAnswered, reason: str, text: str | None) -> None:
    assert reason_of(error) == reason
    assert problem_of(error).text == (text or f"The service refused this: {reason}.")
