"""A choice for TikTok while the user makes it."""

from dataclasses import dataclass

from pydantic import ValidationError

from app.contract.tiktok import TikTokChoice, TikTokPrivacy


@dataclass(frozen=True, slots=True)
class TikTokDraft:
    """What is chosen so far. ``privacy`` is "" until chosen: there is no default.

    ``commercial`` says that the post promotes something; then ``your_brand`` or ``branded``, or both, say
    what.
    """

    privacy: str = ""
    comments: bool = False
    duet: bool = False
    stitch: bool = False
    commercial: bool = False
    your_brand: bool = False
    branded: bool = False
    ai: bool = False

    @classmethod
    def of(cls, choice: TikTokChoice | None) -> "TikTokDraft":
        """Return the state of the fields for a choice."""
        if choice is None:
            return cls()
        return cls(
            privacy=choice.privacy.value,
            comments=choice.allow_comments,
            duet=choice.allow_duet,
            stitch=choice.allow_stitch,
            commercial=choice.your_brand or choice.branded_content,
            your_brand=choice.your_brand,
            branded=choice.branded_content,
            ai=choice.ai_generated,
        )

    @property
    def choice(self) -> TikTokChoice | None:
        """Return the choice; None until it says who can see the post."""
        if not self.privacy:
            return None
        return TikTokChoice(
            privacy=TikTokPrivacy(self.privacy),
            allow_comments=self.comments,
            allow_duet=self.duet,
            allow_stitch=self.stitch,
            your_brand=self.commercial and self.your_brand,
            branded_content=self.commercial and self.branded,
            ai_generated=self.ai,
        )

    @property
    def is_undisclosed(self) -> bool:
        """Whether it promotes something without saying what."""
        return self.commercial and not (self.your_brand or self.branded)


def read_choice(kept: str | None) -> TikTokChoice | None:
    """Return a stored choice; None if there is none, or it can't be read."""
    if not kept:
        return None
    try:
        return TikTokChoice.model_validate_json(kept)
    except ValidationError:
        return None
