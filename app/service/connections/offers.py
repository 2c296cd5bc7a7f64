"""The accounts that one consent opened, with their tokens: sealed while the person chooses among them."""

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
    """An account that can be connected, and the tokens that are good for it."""

    profile: Profile
    grant: TokenGrant

    @property
    def name(self) -> str:
        """What a person knows the account by."""
        return self.profile.display_name or self.profile.username or self.profile.account_identifier


_OFFERS: Final = TypeAdapter(list[Offer])


def offers_of(profiles: Sequence[Profile], grant: TokenGrant) -> list[Offer]:
    """One offer for each account; an account that is named twice counts once."""
    once = {profile.account_identifier: profile for profile in profiles}
    return [Offer(replace(one, grant=None), one.grant or grant) for one in once.values()]


def seal_offers(seal: Seal, flow: UUID, offers: Sequence[Offer]) -> bytes:
    """Closes the offers for the row of a flow."""
    return seal.close(_OFFERS.dump_json(list(offers)).decode(), flow)


def open_offers(seal: Seal, flow: UUID, sealed: bytes) -> list[Offer]:
    """The offers in their order. Raises SealBrokenError."""
    return _OFFERS.validate_json(seal.open(sealed, flow))


def choice_token(verifier: str) -> str:
    """The secret in the choice page's address: follows from the flow's verifier, which never leaves us."""
    return hmac.new(verifier.encode(), b"choice", hashlib.sha256).hexdigest()[: 2 * _TOKEN_BYTES]
