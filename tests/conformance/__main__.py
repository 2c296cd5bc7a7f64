"""`python -m tests.conformance --base-url URL --key-file FILE`: verify every rule and print a table."""

import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence

from tests.conformance.authority import make_authority
from tests.conformance.outcome import Outcome, Result
from tests.conformance.register import Rule, rules
from tests.conformance.runner import run
from tests.conformance.shared import Shared
from tests.conformance.table import table
from tests.conformance.target import Profile, Target, parser, read_target

_MARKS = {Result.HOLDS: "holds", Result.FAILS: "FAILS", Result.NOT_TRIED: "not tried"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 0 if nothing fails."""
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # a file or a terminal, both can
    asked = parser()
    options = asked.parse_args(arguments)
    if options.table:
        print(table(), end="")
        return 0
    if options.make_receiver_ca:
        make_authority(options.make_receiver_ca)
        return 0
    if not (options.base_url and options.key_file):
        asked.error("--base-url and --key-file are needed")
    try:
        target = read_target(options)
    except OSError as error:
        asked.error(str(error))
    chosen = chosen_rules(target.profile, options.only)
    outcomes = try_all(target, chosen)
    _print(chosen, outcomes)
    if options.json:
        print(json.dumps(_document(chosen, outcomes)))
    return int(any(outcome.result is Result.FAILS for outcome in outcomes.values()))


def chosen_rules(profile: Profile, only: str | None = None) -> Sequence[Rule]:
    """Return the rules of a profile, optionally of one section."""
    return [
        rule
        for rule in rules()
        if rule.profile in {Profile.SPECIFICATION, profile} and (only is None or _is_about(rule, only))
    ]


def try_all(target: Target, chosen: Sequence[Rule]) -> Mapping[str, Outcome]:
    """Return the outcomes by rule ID. Progress goes to standard error."""
    outcomes: dict[str, Outcome] = {}
    began = time.monotonic()

    def report(rule: Rule, outcome: Outcome) -> None:
        outcomes[rule.id] = outcome
        if sys.stderr.isatty():
            print(f"\r{len(outcomes)} of {len(chosen)}", end="", file=sys.stderr, flush=True)

    with Shared(target) as shared:
        run(shared, chosen, report)
    print(f"\r{len(chosen)} rules in {time.monotonic() - began:.0f} s", file=sys.stderr)
    return outcomes


def _is_about(rule: Rule, section: str) -> bool:
    return rule.section == section or any(sentence.section == section for sentence in rule.sentences)


def _print(chosen: Sequence[Rule], outcomes: Mapping[str, Outcome]) -> None:
    section = ""
    width = max((len(rule.name) for rule in chosen), default=0)
    for rule in chosen:
        if rule.section != section:
            section = rule.section
            print(f"\n{section}")
        outcome = outcomes[rule.id]
        line = f"  {rule.name:<{width}}  {_MARKS[outcome.result]:<9}  {outcome.reason}"
        print(line.rstrip())
    counted = Counter(outcome.result for outcome in outcomes.values())
    print(f"\n{', '.join(f'{counted[result]} {result}' for result in Result)}")


def _document(chosen: Sequence[Rule], outcomes: Mapping[str, Outcome]) -> dict[str, object]:
    counted = Counter(outcome.result for outcome in outcomes.values())
    return {
        **{result.value.replace(" ", "_"): counted[result] for result in Result},
        "rules": [
            {
                "id": rule.id,
                "section": rule.section,
                "result": outcomes[rule.id].result,
                "reason": outcomes[rule.id].reason,
                "seconds": round(outcomes[rule.id].seconds, 1),
            }
            for rule in chosen
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
