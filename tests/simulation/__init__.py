"""Deterministic simulation: the real code on a clock that jumps, with every fault drawn from one seed.

``python -m tests.simulation publishing --seed 1 --runs 4``; ``docs/correctness.md`` tells what it holds.
"""
