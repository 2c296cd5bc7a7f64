"""The service in this repository follows the specification: every rule holds for it.

Its accounts are also on companion networks, which the specified API must not show, and a post waits in the
TikTok inbox meanwhile.
"""

from collections.abc import Iterator

import pytest

from tests.conformance.companions import add_companions, post_in_inbox, watching
from tests.conformance.outcome import Outcome, Result
from tests.conformance.programs import own_target
from tests.conformance.register import Rule, rules
from tests.conformance.runner import run
from tests.conformance.shared import Shared

RULES = {rule.id: rule for rule in rules()}


@pytest.fixture(scope="module")
def outcomes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Outcome]]:
    """Run the rules selected in this pytest run, in parallel."""
    here = [item for item in request.session.items if item.path == request.path]
    ids = {item.callspec.params["rule_id"] for item in here if isinstance(item, pytest.Function)}
    found: dict[str, Outcome] = {}

    def report(rule: Rule, outcome: Outcome) -> None:
        found[rule.id] = outcome

    with own_target(tmp_path_factory.mktemp("conformance")) as target, Shared(target) as shared:
        with watching(add_companions(target)) as leaks, post_in_inbox(shared):
            run(shared, [rule for rule in RULES.values() if rule.id in ids], report)
        assert leaks == []
        yield found


@pytest.mark.parametrize("rule_id", RULES)
def test_the_service_keeps(rule_id: str, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[rule_id]
    if outcome.result is not Result.HOLDS:
        pytest.fail(f"{outcome.result}: {outcome.reason}", pytrace=False)
