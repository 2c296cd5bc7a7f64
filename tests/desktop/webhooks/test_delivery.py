"""What is told of one delivery, in little room."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.contract.companion import DeliveryDetails
from app.contract.webhooks import WebhookDelivery
from app.desktop.theme import theme
from app.desktop.webhooks.delivery import DeliveryPanel
from app.desktop.widgets import ElidedLabel

_ID, _NOW = uuid4(), datetime.now(UTC)
_RECORD = WebhookDelivery(
    id=_ID,
    event_type="post.published",
    event_id="evt_1",
    status_code=200,
    attempt=1,
    latency_ms=72,
    delivered_at=_NOW,
    failed_at=None,
    error_message=None,
    created_at=_NOW,
)


def _details(headers: dict[str, str]) -> DeliveryDetails:
    return DeliveryDetails(
        id=_ID,
        subscription_id=uuid4(),
        url="https://hooks.example/in",
        request_headers=headers,
        request_body="{}",
        status_code=200,
        latency_ms=72,
        error_message=None,
        created_at=_NOW,
    )


def test_large_text_has_buttons_stand_below_each_other(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply(qapp, "light", 2.0)
    panel = DeliveryPanel()
    qtbot.addWidget(panel)
    panel.show_delivery(_RECORD, [_RECORD], tells=True)
    panel.show_details(_details({"Content-Type": "application/json"}), tells=True)
    panel.show()
    panel.resize(640, 460)
    assert panel.width() == 640
    qtbot.waitUntil(lambda: panel.compare.y() >= panel.replay.geometry().bottom())
    for button in (panel.replay, panel.compare):
        assert button.width() >= button.sizeHint().width()
    panel.resize(1_280, 460)
    qtbot.waitUntil(lambda: panel.compare.y() == panel.replay.y())


@pytest.mark.parametrize(("width", "scale"), [(520, 1.0), (560, 1.5), (860, 2.0), (1_280, 1.0)])
def test_common_headers_are_shown_in_full(qapp: QApplication, qtbot: QtBot, width: int, scale: float) -> None:
    theme.apply(qapp, "light", scale)
    panel = DeliveryPanel()
    qtbot.addWidget(panel)
    panel.resize(width, 460)
    panel.show()
    panel.show_delivery(_RECORD, [], tells=True)
    headers = {"Content-Type": "application/json", "X-Service-Signature": f"sha256={'0a' * 32}"}
    panel.show_details(_details(headers), tells=True)
    [value] = [one for one in panel.findChildren(ElidedLabel) if one.text() == "application/json"]
    QApplication.processEvents()
    panel.grab()  # lays it out
    assert value.width() >= value.fontMetrics().horizontalAdvance(value.text())
