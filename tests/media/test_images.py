"""Copies of images: what is seen stays, what nobody should see goes."""

from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageCms, ImageOps

from app.media.images import TooLargeError, make_image
from app.media.protocol import JPEG, PNG, Crop, Recipe
from tests.media.heic import made_heic
from tests.media.samples import drawn, photo


def made(source: Path, recipe: Recipe) -> Image.Image:
    target = source.with_name("copy")
    before = source.read_bytes()
    make_image(source, target, recipe)
    assert source.read_bytes() == before
    with Image.open(target) as image:
        assert image.format == ("JPEG" if recipe.content_type == JPEG else "PNG")
        image.load()
        return image


def assert_alike(one: Image.Image, other: Image.Image) -> None:
    assert one.size == other.size
    small = [image.convert("RGB").resize((32, 32)) for image in (one, other)]
    apart = ImageChops.difference(*small).convert("L").histogram()
    assert sum(apart[24:]) == 0


@pytest.mark.parametrize("name", ["a.webp", "a.png", "a.avif", "a.gif"])
def test_a_copy_shows_the_same(name: str, tmp_path: Path) -> None:
    assert_alike(made(photo(tmp_path, name), Recipe(JPEG)), drawn((800, 600)))


def test_a_picture_of_a_phone_becomes_jpeg(tmp_path: Path) -> None:
    assert_alike(made(made_heic(tmp_path, "a.heic", (640, 480)), Recipe(JPEG)), drawn((640, 480)))


@pytest.mark.parametrize("turned", [1, 2, 3])
def test_a_picture_of_a_phone_stands_upright(turned: int, tmp_path: Path) -> None:
    copy = made(made_heic(tmp_path, "a.heic", (640, 480), turned=turned), Recipe(JPEG))
    assert_alike(copy, drawn((640, 480)).rotate(90 * turned, expand=True))


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_crop_is_of_the_picture_as_it_is_shown(orientation: int, tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    source = photo(tmp_path, "a.jpg", (400, 300), exif=exif)
    with Image.open(source) as image:
        shown = ImageOps.exif_transpose(image)
    crop = Crop(10, 20, 200, 250)
    assert_alike(made(source, Recipe(JPEG, crop=crop)), shown.crop((10, 20, 210, 270)))


def test_a_copy_tells_neither_place_nor_camera(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x010F] = "A camera"
    exif.get_ifd(0x8825)[1] = "N"
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    copy = made(photo(tmp_path, "a.jpg", exif=exif, icc_profile=profile, comment=b"Secret"), Recipe(JPEG))
    assert not copy.getexif()
    assert {"icc_profile", "exif", "comment"}.isdisjoint(copy.info)


def test_a_broken_colour_profile_spoils_nothing(tmp_path: Path) -> None:
    assert_alike(made(photo(tmp_path, "a.png", icc_profile=b"nonsense"), Recipe(JPEG)), drawn((800, 600)))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_every_way_of_keeping_colours_is_understood(mode: str, tmp_path: Path) -> None:
    image = _deep((60, 40)) if mode == "I;16" else drawn((60, 40), mode=mode)
    image.save(tmp_path / "a.png")
    assert made(tmp_path / "a.png", Recipe(JPEG)).mode == "RGB"


def test_colours_for_print_are_understood(tmp_path: Path) -> None:
    drawn((60, 40), mode="CMYK").save(tmp_path / "a.jpg")
    assert made(tmp_path / "a.jpg", Recipe(JPEG)).mode == "RGB"


def test_sixteen_bits_of_grey_keep_their_brightness(tmp_path: Path) -> None:
    _deep((60, 40)).save(tmp_path / "a.png")
    level = made(tmp_path / "a.png", Recipe(JPEG)).getpixel((30, 20))
    assert isinstance(level, tuple)
    assert abs(level[0] - 128) < 4


def test_what_is_clear_becomes_white_in_a_jpeg_and_stays_clear_in_a_png(tmp_path: Path) -> None:
    Image.new("RGBA", (40, 40), (200, 0, 0, 0)).save(tmp_path / "a.png")
    assert made(tmp_path / "a.png", Recipe(JPEG)).getpixel((5, 5)) == (255, 255, 255)
    assert made(tmp_path / "a.png", Recipe(PNG)).getpixel((5, 5)) == (200, 0, 0, 0)


def test_a_copy_is_as_small_as_it_has_to_be(tmp_path: Path) -> None:
    source = tmp_path / "noise.png"
    Image.effect_noise((900, 900), 90).convert("RGB").save(source)
    copy = made(source, Recipe(JPEG, bytes_max=60_000))
    assert (tmp_path / "copy").stat().st_size <= 60_000
    assert copy.width == copy.height
    with pytest.raises(TooLargeError):
        made(source, Recipe(JPEG, bytes_max=100))


def test_a_picture_that_would_fill_memory_is_refused(tmp_path: Path) -> None:
    Image.new("1", (40_000, 5_000)).save(tmp_path / "huge.png")
    with pytest.raises(TooLargeError):
        made(tmp_path / "huge.png", Recipe(JPEG))


def _deep(size: tuple[int, int]) -> Image.Image:
    return Image.new("I;16", size, 32_768)
