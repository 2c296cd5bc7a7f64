"""What tests of moving accounts share."""

from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from app.service.transfer import sealing

_CHEAPEST = {"iterations": 1, "lanes": 1, "memory_cost": 8}


@pytest.fixture(scope="package", autouse=True)
def cheap_keys() -> Iterator[None]:
    """Derive the keys of exports at the least cost: dozens of them at the full one take ten seconds.

    The move of a calendar in ``tests/workspace`` derives them at the full cost.
    """

    def cheap(**parameters: Any) -> Argon2id:
        return Argon2id(**{**parameters, **_CHEAPEST})

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sealing, "Argon2id", cheap)
        yield
