"""A disk without room: the upload is refused with a sentence, nothing of it stays, and all else goes on."""

from pathlib import Path

from tests.service.media.samples import image
from tests.service.media.shelf import new_key
from tests.service.programs import serving


def test_a_full_disk_refuses_a_file_and_keeps_the_others(small_disk: Path) -> None:
    data, small, large = small_disk / "data", image(), image() + b"\0" * 3_000_000
    key = new_key(data)
    with serving(data) as service, service.client(key) as http:
        announced = {"filename": "a.png", "content_type": "image/png"}
        links = [
            http.post("/media/upload-url", json={**announced, "size_bytes": len(file)}).json()
            for file in (small, large)
        ]
        assert http.put(links[0]["upload_url"], content=small).status_code == 200
        refused = http.put(links[1]["upload_url"], content=large)

        assert refused.status_code == 500
        assert refused.json()["error"]["code"] == "internal_error"
        assert "disk is full" in refused.json()["error"]["message"]
        assert str(data) not in refused.text
        kept = [file for file in (data / "media").rglob("*") if file.is_file()]
        assert [file.read_bytes() for file in kept] == [small]
        shown = http.get(f"/media/{links[0]['storage_path']}").json()["view_url"]
        assert http.get(shown).content == small
