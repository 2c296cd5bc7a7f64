"""Logs: no secret gets in, whatever is logged."""

import pytest

from app.service.logs import scrub


@pytest.mark.parametrize(
    "text",
    [
        "GET /callback/x?state=NEEDLE&code=NEEDLE",
        "stp_rest_NEEDLE is not known",
        "Authorization: Bearer NEEDLE",
        "access_token=NEEDLE&refresh_token=NEEDLE&client_secret=NEEDLE",
        "?cursor=NEEDLE",
        "PUT /media/v1/a/b.png?expires=1&token=NEEDLE",
        "whsec_NEEDLE",
    ],
)
def test_secrets_are_blotted_out(text: str) -> None:
    scrubbed = scrub(text)

    assert "NEEDLE" not in scrubbed
    assert "***" in scrubbed


def test_the_rest_stays_readable() -> None:
    assert scrub("GET /api/v1/posts?limit=5&cursor=abc&status=failed") == (
        "GET /api/v1/posts?limit=5&cursor=***&status=failed"
    )
