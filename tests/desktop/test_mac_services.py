"""What the Services menu of macOS hands over. The menu itself has not been tried."""

from pathlib import Path

from app.desktop import mac_services
from app.desktop.links import AddFiles, BeginPost, understood


def test_selected_text_starts_a_post_that_asks_first() -> None:
    text = "Küste & Meer\n+1 #sommer 100 %"
    assert understood(mac_services.things(text, [])) == [BeginPost(text)]


def test_selected_files_start_a_post_whatever_their_names_say() -> None:
    files = ["file:///Users/ines/K%C3%BCste.jpg", "file:///Users/ines/b.mp4"]
    expected = AddFiles((Path("/Users/ines/Küste.jpg"), Path("/Users/ines/b.mp4")))
    assert understood(mac_services.things("Küste.jpg", files)) == [expected]


def test_nothing_selected_starts_nothing() -> None:
    assert mac_services.things("", []) == []
