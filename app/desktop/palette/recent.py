"""The names of the commands that were used last."""

from pydantic import TypeAdapter, ValidationError

_MOST = 5
_NAMES: TypeAdapter[list[str]] = TypeAdapter(list[str])


class Recent:
    """Newest first."""

    def __init__(self, names: list[str]) -> None:
        self.names = names[:_MOST]

    @classmethod
    def read(cls, kept: object) -> "Recent":
        """What was kept as JSON; nothing where that cannot be read."""
        try:
            return cls(_NAMES.validate_json(kept) if isinstance(kept, str) else [])
        except ValidationError:
            return cls([])

    def use(self, name: str) -> None:
        """Puts a name in front."""
        self.names = [name, *(one for one in self.names if one != name)][:_MOST]

    def to_json(self) -> str:
        """For keeping."""
        return _NAMES.dump_json(self.names).decode()
