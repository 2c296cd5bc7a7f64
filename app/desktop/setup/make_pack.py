"""The page that makes a setup pack from the platforms that are set up."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.contract.enums import ConnectionPlatform
from app.contract.limits import (
    PACK_MAKER_MAX,
    PACK_NOTE_MAX,
    PACK_PASSPHRASE_MAX,
    PACK_PASSPHRASE_MIN,
)
from app.contract.platform_setup import PlatformSetup
from app.desktop.widgets import (
    CheckBox,
    Field,
    Label,
    LineEdit,
    StateStrip,
    announce,
    primary,
    quiet,
)
from app.language import tr
from app.workspace.connections.packs import checked
from app.workspace.messages import Problem

_ABOUT = tr(
    "A setup pack is a file with your apps. People who get it can connect accounts without a developer "
    "account. They share your apps' limits, and you pay what the platforms charge."
)


class MakePackPage(QWidget):
    """Emits signals for all requests; the owner asks for a file and talks to the service.

    Args:
        setups: the platforms that are set up.
        maker: the suggested name.
    """

    left = Signal()
    wanted = Signal(str, str, object, str)
    """Name, note, platforms and passphrase, all valid; the passphrase may be empty."""

    def __init__(self, setups: Sequence[PlatformSetup], maker: str) -> None:
        super().__init__()
        self.back = quiet(tr("All platforms"), "chevron-left", "small")
        self.strip = StateStrip()
        self.maker, self.note, self.line = LineEdit(), LineEdit(), LineEdit()
        self.maker.setText(maker[:PACK_MAKER_MAX])
        self.maker.setMaxLength(PACK_MAKER_MAX)
        self.note.setMaxLength(PACK_NOTE_MAX)
        self.line.setMaxLength(PACK_PASSPHRASE_MAX)
        self.line.setEchoMode(QLineEdit.EchoMode.Password)
        self.fields = {
            "maker": Field(tr("Made by"), self.maker, tr("Members see this name before they use the pack.")),
            "note": Field(tr("Note for members (optional)"), self.note),
            "passphrase": Field(
                tr("Passphrase"),
                self.line,
                tr(
                    "Encrypts the apps' secrets: at least {count} characters. Don't send it together with "
                    "the file. Without one, members have to enter the secrets.",
                    count=PACK_PASSPHRASE_MIN,
                ),
            ),
        }
        self.boxes = {setup.platform: _box(setup) for setup in setups}
        self.save = primary(tr("Save pack…"))
        self._lay_out()
        self.back.clicked.connect(self.left)
        self.save.clicked.connect(self._submit)
        for editor in (self.maker, self.note, self.line):
            editor.returnPressed.connect(self._submit)

    def refuse(self, text: str, kind: str) -> None:
        """Show why no pack was made, at the field that is wrong."""
        field = self.fields.get(kind)
        if field is None:
            self.strip.say(text, "bad", can_act=False)
        else:
            field.set_error(text)
            field.editor.setFocus()
        announce(self, text)

    def show_made(self, text: str) -> None:
        """Show `made_words`."""
        self.strip.say(text, "info", can_act=False)
        announce(self, text)

    def set_busy(self, *, busy: bool) -> None:
        """Disable the button while the service is working."""
        self.save.setEnabled(not busy)

    def _chosen(self) -> list[ConnectionPlatform]:
        return [platform for platform, box in self.boxes.items() if box.isChecked()]

    def _submit(self) -> None:
        if not self.save.isEnabled():
            return
        self.strip.say("")
        for field in self.fields.values():
            field.set_error("")
        given = (self.maker.text(), self.note.text(), self._chosen(), self.line.text())
        try:
            checked(*given)
        except Problem as problem:
            self.refuse(problem.text, problem.kind)
        else:
            self.wanted.emit(*given)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        head = QHBoxLayout()
        head.addWidget(Label(tr("Make a setup pack"), "section"), 1)
        head.addWidget(self.back)
        column.addLayout(head)
        column.addWidget(self.strip)
        column.addWidget(Label(_ABOUT, "card", "text2", wrap=True))
        column.addWidget(self.fields["maker"])
        column.addWidget(self.fields["note"])
        column.addWidget(Label(tr("Platforms in the pack"), "card", "text2"))
        for box in self.boxes.values():
            column.addWidget(box)
        column.addWidget(self.fields["passphrase"])
        row = QHBoxLayout()
        row.addWidget(self.save)
        row.addStretch(1)
        column.addLayout(row)
        column.addStretch(1)


def made_words(file: str, fingerprint: str) -> str:
    """Return that a pack was saved, and what to tell the members."""
    return tr(
        "Saved as {file}. Tell members your key, so that they know the pack is yours: {fingerprint}.",
        file=file,
        fingerprint=fingerprint,
    )


def _box(setup: PlatformSetup) -> CheckBox:
    """Return the choice for a platform. Apps of other people's packs aren't chosen at first."""
    text = tr("{name} (app of {maker})", name=setup.name, maker=setup.maker) if setup.maker else setup.name
    box = CheckBox(text)
    box.setChecked(not setup.maker)
    return box
