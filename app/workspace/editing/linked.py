"""One text for all accounts, and the versions that differ from it."""

from collections.abc import Iterable, Mapping

SHARED = ""
"""The name of the version for all; every other version has the key of its account."""


class LinkedText:
    """Versions by account. Each is linked to the shared one until it is changed, or changed to read like it.

    Writing the shared one never links a version: on its way it may read like that for a moment.
    """

    def __init__(self, shared: str = "", own: Mapping[str, str] | None = None) -> None:
        self.shared = shared
        self._own = dict(own or {})

    @property
    def own(self) -> dict[str, str]:
        """The versions that differ."""
        return dict(self._own)

    def of(self, version: str) -> str:
        """A version as it reads now."""
        return self._own.get(version, self.shared)

    def differs(self, version: str) -> bool:
        """Whether a version is one of its own."""
        return version in self._own

    def write(self, version: str, text: str) -> None:
        """Changes a version; with the shared one, all that are linked to it change."""
        if version == SHARED:
            self.shared = text
        elif text == self.shared:
            self._own.pop(version, None)
        else:
            self._own[version] = text

    def link(self, version: str) -> None:
        """Gives a version's own text up for the shared one."""
        self._own.pop(version, None)

    def only(self, accounts: Iterable[str]) -> dict[str, str]:
        """The versions that differ, of some accounts."""
        return {key: self._own[key] for key in accounts if key in self._own}
