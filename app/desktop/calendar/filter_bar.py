"""The filter in the toolbar: accounts, the active filter, and the warning about posts that will fail."""

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.desktop.calendar.account_stack import AccountStack
from app.desktop.calendar.filter_panel import FilterPanel
from app.desktop.calendar.filters import KIND_NAMES, PLATFORM_NAMES, STATUS_NAMES, Batch, Filter
from app.desktop.warnings.wording import Summary
from app.desktop.widgets import Chip, IconButton, PopupChip
from app.language import tr, trn
from app.workspace.accounts.account import Account

_GAP = 8
_LONGEST = 18


class FilterBar(QWidget):
    """Accounts as a stack, and a button that names the active filter; both open the panel."""

    changed = Signal(object)
    """The Filter."""
    warnings_asked = Signal()
    """The user wants to see what will fail."""
    resized = Signal()
    """The width has changed."""

    def __init__(self) -> None:
        super().__init__()
        self.filter = Filter()
        self.panel: FilterPanel | None = None
        """The panel while it is open."""
        self._accounts: dict[str, Account] = {}
        self._batches: dict[str, str] = {}
        self._is_labelled = self._is_named = self._offers_clearing = True
        self._summary = Summary()
        self._is_in_full = self._is_in_words = True
        """How the summary is shown."""
        self.stack = AccountStack()
        self.button = PopupChip("", "funnel", like_button=True)
        self.show_all = IconButton("x", tr("Show all posts"), size="small")
        self.warnings = Chip("", "triangle-alert", checkable=False, tone="warn", like_button=True)
        self.warnings.setToolTip(tr("Before publishing"))
        self.warnings.hide()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_GAP)
        for part in (self.stack, self.button, self.show_all, self.warnings):
            row.addWidget(part)
        self.stack.clicked.connect(self.open_panel)
        self.button.clicked.connect(self.open_panel)
        self.show_all.clicked.connect(self.clear)
        self.warnings.clicked.connect(self.warnings_asked)
        self._dress()

    def show_accounts(self, accounts: list[Account]) -> None:
        """Offer these accounts; removed ones are dropped from the filter."""
        found = {account.key: account for account in accounts}
        if found == self._accounts:
            return
        self._accounts = found
        self._set(replace(self.filter, accounts=self.filter.accounts.intersection(found)))
        self._dress()

    def offer_batches(self, batches: Iterable[Batch]) -> None:
        """Offer to filter by these batches."""
        found = {batch.id: batch.name for batch in batches}
        if found != self._batches:
            self._batches = found
            self._dress()

    def choose(self, chosen: Filter) -> None:
        """Apply a filter, without removed accounts."""
        self._set(replace(chosen, accounts=chosen.accounts.intersection(self._accounts)))

    def clear(self) -> None:
        """Show everything again."""
        self._set(Filter())

    def show_warnings(self, summary: Summary) -> None:
        """Show what will fail."""
        if summary != self._summary:
            self._summary = summary
            self.warnings.setAccessibleName(summary.text)
            self.warnings.setVisible(bool(summary.text))
            self._sum_up()
            self.resized.emit()

    def show_in_full(self, shown: bool) -> None:
        """Show what will fail in full, or briefly."""
        self._is_in_full = shown
        self._sum_up()

    def show_in_words(self, shown: bool) -> None:
        """Show what will fail in words, or only the number of posts."""
        self._is_in_words = shown
        self._sum_up()

    def _sum_up(self) -> None:
        text, brief, count = self._summary
        self.warnings.setText(count if not self._is_in_words else text if self._is_in_full else brief)
        self.updateGeometry()

    def show_stack(self, shown: bool) -> None:
        """Show the accounts, or only the button."""
        self.stack.setVisible(shown and bool(self._accounts))
        self.updateGeometry()

    def show_many(self, shown: bool) -> None:
        """Set whether there's space for many accounts or only for a few."""
        self.stack.show_many(shown)
        self.updateGeometry()

    def show_label(self, shown: bool) -> None:
        """Show the button with its label, or only its icon; a label that names a filter stays."""
        self._is_labelled = shown
        self._label()
        self.updateGeometry()

    def show_names(self, shown: bool) -> None:
        """Name the filter on the button, or only in its tooltip."""
        self._is_named = shown
        self._label()
        self.updateGeometry()

    def show_clearing(self, shown: bool) -> None:
        """Show the button that removes the filter, or leave that to the panel."""
        self._offers_clearing = shown
        self._offer_clearing()
        self.updateGeometry()

    def open_panel(self) -> None:
        """Open the filter panel."""
        self._label()  # undo the toggle by the click
        self.panel = FilterPanel(self.filter, list(self._accounts.values()), self._batches, self)
        self.panel.chosen.connect(self.choose)
        self.panel.closed.connect(self._panel_closed)
        self.panel.open_below(self.button)

    def _panel_closed(self) -> None:
        self.panel = None
        self._dress()

    def _set(self, chosen: Filter) -> None:
        is_other = chosen != self.filter
        self.filter = chosen
        self._dress()
        if self.panel is not None:
            self.panel.show_filter(chosen)
        if is_other:
            self.changed.emit(chosen)

    def _dress(self) -> None:
        """Update the controls for the filter."""
        self.stack.show_accounts(list(self._accounts.values()), self.filter.accounts)
        self._offer_clearing()
        self._label()
        self.updateGeometry()
        self.resized.emit()

    def _offer_clearing(self) -> None:
        if self.panel is None:  # the button keeps its place above its panel
            self.show_all.setVisible(self._offers_clearing and self.filter.is_on)

    def _label(self) -> None:
        named = self._named()
        count = trn("{n} filter", "{n} filters", len(named))
        words = count if len(named) > 1 else named[0] if named else tr("Filter") if self._is_labelled else ""
        words = words if self._is_named else ""
        if self.panel is None:  # the button keeps its width above its panel
            self.button.setText(words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…")
        told = ", ".join(named)
        self.button.setAccessibleName(tr("Filter: {values}", values=told) if named else tr("Filter"))
        self.button.setToolTip(told or tr("Filter by account, platform, status, type or text"))
        self.button.setChecked(bool(named))

    def _named(self) -> list[str]:
        """Return the names of the values that are filtered for."""
        shown = self.filter
        named = [account.name for key, account in self._accounts.items() if key in shown.accounts]
        named += [name for platform, name in PLATFORM_NAMES.items() if platform in shown.platforms]
        named += [name for status, name in STATUS_NAMES.items() if status in shown.statuses]
        named += [name for kind, name in KIND_NAMES.items() if kind in shown.kinds]
        named += [self._batches.get(batch, tr("Created together")) for batch in sorted(shown.batches)]
        return named + ([tr("“{text}”", text=shown.text)] if shown.text else [])
