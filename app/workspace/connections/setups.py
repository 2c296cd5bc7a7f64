"""How the platforms are set up at the service, told to its owner and changed by him."""

from collections.abc import Callable, Collection

from pydantic import ValidationError

from app.contract.companion import PlatformSelfTest, PlatformSetup, SetPlatformApp
from app.contract.enums import ConnectionPlatform
from app.language import tr
from app.workspace.core import Core
from app.workspace.messages import Problem

_WRONG = {
    "client_id": tr("That isn't an app ID. Copy it from the platform's page."),
    "client_secret": tr("That isn't an app secret. Copy it from the platform's page."),
    "redirect_uri": tr("That isn't an address. It starts with https://."),
}


class Setups:
    """Nothing of it is kept here; every method asks the service and raises Problem."""

    def __init__(self, core: Core, offers: Callable[[], Collection[str]]) -> None:
        self._core, self._offers = core, offers

    @property
    def offered(self) -> bool:
        """Whether the service tells how it is set up."""
        return "platforms" in self._offers()

    async def all(self) -> list[PlatformSetup]:
        """Every platform."""
        return await self._core.call(self._core.client.platforms())

    async def test(self, platform: ConnectionPlatform) -> PlatformSelfTest:
        """What can be found out without anybody's consent; takes some seconds."""
        return await self._core.call(self._core.client.test_platform(platform))

    async def keep(
        self, platform: ConnectionPlatform, client_id: str, secret: str = "", redirect_uri: str = ""
    ) -> PlatformSetup:
        """Gives the service the app that was registered with a platform; what is empty is left out.

        Raises Problem, of the kind ``redirect_uri`` for an address that is none.
        """
        given = {"client_id": client_id, "client_secret": secret, "redirect_uri": redirect_uri}
        try:
            app = SetPlatformApp.model_validate({name: text for name, text in given.items() if text})
        except ValidationError as error:
            field = str(error.errors(include_input=False, include_url=False)[0]["loc"][0])
            raise Problem(_WRONG.get(field, _WRONG["client_id"]), kind=field) from None
        return await self._core.call(self._core.client.set_platform_app(platform, app))

    async def forget(self, platform: ConnectionPlatform) -> PlatformSetup:
        """Has the service forget a platform's app."""
        return await self._core.call(self._core.client.remove_platform_app(platform))
