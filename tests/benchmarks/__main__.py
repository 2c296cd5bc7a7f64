"""Measure performance: `python -m tests.benchmarks NAME [--json] [options]` prints a table."""

import argparse
import json
import sys
from collections.abc import Mapping

from tests.benchmarks.registry import Benchmark, Figures, find


def main() -> None:
    """Run one benchmark and print its figures."""
    benchmarks = find()
    options = _parser(benchmarks).parse_args()
    benchmark = benchmarks[options.name]
    for sentence in benchmark.missing(options):
        print(sentence, file=sys.stderr, flush=True)
    result = benchmark.run(options)
    print(_table(options.name, result.figures))
    if result.besides:
        print(_table("besides", result.besides))
    if options.json:
        print(json.dumps({name: round(value, 3) for name, value in result.figures.items()}))


def _parser(benchmarks: Mapping[str, Benchmark]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    names = parser.add_subparsers(dest="name", required=True, metavar="NAME")
    for benchmark in benchmarks.values():
        own = names.add_parser(benchmark.name, help=benchmark.summary, description=benchmark.summary)
        own.add_argument("--json", action="store_true", help="print one line of JSON last")
        benchmark.add_options(own)
    return parser


def _table(title: str, figures: Figures) -> str:
    width = max(map(len, figures))
    rows = (f"  {name:<{width}}  {value:>10.2f}" for name, value in figures.items())
    return "\n".join((title, *rows))


if __name__ == "__main__":
    main()
