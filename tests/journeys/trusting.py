"""The first contact with a service whose certificate this computer doesn't know: the user trusts it."""

import asyncio

from app.desktop.application import Application
from app.desktop.welcome.service_form import TrustPanel


async def begin(application: Application) -> None:
    """Start, and press the button when the app asks whether to trust the service."""
    await application.begin()
    if (panel := application.window.findChild(TrustPanel)) is not None:
        panel.compared.click()
        panel.accept.click()
        while application.controller is None:  # noqa: ASYNC110  it tells nobody
            await asyncio.sleep(0.02)
