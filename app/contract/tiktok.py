"""Who can see a TikTok post, and what it discloses. TikTok requires both choices for each post.

Part of the companion API: the specification has no fields for them.
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
    """Who can see a post, with TikTok's own values."""

    EVERYONE = "PUBLIC_TO_EVERYONE"
    FRIENDS = "MUTUAL_FOLLOW_FRIENDS"
    FOLLOWERS = "FOLLOWER_OF_CREATOR"
    ONLY_ME = "SELF_ONLY"


class TikTokChoice(ResponseModel):
    """A creator's choice for a post.

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
    """Request to set a choice. TikTok doesn't allow a default audience, so ``privacy`` is required.

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
"""Choices for one file by account ID; null removes a choice."""


class TikTokCreator(ResponseModel):
    """What TikTok currently allows for an account.

    Only ``privacy_levels`` are accepted as audiences. Disabled options are turned off in the creator's own
    TikTok settings. ``max_video_seconds`` is null if TikTok doesn't return it.
    """

    nickname: Word | None = None
    username: Word | None = None
    privacy_levels: Few[TikTokPrivacy]
    comments_disabled: bool = False
    duet_disabled: bool = False
    stitch_disabled: bool = False
    max_video_seconds: Count | None = None


class TikTokAccount(ResponseModel):
    """An account's choice for posts that have none of their own; null if there's none.

    With ``inbox``, posts go to the user's TikTok inbox, and the user finishes them in TikTok's app. They need
    no choice, because TikTok asks there. With ``is_fixed``, the permissions that the user granted allow
    nothing else.
    """

    choice: TikTokChoice | None
    inbox: bool = False
    is_fixed: bool = False


class SetTikTokAccount(RequestModel):
    """Request to set an account's choice for posts that have none of their own, or where all posts go.

    A field that is missing doesn't change. Null removes the choice, or restores the default of ``inbox``: to
    the inbox until the app is known to publish for everybody.
    """

    choice: NewTikTokChoice | None = None
    inbox: bool | None = None

    @model_validator(mode="after")
    def _require_something(self) -> Self:
        if not self.model_fields_set:
            raise PydanticCustomError("nothing", "must contain choice or inbox")
        return self


class TikTokPost(ResponseModel):
    """The choice that applies to a post: its own, its file's, or its account's.

    Null if there's none: TikTok requires one, so the post will fail when it's due.
    """

    choice: TikTokChoice | None


class InboxPosts(ResponseModel):
    """Posts in the user's TikTok inbox, which the user finishes in TikTok's app, earliest first."""

    data: Few[UUID]


class UndecidedPosts(ResponseModel):
    """TikTok posts that will fail because nobody chose who can see them, earliest first."""

    data: Few[UUID]
