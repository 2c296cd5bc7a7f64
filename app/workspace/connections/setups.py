"""The platform setup of the service, which its owner can read and change."""

from collections.abc import Callable, Collection

from pydantic import ValidationError

from app.contract.enums import ConnectionPlatform
from app.contract.platform_setup import PlatformSelfTest, PlatformSetup, SetPlatformApp
from app.language import tr
from app.workspace.core import Core
from app.workspace.messages import Problem

_WRONG = {
    "client_id": tr("That isn't an app ID. Copy it from the platform's page."),
    "client_secret": tr("That isn't an app secret. Copy it from the platform's page."),
    "redirect_uri": tr("That isn't an address. It starts with https://."),
}


class Setups:
    """Nothing is stored here; every method asks the service and raises Problem."""

    def __init__(self, core: Core, offers: Callable[[], Collection[str]]) -> None:
        self._core, self._offers = core, offers

    @property
    def offered(self) -> bool:
        """Whether the service offers its setup."""
        return "platforms" in self._offers()

    async def all(self) -> list[PlatformSetup]:
        """Return all platforms."""
        return await self._core.call(self._core.client.platforms())

    async def test(self, platform: ConnectionPlatform) -> PlatformSelfTest:
        """Test what can be tested without the user's consent; takes a few seconds."""
        return await self._core.call(self._core.client.test_platform(platform))

    async def keep(
        self,
        platform: ConnectionPlatform,
        client_id: str,
        secret: str = "",
        redirect_uri: str = "",
        *,
        inbox_only: bool = False,
    ) -> PlatformSetup:
        """Send the service an app registered with a platform; empty fields are omitted.

        ``inbox_only``: the platform refused the app to publish directly.
        Raises Problem, of the kind ``redirect_uri`` for an invalid URL.
        """
        given = {
            "client_id": client_id,
            "client_secret": secret,
            "redirect_uri": redirect_uri,
            "inbox_only": inbox_only,  # older services don't know it, so it's only sent if it's set
        }
        try:
            app = SetPlatformApp.model_validate({name: value for name, value in given.items() if value})
        except ValidationError as error:
            field = str(error.errors(include_input=False, include_url=False)[0]["loc"][0])
            raise Problem(_WRONG.get(field, _WRONG["client_id"]), kind=field) from None
        return await self._core.call(self._core.client.set_platform_app(platform, app))

    async def forget(self, platform: ConnectionPlatform) -> PlatformSetup:
        """Delete a platform's app at the service."""
        return await self._core.call(self._core.client.remove_platform_app(platform))
