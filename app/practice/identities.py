"""The users of the practice platforms. A name always results in the same account."""

import hashlib
import re
import string
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

ACCOUNTS = ("robin-marsh", "kei-tanaka", "ines-duarte", "tomasz-wolny")
_ACCOUNT = re.compile(r"[^\W_](?:[\w .'-]{0,38}[\w.])?")
_HANDLE_LENGTH = 15
_BASE62 = string.digits + string.ascii_letters


@lru_cache(1_000)
def _seed(platform: str, name: str) -> int:
    digest = hashlib.sha256(f"{platform}:{name}".encode()).digest()
    return int.from_bytes(digest[:12])


@dataclass(frozen=True)
class Identity:
    """A simulated user on one platform, derived from ``account`` only.

    Attributes:
        account: Normalized account name, such as ``robin-marsh``.
        seed: A large number from which the platform's ID and counts are derived.
    """

    platform: str
    account: str
    seed: int

    @classmethod
    def of(cls, platform: str, account: str) -> Self:
        """Return the user with a name; the empty name is the first of ``ACCOUNTS``.

        Raises:
            ValueError: The name is too long or contains invalid characters.
        """
        name = re.sub(r"[ _]+", "-", account.strip().casefold()) or ACCOUNTS[0]
        if not _ACCOUNT.fullmatch(name):
            raise ValueError("An account name is 1 to 40 letters, digits, dots and dashes.")
        return cls(platform, name, _seed(platform, name))

    @property
    def display_name(self) -> str:
        return " ".join(word.capitalize() for word in re.split(r"[-.]+", self.account) if word)

    @property
    def initials(self) -> str:
        return "".join(word[0] for word in self.display_name.split()[:2])

    @property
    def handle(self) -> str:
        """1 to 15 of ``a-z0-9_``. A name that doesn't fit gets digits to stay unique."""
        plain = self.account.replace("-", "_")
        if re.fullmatch(rf"[a-z0-9_]{{1,{_HANDLE_LENGTH}}}", plain):
            return plain
        return f"{re.sub('[^a-z0-9_]', '', plain)[:9]}_{self.seed % 16**5:05x}"

    @property
    def short_id(self) -> str:
        """Ten letters and digits, like LinkedIn's person IDs."""
        return "".join(_BASE62[self.seed // 62**place % 62] for place in range(10))

    @property
    def long_id(self) -> str:
        """Nineteen digits, like X's newer user IDs."""
        return str(10**18 + self.seed % (8 * 10**18))

    @property
    def followers(self) -> int:
        return 40 + self.seed % 4000

    @property
    def hue(self) -> int:
        return self.seed % 360


def next_account(account: str) -> str:
    """Return the built-in account for "Use another account"."""
    place = ACCOUNTS.index(account) if account in ACCOUNTS else -1
    return ACCOUNTS[(place + 1) % len(ACCOUNTS)]
