"""The findings in a scene, as they're printed."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from tests.gallery.measure import contrast, fits
from tests.gallery.measure.texts import Text, around, is_covered, is_whole

Kind = Literal["contrast", "cut", "shortened", "overlap", "window"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to mend. ``at`` is the theme or the size of text, ``what`` the words and where they stand."""

    kind: Kind
    scene: str
    at: str
    what: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind:9} {self.at:9} {self.scene}: {self.what}: {self.detail}"


@dataclass
class Tally:
    """What was measured: how many texts, the lowest ratio of each theme, and everything to mend."""

    texts: dict[str, int] = field(default_factory=dict)
    lowest: dict[str, tuple[float, str]] = field(default_factory=dict)
    disabled: int = 0
    shortened: int = 0
    findings: list[Finding] = field(default_factory=list)

    def count(self, at: str, texts: int) -> None:
        """So many texts more were measured there."""
        self.texts[at] = self.texts.get(at, 0) + texts

    def distinct(self) -> list[tuple[Finding, int]]:
        """Findings that differ by more than their scene: one of each, and in how many scenes it is."""
        same: dict[tuple[str, str, str], list[Finding]] = {}
        for one in self.findings:
            same.setdefault((one.kind, one.at, one.what), []).append(one)
        return [(ones[0], len({one.scene for one in ones})) for ones in same.values()]


def measure_contrast(tally: Tally, scene: str, theme: str, picture: QImage, texts: Iterable[Text]) -> None:
    """Adds the ratios of texts to the tally. What is not enabled is left out, as WCAG has it."""
    seen = [text for text in texts if is_whole(text) and not is_covered(text)]
    enabled = [text for text in seen if text.widget.isEnabled()]
    tally.disabled += len(seen) - len(enabled)
    tally.count(theme, len(enabled))
    for text in enabled:
        measured = contrast.measure(picture, _reading_area(text))
        if measured is None:
            continue
        told = f"{measured.ink} on {measured.ground}, {measured.ratio:.2f}"
        lowest = tally.lowest.get(theme)
        if lowest is None or measured.ratio < lowest[0]:
            tally.lowest[theme] = (measured.ratio, f"{scene}: {described(text)}")
        if measured.ratio < contrast.ENOUGH:
            tally.findings.append(Finding("contrast", scene, theme, described(text), told))


def measure_fits(tally: Tally, scene: str, at: str, window: QWidget, texts: list[Text]) -> None:
    """Adds what is cut off, shortened or written over each other to the tally."""
    tally.count(at, len(texts))
    add = tally.findings.append
    for text, lost in fits.cut_texts(texts):
        add(Finding("cut", scene, at, described(text), lost))
    for text in fits.shortened(texts):
        if fits.may_shorten(text):
            tally.shortened += 1
        else:
            add(Finding("shortened", scene, at, described(text), "and nothing says so"))
    for text, other in fits.overlapping(texts):
        add(Finding("overlap", scene, at, described(text), f"and {described(other)}"))
    for one, two in fits.crossing(window):
        add(Finding("overlap", scene, at, place_of(one), f"and {place_of(two)}"))


def described(text: Text) -> str:
    """The words, and the widget that they stand on."""
    return f"{text.words!r} ({place_of(text.widget)})"


def place_of(widget: QWidget) -> str:
    """The widget and those around it that are of the app."""
    kinds = [type(one) for one in around(widget)]
    ours = [kind.__name__ for kind in kinds if kind.__module__.startswith("app.")]
    own = [] if ours[:1] == [type(widget).__name__] else [type(widget).__name__]
    return " < ".join((own + ours)[:3])


def _reading_area(text: Text) -> QRectF:
    """The line of a text, without what a neighbour on the same line may reach into."""
    return text.shown(text.writing.line & text.writing.ink.adjusted(-2, -2, 2, 2))
