"""Who can see a post on TikTok and what is disclosed about it, which TikTok asks its creators for each post.

Part of the companion: the specified calls know nothing of it.
"""

from typing import Annotated, Self
from uuid import UUID

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from app.contract.base import Count, Few, Known, RequestModel, ResponseModel, Word
from app.contract.enums import OpenEnum

CHOICES_MAX = 100
"""Maximum number of accounts in one request about a file."""


class TikTokPrivacy(OpenEnum):
    """Who can see a post, in TikTok's own words."""

    EVERYONE = "PUBLIC_TO_EVERYONE"
    FRIENDS = "MUTUAL_FOLLOW_FRIENDS"
    FOLLOWERS = "FOLLOWER_OF_CREATOR"
    ONLY_ME = "SELF_ONLY"


class TikTokChoice(ResponseModel):
    """What a creator chose for a post.

    ``your_brand`` labels it as promotional content, ``branded_content`` as a paid partnership. Duets,
    stitches and the AI label apply to videos only.
    """

    privacy: TikTokPrivacy
    allow_comments: bool = False
    allow_duet: bool = False
    allow_stitch: bool = False
    your_brand: bool = False
    branded_content: bool = False
    ai_generated: bool = False


class NewTikTokChoice(RequestModel):
    """A creator's choice. TikTok allows no default audience, so ``privacy`` is required.

    Branded content can't be private.
    """

    privacy: Known[TikTokPrivacy]
    allow_comments: bool = False
    allow_duet: bool = False
    allow_stitch: bool = False
    your_brand: bool = False
    branded_content: bool = False
    ai_generated: bool = False

    @model_validator(mode="after")
    def _refuse_private_branded_content(self) -> Self:
        if self.branded_content and self.privacy is TikTokPrivacy.ONLY_ME:
            raise PydanticCustomError("branded_private", "Branded content can't be visible to only you.")
        return self

    @property
    def choice(self) -> TikTokChoice:
        return TikTokChoice.model_validate(self.model_dump())


FileChoices = Annotated[dict[UUID, NewTikTokChoice | None], Field(min_length=1, max_length=CHOICES_MAX)]
"""Choices for one file by the account's id; null takes a choice away."""


class TikTokCreator(ResponseModel):
    """What TikTok allows an account at this moment.

    ``privacy_levels`` are the only audiences that it takes. What is disabled is switched off in the creator's
    own settings. ``max_video_seconds`` is null where TikTok doesn't say.
    """

    nickname: Word | None = None
    username: Word | None = None
    privacy_levels: Few[TikTokPrivacy]
    comments_disabled: bool = False
    duet_disabled: bool = False
    stitch_disabled: bool = False
    max_video_seconds: Count | None = None


class TikTokAccount(ResponseModel):
    """The choice for an account's posts that have none of their own; null for none."""

    choice: TikTokChoice | None


class SetTikTokAccount(RequestModel):
    """The choice for an account's posts that have none of their own; null takes it away."""

    choice: NewTikTokChoice | None


class TikTokPost(ResponseModel):
    """The choice with which a post is published: its own, else that of its file, else its account's.

    Null: nobody has chosen, and the post will be refused when it is due.
    """

    choice: TikTokChoice | None


class UndecidedPosts(ResponseModel):
    """Posts to TikTok that will be refused because nobody chose who can see them, soonest first."""

    data: Few[UUID]
