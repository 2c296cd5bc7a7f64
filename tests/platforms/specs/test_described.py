"""Every request to LinkedIn, TikTok, X and Threads against what is documented of them."""

import pytest

from app.contract.enums import ConnectionPlatform as P
from app.platforms.linkedin.adapter import LinkedIn
from app.platforms.threads.adapter import Threads
from app.platforms.tiktok.adapter import TikTok
from app.platforms.x.adapter import X
from tests.platforms.specs import errands
from tests.platforms.specs.described import linkedin, threads, tiktok, x
from tests.platforms.specs.openapi import OpenApi
from tests.platforms.world import Practice


@pytest.mark.parametrize(
    ("platform", "document", "scopes"),
    [
        (P.LINKEDIN, linkedin.DOCUMENT, (*LinkedIn.scopes, *errands.ADMITTED.more_scopes)),
        (P.TIKTOK, tiktok.DOCUMENT, TikTok.scopes),
        (P.X, x.DOCUMENT, X.scopes),
        (P.THREADS, threads.DOCUMENT, Threads.scopes),
    ],
    ids=lambda value: str(value) if isinstance(value, P) else "",
)
def test_no_request_violates_what_is_documented(
    practice: Practice, platform: P, document: dict[str, object], scopes: tuple[str, ...]
) -> None:
    known = OpenApi(document, "")
    exchanges = errands.run(practice, platform)
    granted = frozenset(scopes)
    assert [found for call in exchanges for found in known.request_violations(call, granted)] == []
    assert {found[0] for call in exchanges if (found := known.operation(call))} == known.operations()
