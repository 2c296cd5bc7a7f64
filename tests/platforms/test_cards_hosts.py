"""Where files may be sent: only to the platform that asked for them."""

import pytest

from app.contract.enums import ConnectionPlatform as P
from app.platforms.cards import hosts_of


@pytest.mark.parametrize(
    ("platform", "address"),
    [
        (P.LINKEDIN, "https://www.linkedin.com/dms-uploads/sp/v2/1?ca=vector"),
        (P.TIKTOK, "https://open-upload.tiktokapis.com/video/?upload_id=1"),
        (P.TIKTOK, "https://open-upload-i18n.us.tiktokapis.com/upload"),
        (P.PINTEREST, "https://pinterest-media-upload.s3-accelerate.amazonaws.com/"),
        (P.INSTAGRAM, "https://rupload.facebook.com/ig-api-upload/v25.0/1"),
        (P.FACEBOOK, "https://rupload.facebook.com/video-upload/v25.0/1"),
        (P.YOUTUBE, "https://www.googleapis.com/upload/youtube/v3/videos?upload_id=1"),
    ],
)
def test_the_platforms_own_addresses_are_taken(platform: P, address: str) -> None:
    assert hosts_of(platform).takes_files(address)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "http://rupload.facebook.com/a",
        "https://rupload.facebook.com:8443/a",
        "https://user@rupload.facebook.com/a",
        "https://facebook.com.example.org/a",
        "https://notfacebook.com/a",
        "https://127.0.0.1/a",
        "https://[::1",
        "https://rupload.facebook.com:port/a",
        "file:///etc/passwd",
    ],
)
def test_every_other_address_is_refused(address: str) -> None:
    assert not hosts_of(P.FACEBOOK).takes_files(address)


def test_the_stand_ins_take_files_at_their_own_port_alone() -> None:
    hosts = hosts_of(P.FACEBOOK, "http://127.0.0.1:5000")
    assert hosts.takes_files("http://127.0.0.1:5000/facebook/v25.0/video-upload/key")
    assert not hosts.takes_files("http://127.0.0.1:5001/facebook/v25.0/video-upload/key")
    assert not hosts.takes_files("https://rupload.facebook.com/video-upload/v25.0/1")
