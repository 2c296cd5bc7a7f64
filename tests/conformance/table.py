"""docs/conformance.md: every sentence of the specification with the rules that verify it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tests.conformance.document import Sentence, sections, sentences
from tests.conformance.register import Rule, rules
from tests.conformance.target import Profile
from tests.conformance.unobservable import reasons

_HEAD: Final = """\
# Conformance

This table lists every sentence of the service's specification with the rules in `tests/conformance` that
verify it. The rules work over the network, with any service:

    python -m tests.conformance --base-url URL --key-file FILE [--ca-file FILE] [--help for more options]

The command prints the result of every rule (holds, fails, or not tried, with the reason). It exits with 0
only if no rule fails. Use a test account: the rules create, publish and delete. They can check more with
additional keys, practice platforms, a webhook receiver and a second installation with strict limits; the
output says what's missing. `--profile kalends` adds this project's decisions where the specification is
silent.

`python -m tests.conformance --table` generates this page, and a test checks that it's up to date. If no rule
verifies a sentence, the table gives the reason. Rules are named `file.function` in `tests/conformance/rules`.
"""


def proofs() -> Mapping[Sentence, Sequence[Rule]]:
    """Return the rules that cite each sentence."""
    found = defaultdict(list)
    for rule in rules():
        for sentence in rule.sentences:
            found[sentence].append(rule)
    return found


def gaps() -> Sequence[Sentence]:
    """Return the sentences with neither a rule nor a reason."""
    proved, excused = proofs(), reasons()
    return [one for one in sentences() if one not in proved and one not in excused]


def table() -> str:
    """Return the whole page."""
    return "\n".join([_HEAD, *_sections(), *_decisions(), ""])


def _sections() -> Iterator[str]:
    proved, excused = proofs(), reasons()
    for section in sections().values():
        if not section.sentences:
            continue
        yield f"## {section.name}\n"
        yield "| The specification says | Rules |\n|---|---|"
        for sentence in section.sentences:
            names = [f"`{rule.id}`" for rule in proved.get(sentence, ())]
            cell = "<br>".join(names) or f"*{excused[sentence]}*"
            yield f"| {_escaped(sentence.text)} | {cell} |"
        yield ""


def _decisions() -> Iterator[str]:
    yield "## Decisions of this project (`--profile kalends`)\n"
    yield "| Decision | Rule | In words |\n|---|---|---|"
    for rule in rules():
        if rule.profile is Profile.KALENDS:
            yield f"| {rule.section.removeprefix('Decision ')} | `{rule.id}` | {rule.name} |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;")
