"""Options of a post on a companion network: a content warning, its audience, its language."""

from dataclasses import dataclass
from typing import Self

from pydantic import ValidationError

from app.contract.enums import PostingPlatform
from app.contract.places import PlaceOptions, Visibility
from app.workspace.rules import RULES


@dataclass(frozen=True, slots=True)
class PostOptions:
    """The options of one account's post. "" means the account's default, or no content warning."""

    content_warning: str = ""
    visibility: str = ""
    language: str = ""

    @classmethod
    def of(cls, options: PlaceOptions | None) -> Self:
        """Return the options of an existing post."""
        if options is None:
            return cls()
        visibility = options.visibility.value if options.visibility else ""
        return cls(options.content_warning or "", visibility, options.language or "")

    @property
    def chosen(self) -> PlaceOptions | None:
        """The options to send; None if all are the account's defaults."""
        warning = self.content_warning.strip()
        if not (warning or self.visibility or self.language):
            return None
        return PlaceOptions(
            content_warning=warning or None,
            visibility=Visibility(self.visibility) if self.visibility else None,
            language=self.language or None,
        )


def options_of(platform: PostingPlatform) -> frozenset[str]:
    """Return the names of the options for posts on a platform."""
    rules = RULES.get(platform)
    return frozenset() if rules is None else rules.options


def read_options(stored: str | None) -> PlaceOptions | None:
    """Return stored options; None if there are none or they can't be read."""
    if not stored:
        return None
    try:
        return PlaceOptions.model_validate_json(stored)
    except ValidationError:
        return None
