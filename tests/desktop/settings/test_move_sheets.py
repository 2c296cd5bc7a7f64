"""The sheet that asks for a server to move to."""

from pathlib import Path

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.settings.move_sheets import MoveThereSheet
from app.workspace.homes import Home, HomeKind, Homes
from app.workspace.homes.certificates import PresentedCertificate
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.visit import UntrustedCertificateError, Visits
from app.workspace.messages import Problem
from tests.desktop.running import run
from tests.workspace.opened import until


def test_a_certificate_is_only_trusted_for_the_address_it_was_trusted_for(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    asked: list[tuple[str, bool]] = []

    class Untrusted(Visits):
        async def test_destination(
            self, address: str, key: str, *, trusted: PresentedCertificate | None
        ) -> Home:
            del key
            asked.append((address, trusted is not None))
            if trusted is not None:
                raise Problem("The service doesn't recognize this key.", kind="key_refused")
            raise UntrustedCertificateError(PresentedCertificate("PEM", "AB:CD"), changed=False)

    host = QWidget()
    qtbot.addWidget(host)
    host.resize(900, 700)
    host.show()
    home = Home(kind=HomeKind.EMBEDDED, name="Studio")
    sheet = MoveThereSheet(host, home, Untrusted(Homes(tmp_path), Credentials(tmp_path)))

    async def work() -> None:
        sheet.ask()
        sheet.form.address.setText("https://one.example")
        sheet.form.key.setText(f"stp_rest_{'5e' * 32}")
        sheet.form.submit.click()
        await until(lambda: len(asked) == 1 and sheet._trust is not None)
        assert sheet._trust is not None
        sheet._trust.accepted.emit()
        await until(lambda: len(asked) == 2 and sheet.form.submit.isEnabled())
        sheet.form.address.selectAll()
        QTest.keyClicks(sheet.form.address, "https://other.example")
        sheet.form.submit.click()
        await until(lambda: len(asked) == 3)
        sheet.dismiss()

    run(qapp, work)
    assert asked == [
        ("https://one.example", False),
        ("https://one.example", True),
        ("https://other.example", False),
    ]
