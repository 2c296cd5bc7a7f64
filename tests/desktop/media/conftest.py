"""A service with three files, and an account for posts."""

import pytest

from tests.desktop.media.seeing import MIB, jpeg
from tests.desktop.running import service_of_today
from tests.workspace.model_service import ModelService


@pytest.fixture
def service() -> ModelService:
    """Three files, and an account for posts."""
    made = service_of_today()
    made.offers, made.tells_usage, made.room = ("media",), True, 10 * MIB
    made.add_account("x")
    made.files = {"me/Café.jpg": jpeg(80), "me/walk-0a1b2c3d.mp4": b"\0\0\0\x18ftypmp42" + b"\0" * 99}
    made.files["me/coat.jpg"] = jpeg(900)
    return made
