"""The command whose output people and tools read."""

import json
import os
import subprocess
import sys

import pytest

from tests.benchmarks.calendar.ablation import NAMES

CALENDAR_KEYS = [
    "first_paint_ms",
    "next_month_ms_p50",
    "revisit_ms_p50",
    "drag_move_cpu_ms_p50",
    "drag_move_cpu_ms_p95",
    "scroll_ms_p50",
    "scroll_ms_p95",
    "motion_frame_ms_p95",
    "rss_mb",
    "rss_mb_added",
]


def calendar(*beside: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    command = [
        sys.executable,
        "-m",
        "tests.benchmarks",
        "calendar",
        "--brief",
        "--posts",
        "300",
        "--json",
        "--beside",
    ]
    env = {**os.environ, **environment}
    return subprocess.run([*command, *beside], capture_output=True, text=True, check=True, env=env)


def test_calendar_prints_tables_and_one_line_of_figures_last() -> None:
    """A peer that isn't installed is reported, and its figure is 0."""
    done = calendar("fullcalendar", "gnome", PATH="")
    *tables, line = done.stdout.splitlines()
    figures = json.loads(line)
    assert list(figures) == CALENDAR_KEYS
    assert all(figure > 0 for figure in figures.values())
    besides = {row.split()[0]: float(row.split()[-1]) for row in tables if len(row.split()) == 2}
    assert besides["filter_ms_p50"] > 0
    assert (besides["fullcalendar"], besides["gnome"]) == (0, 0)

    sentences = done.stderr.splitlines()
    start = next(number for number, line in enumerate(sentences) if line == "month, 300 posts")
    assert "fullcalendar needs node, npm, not installed here." in sentences[:start]
    assert "gnome, 300 posts" in sentences[start:]
    assert "fullcalendar cannot take part" in done.stderr
    assert "gnome cannot take part" in done.stderr


def test_each_cache_of_the_calendar_has_a_switch() -> None:
    """If a cache is renamed, its switch fails."""
    code = "from tests.benchmarks.calendar.ablation import NAMES, switch_off\nfor n in NAMES: switch_off(n)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.variation
def test_calendar_measures_the_week_and_does_without_each_of_its_caches() -> None:
    *tables, line = calendar("week", "--without", ",".join(NAMES)).stdout.splitlines()
    assert all(figure > 0 for figure in json.loads(line).values())
    [week] = [float(row.split()[-1]) for row in tables if row.split()[:1] == ["week_next_ms_p50"]]
    assert week > 0


def test_service_prints_ratios_to_a_bare_echo_last() -> None:
    options = ["--posts", "300", "--rounds", "1", "--seconds", "0.2"]
    command = [sys.executable, "-m", "tests.benchmarks", "service", *options, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout.splitlines()[-1])
    assert list(figures) == ["list_ratio", "create_ratio", "list_query_ms_p99"]
    assert all(figure > 0 for figure in figures.values())
