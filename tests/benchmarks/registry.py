"""What a measurement is, and how all of them are found."""

import argparse
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import tests.benchmarks

Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Result:
    """Figures by name, in the order in which they are shown; ``besides`` is for people only.

    Besides stand a baseline from the same run, and whatever helps to read the figures.
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


def find() -> dict[str, Benchmark]:
    """All measurements by name; importing the modules that hold them must be cheap."""
    names = [module.name for module in pkgutil.iter_modules(tests.benchmarks.__path__)]
    modules = [importlib.import_module(f"tests.benchmarks.{n}") for n in names if not n.startswith("test_")]
    found: list[Benchmark] = [module.BENCHMARK for module in modules if hasattr(module, "BENCHMARK")]
    return {benchmark.name: benchmark for benchmark in found}
