"""Which screen the window opens on."""

import os
import sys
from collections.abc import Mapping


def choose(environ: Mapping[str, str] = os.environ, system: str = sys.platform) -> tuple[str, str]:
    """Choose Qt's platform for a window.

    Returns:
        The value for QT_QPA_PLATFORM ("" lets Qt choose), and a sentence that says so.
    """
    if chosen := environ.get("QT_QPA_PLATFORM"):
        return chosen, f"Screen: {chosen}, as QT_QPA_PLATFORM says"
    if system != "linux":
        return "", "Screen: this computer's own"
    if display := environ.get("WAYLAND_DISPLAY"):
        return "", f"Screen: Wayland, {display}"
    if display := environ.get("DISPLAY"):
        return "", f"Screen: X11, {display}"
    return "offscreen", "No display found: running offscreen"


def kinds(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return the kinds of screen available to Qt here; names from `libraries.SCREENS`."""
    variables = {"WAYLAND_DISPLAY": "Wayland", "DISPLAY": "X11"}
    return [kind for variable, kind in variables.items() if environ.get(variable)] or ["offscreen"]


def choose_for_tests(environ: Mapping[str, str] = os.environ, system: str = sys.platform) -> tuple[str, str]:
    """Choose Qt's platform for tests, which only open visible windows if told to."""
    chosen, sentence = choose(environ, system)
    if chosen:
        return chosen, sentence
    return "offscreen", "Tests run offscreen; set QT_QPA_PLATFORM to watch them"
