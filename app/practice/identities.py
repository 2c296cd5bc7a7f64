"""The people who are signed in at the practice platforms: a name always gives the same account."""

import hashlib
import re
import string
from dataclasses import dataclass
from typing import Self

ACCOUNTS = ("robin-marsh", "kei-tanaka", "ines-duarte", "tomasz-wolny")
_ACCOUNT = re.compile(r"[^\W_](?:[\w .'-]{0,38}[\w.])?")
_HANDLE_LENGTH = 15
_BASE62 = string.digits + string.ascii_letters


@dataclass(frozen=True)
class Identity:
    """One stand-in person on one platform, derived from ``account`` alone.

    Attributes:
        account: Normalised account name, such as ``robin-marsh``.
        seed: A large number that the platform's own identifier and counts are made from.
    """

    platform: str
    account: str
    seed: int

    @classmethod
    def of(cls, platform: str, account: str) -> Self:
        """The person that ``account`` names; the empty name is the first of ``ACCOUNTS``.

        Raises:
            ValueError: The name is too long or holds characters that no account name has.
        """
        name = re.sub(r"[ _]+", "-", account.strip().casefold()) or ACCOUNTS[0]
        if not _ACCOUNT.fullmatch(name):
            raise ValueError("An account name is 1 to 40 letters, digits, dots and dashes.")
        digest = hashlib.sha256(f"{platform}:{name}".encode()).digest()
        return cls(platform, name, int.from_bytes(digest[:12]))

    @property
    def display_name(self) -> str:
        return " ".join(word.capitalize() for word in re.split(r"[-.]+", self.account) if word)

    @property
    def initials(self) -> str:
        return "".join(word[0] for word in self.display_name.split()[:2])

    @property
    def handle(self) -> str:
        """1 to 15 of ``a-z0-9_``; a name that does not fit gets digits so that it stays its own."""
        plain = self.account.replace("-", "_")
        if re.fullmatch(rf"[a-z0-9_]{{1,{_HANDLE_LENGTH}}}", plain):
            return plain
        return f"{re.sub('[^a-z0-9_]', '', plain)[:9]}_{self.seed % 16**5:05x}"

    @property
    def short_id(self) -> str:
        """Ten letters and digits, as LinkedIn's person ids are."""
        return "".join(_BASE62[self.seed // 62**place % 62] for place in range(10))

    @property
    def long_id(self) -> str:
        """Nineteen digits, as X's newer user ids are."""
        return str(10**18 + self.seed % (8 * 10**18))

    @property
    def followers(self) -> int:
        return 40 + self.seed % 4000

    @property
    def hue(self) -> int:
        return self.seed % 360


def next_account(account: str) -> str:
    """The built-in account that "Use another account" leads to."""
    place = ACCOUNTS.index(account) if account in ACCOUNTS else -1
    return ACCOUNTS[(place + 1) % len(ACCOUNTS)]
