"""Files that a table names: those of other computers are not even looked at."""

from pathlib import Path

import pytest

from app.workspace.exchange.csv_columns import Column
from tests.workspace.media.samples import picture
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import Opened, opened


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


async def problems(workspace: Opened, folder: Path, cell: str) -> list[str]:
    """What is wrong with the file of a row."""
    table = folder / "posts.csv"
    table.write_text(f'Text,Account,Date,Time,Media\nHello,x,2027-05-01,10:00,"{cell}"\n')
    file = await workspace.csv.read(table, "Europe/Lisbon")
    (row,) = await workspace.csv.check(file, file.choices)
    return [issue.text for issue in row.issues if issue.column is Column.MEDIA]


@pytest.mark.parametrize(
    "cell",
    [
        "\\\\host\\share\\a.png",
        "//host/share/a.png",
        "\\/host/share/a.png",
        "/\\host/share/a.png",
        "\\\\?\\UNC\\host\\share\\a.png",
        "//./pipe/a.png",
        "file://host/share/a.png",
        "FILE:////host/share/a.png",
        "file:///%5C%5Chost/share/a.png",
        "file:///%2F%2Fhost/share/a.png",
        "file:%5C%5Chost/share/a.png",
        "~/\\\\host\\share\\a.png",
        "~\\\\\\host\\share\\a.png",
        "~///host/share/a.png",
    ],
)
async def test_a_file_of_another_computer_is_refused_without_a_look(
    tmp_path: Path, service: ModelService, cell: str
) -> None:
    service.add_account()
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        assert await problems(workspace, tmp_path, cell) == [
            f"“{cell}” is on another computer. Copy the file to this one first."
        ]


async def test_not_even_a_file_that_is_there_is_taken_by_such_a_name(
    tmp_path: Path, service: ModelService
) -> None:
    """Elsewhere than on Windows these are files like others: that shows whether they are looked at."""

    service.add_account()
    there = picture(tmp_path, "leaf.png", (800, 800))
    async with opened(tmp_path, service) as workspace:
        await workspace.refresh()
        assert await problems(workspace, tmp_path, "leaf.png") == []
        assert await problems(workspace, tmp_path, str(there)) == []
        assert await problems(workspace, tmp_path, there.as_uri()) == []
        [found] = await problems(workspace, tmp_path, f"/{there}")
        assert "is on another computer" in found
