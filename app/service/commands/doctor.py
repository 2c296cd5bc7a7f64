"""``doctor``: check an installation."""

import argparse
from dataclasses import asdict

from app.service.commands import arguments
from app.service.commands.arguments import Commands, add_command, answer, installation
from app.service.problems import CommandProblem


def add(commands: Commands) -> None:
    doctor = add_command(commands, "doctor", _run, "check an installation, and say what to do next")
    doctor.add_argument(
        "--practice-url", type=arguments.http_url, help="ask the practice platforms at this URL"
    )


def _run(options: argparse.Namespace) -> None:
    # Only this command needs the platforms and the network.
    from app.service.doctor import Finding, Verdict, examine

    findings: list[Finding] = []
    for finding in examine(installation(options), options.practice_url):
        findings.append(finding)
        step = f" {finding.next_step}" if finding.next_step else ""
        print(f"{finding.verdict:<9}{finding.name:<12}{finding.text}{step}", flush=True)  # noqa: T201  output
    failed = [finding.name for finding in findings if finding.verdict is Verdict.FAILED]
    answer(ok=not failed, checks=[asdict(finding) for finding in findings])
    if failed:
        raise CommandProblem(f"Failed: {', '.join(failed)}. Each line above says what to do next.")
