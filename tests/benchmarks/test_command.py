"""The command whose answer people and tools read."""

import json
import subprocess
import sys

CALENDAR_KEYS = [
    "first_paint_ms",
    "next_month_ms_p50",
    "revisit_ms_p50",
    "drag_move_cpu_ms_p50",
    "drag_move_cpu_ms_p95",
    "scroll_ms_p50",
    "scroll_ms_p95",
    "rss_mb",
    "rss_mb_added",
]


def test_calendar_prints_a_table_and_one_line_of_figures_last() -> None:
    command = [sys.executable, "-m", "tests.benchmarks", "calendar", "--posts", "300", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    *table, line = done.stdout.splitlines()
    figures = json.loads(line)
    assert list(figures) == CALENDAR_KEYS
    assert all(figure > 0 for figure in figures.values())
    assert any(row.split()[:1] == ["live_change_ms_p50"] for row in table)


def test_service_prints_ratios_to_a_bare_echo_last() -> None:
    options = ["--posts", "300", "--rounds", "1", "--seconds", "0.3"]
    command = [sys.executable, "-m", "tests.benchmarks", "service", *options, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout.splitlines()[-1])
    assert list(figures) == ["list_ratio", "create_ratio", "list_query_ms_p99"]
    assert all(figure > 0 for figure in figures.values())
