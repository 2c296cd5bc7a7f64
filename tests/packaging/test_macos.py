"""The app's metadata for macOS. None of this has been run on macOS."""

import plistlib
import sys

import pytest
from release import macos
from release.version import version
from setup.project import SetupError

from app.contract.media_kinds import KINDS
from app.desktop import mac_services
from app.desktop.links import SCHEME

_TYPES = {
    "image/jpeg": {"public.jpeg"},
    "image/png": {"public.png"},
    "image/gif": {"com.compuserve.gif"},
    "image/webp": {"org.webmproject.webp"},
    "image/heic": {"public.heic", "public.heif"},
    "image/avif": {"public.avif"},
    "video/mp4": {"public.mpeg-4", "com.apple.m4v-video"},
    "video/quicktime": {"com.apple.quicktime-movie"},
    "video/webm": {"org.webmproject.webm"},
    "video/x-matroska": {"org.matroska.mkv"},
    "video/x-msvideo": {"public.avi"},
}
"""Apple's names of the supported media types."""


def test_links_come_to_the_app() -> None:
    [link] = macos.information()["CFBundleURLTypes"]
    assert link["CFBundleURLSchemes"] == [SCHEME]


def test_every_kind_of_file_that_is_taken_can_be_dropped_on_the_icon() -> None:
    documents = macos.information()["CFBundleDocumentTypes"]
    named = [name for document in documents for name in document["LSItemContentTypes"]]
    assert set(named) == set().union(*(_TYPES[kind.content_type] for kind in KINDS))
    assert len(named) == len(set(named))
    assert {document["LSHandlerRank"] for document in documents} == {"Alternate"}, "never the default program"


def test_the_version_is_that_of_the_project() -> None:
    told = macos.information()
    assert told["CFBundleVersion"] == told["CFBundleShortVersionString"] == version()
    assert told["LSMinimumSystemVersion"] == "14.0"


def test_only_what_is_needed_is_allowed_beyond_the_hardened_runtime() -> None:
    allowed = plistlib.loads(macos.ENTITLEMENTS.read_bytes())
    assert allowed == {
        "com.apple.security.cs.allow-unsigned-executable-memory": True,
        "com.apple.security.cs.disable-library-validation": True,
    }


def test_the_item_of_the_services_menu_reaches_the_app_and_has_a_german_name() -> None:
    [service] = macos.information()["NSServices"]
    assert service["NSMessage"] == mac_services.METHOD
    assert service["NSPortName"] == macos.APP.stem
    assert service["NSSendTypes"] == [mac_services.TEXT, mac_services.FILE]
    english = service["NSMenuItem"]["default"]
    assert f'"{english}" = "Neuer Beitrag in Kalends";' in macos.SERVICES_MENU.read_text("utf-8")


@pytest.mark.skipif(sys.platform == "darwin", reason="it can be made there")
def test_elsewhere_a_sentence_says_where_it_is_made() -> None:
    with pytest.raises(SetupError, match="built on macOS"):
        macos.make_dmg()
