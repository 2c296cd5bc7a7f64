"""The setup of the platforms: their registered apps, and what a self-test found."""

from typing import Annotated

from pydantic import Field

from app.contract.base import (
    Address,
    Few,
    HttpUrl,
    Link,
    Omittable,
    RequestModel,
    ResponseModel,
    Sentence,
    Text,
    Word,
)
from app.contract.enums import (
    ConnectionPlatform,
    OpenEnum,
    PostType,
)
from app.contract.limits import (
    CLIENT_ID_MAX,
    CLIENT_SECRET_MAX,
)


class PlatformSetup(ResponseModel):
    """Setup of one platform.

    Attributes:
        credentials: Whether the app's ID is set, and its secret if the platform requires one.
        redirect_uri: The address to register with the platform.
        by_hand: The browser doesn't return to the service; the user has to paste the final address.
        publishes: The post types that Kalends can publish there; empty if it can only connect accounts.
        needs_address: Those that are rejected until the service has a public address for files.
        remarks: Sentences to read before scheduling anything.
        portal: Where to register an app with the platform.
        steps: Sentences that explain how to do it.
        secret_needed: Whether the platform requires the app's secret.
        changeable: Whether ``PUT /platforms/{platform}/app`` can set the app; otherwise a file does.
        maker: Who made the setup pack that the app came from; empty without one.
        inbox_only: Whether the app may only use the user's inbox; null on platforms without one.
    """

    platform: ConnectionPlatform
    name: Word
    credentials: bool
    redirect_uri: Address
    by_hand: bool
    publishes: Few[PostType]
    needs_address: Few[PostType] = Field(default_factory=list)
    remarks: Few[Sentence]
    portal: Link = ""
    steps: Few[Sentence] = Field(default_factory=list)
    secret_needed: bool = True
    changeable: bool = False
    maker: Word = ""
    inbox_only: bool | None = None


class SetPlatformApp(RequestModel):
    """Credentials of the app that was registered with a platform.

    ``redirect_uri`` is the registered address if the platform doesn't accept the service's own. The user then
    pastes the final address of the browser. ``inbox_only``: the platform refused the app to publish directly,
    so posts go to the user's inbox there. Omitted fields are removed.
    """

    client_id: Annotated[Text, Field(min_length=1, max_length=CLIENT_ID_MAX)]
    client_secret: Omittable[Annotated[Text, Field(min_length=1, max_length=CLIENT_SECRET_MAX)]] = None
    redirect_uri: Omittable[HttpUrl] = None
    inbox_only: bool = False


class PlatformSetupList(ResponseModel):
    """The setup of every platform."""

    data: Few[PlatformSetup]


class CheckOutcome(OpenEnum):
    """Result of a check; ``unknown`` if it can't be determined without a user's consent."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"


class SetupStep(OpenEnum):
    """The step of the setup that a check belongs to."""

    ADDRESS = "address"
    KEYS = "keys"
    ACCOUNT = "account"


class Check(ResponseModel):
    """One check and its result, as a sentence. ``link`` is the page for the next click; empty for none."""

    name: Word
    outcome: CheckOutcome
    message: Sentence
    step: SetupStep = SetupStep.KEYS
    link: Link = ""


class PlatformSelfTest(ResponseModel):
    """Result of a self-test; ``passed`` if no check failed.

    Unknown results only show at the first consent.
    """

    platform: ConnectionPlatform
    passed: bool
    checks: Few[Check]
