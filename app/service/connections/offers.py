"""The accounts covered by one consent with their tokens, encrypted while the user chooses."""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from pydantic import TypeAdapter

from app.platforms.base import Profile, TokenGrant
from app.service.store.seal import Seal

_TOKEN_BYTES: Final = 24


@dataclass(frozen=True, slots=True)
class Offer:
    """An account that can be connected, and its tokens."""

    profile: Profile
    grant: TokenGrant

    @property
    def name(self) -> str:
        """The account's name for users."""
        return self.profile.display_name or self.profile.username or self.profile.account_identifier


_OFFERS: Final = TypeAdapter(list[Offer])


def offers_of(profiles: Sequence[Profile], grant: TokenGrant) -> list[Offer]:
    """Return one offer per account, ignoring duplicates."""
    once = {profile.account_identifier: profile for profile in profiles}
    return [Offer(replace(one, grant=None), one.grant or grant) for one in once.values()]


def seal_offers(seal: Seal, flow: UUID, offers: Sequence[Offer]) -> bytes:
    """Encrypt the offers for the row of a flow."""
    return seal.close(_OFFERS.dump_json(list(offers)).decode(), flow)


def open_offers(seal: Seal, flow: UUID, sealed: bytes) -> list[Offer]:
    """Decrypt the offers, in order. Raises SealBrokenError."""
    return _OFFERS.validate_json(seal.open(sealed, flow))


def choice_token(verifier: str) -> str:
    """Return the secret in the choice page's URL, derived from the flow's verifier, which stays private."""
    return hmac.new(verifier.encode(), b"choice", hashlib.sha256).hexdigest()[: 2 * _TOKEN_BYTES]
