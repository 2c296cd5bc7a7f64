"""The definition of a benchmark, and finding all of them."""

import argparse
import contextlib
import importlib
import pkgutil
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import tests.benchmarks

Figures = Mapping[str, float]
_REPEAT_S = 30


@dataclass(frozen=True, slots=True)
class Result:
    """Figures by name in display order; ``besides`` are only for people.

    ``besides`` contains a baseline from the same run, and figures that help to interpret the others.
    """

    figures: Figures
    besides: Figures = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One measurement."""

    name: str
    summary: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], Result]
    missing: Callable[[argparse.Namespace], Iterable[str]] = lambda _options: ()
    """Sentences about missing programs, for the requested parts."""


@contextlib.contextmanager
def step(name: str) -> Iterator[None]:
    """Print the current step on stderr, and again every half minute while it runs."""
    started, ended = time.monotonic(), threading.Event()

    def repeat() -> None:
        while not ended.wait(_REPEAT_S):
            print(f"  {name}: {time.monotonic() - started:.0f} s so far", file=sys.stderr, flush=True)

    print(name, file=sys.stderr, flush=True)
    watch = threading.Thread(target=repeat, daemon=True)
    watch.start()
    try:
        yield
    finally:
        ended.set()
        watch.join()


def not_installed(part: str, programs: Iterable[str]) -> Iterator[str]:
    """Yield a sentence that names the programs missing for `part`, if any."""
    if absent := [name for name in programs if shutil.which(name) is None]:
        yield f"{part} needs {', '.join(absent)}, not installed here."


def find() -> dict[str, Benchmark]:
    """Return all benchmarks by name. Importing their modules must be fast."""
    names = [module.name for module in pkgutil.iter_modules(tests.benchmarks.__path__)]
    modules = [importlib.import_module(f"tests.benchmarks.{n}") for n in names if not n.startswith("test_")]
    found: list[Benchmark] = [module.BENCHMARK for module in modules if hasattr(module, "BENCHMARK")]
    return {benchmark.name: benchmark for benchmark in found}
