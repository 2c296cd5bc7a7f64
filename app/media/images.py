"""Converted copies of images. Blocking, with images decoded in memory; only for `worker`."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.media.probe import DECODED_PIXELS_MAX, open_image
from app.media.protocol import JPEG, Recipe

if TYPE_CHECKING:
    from PIL import Image

_QUALITIES: Final = (92, 85, 76, 68)
"""Tried in this order until the file is small enough; after that, the image is scaled down."""
_STEP: Final = 0.8
_SMALLEST: Final = 64
_WHITE: Final = (255, 255, 255)


class TooLargeError(Exception):
    """The image can't be decoded within the memory limit, or made small enough."""


def make_image(source: Path, target: Path, recipe: Recipe) -> None:
    """Write the copy, without location and camera data. Raises TooLargeError, or Pillow's errors."""
    from PIL import ImageOps

    with open_image(source) as image:
        _require_bounded(image)
        shown = _plain(ImageOps.exif_transpose(image), keeps_clear=recipe.content_type != JPEG)
    if recipe.crop is not None:
        left, top, width, height = recipe.crop
        shown = shown.crop((left, top, left + width, top + height))
    if recipe.size is not None:
        shown = shown.resize(recipe.size, resample=_lanczos())
    target.write_bytes(_packed(shown, recipe))


def _require_bounded(image: "Image.Image") -> None:
    if image.width * image.height > DECODED_PIXELS_MAX:
        raise TooLargeError


def _plain(image: "Image.Image", *, keeps_clear: bool) -> "Image.Image":
    """Convert an image to sRGB, and put it on white if it was transparent and can't stay so."""
    from PIL import Image

    if image.mode.startswith(("I", "F")):  # 16-bit grey
        image = image.point(lambda value: value / 256).convert("L")
    if not image.has_transparency_data:
        return _standard_colours(image, "RGB")
    clear = _standard_colours(image.convert("RGBA"), "RGBA")
    if keeps_clear:
        return clear
    plain = Image.new("RGB", clear.size, _WHITE)
    plain.paste(clear, mask=clear.getchannel("A"))
    return plain


def _standard_colours(image: "Image.Image", mode: str) -> "Image.Image":
    from PIL import ImageCms

    profile = image.info.get("icc_profile")
    changed: Image.Image | None = None
    if profile:
        try:
            found = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            standard = ImageCms.createProfile("sRGB")
            changed = ImageCms.profileToProfile(image, found, standard, outputMode=mode)
        except (ImageCms.PyCMSError, OSError, ValueError):
            changed = None  # ignore a broken profile
    changed = changed or image.convert(mode)
    changed.info.clear()  # copy neither the old profile nor any other metadata
    return changed


def _packed(image: "Image.Image", recipe: Recipe) -> bytes:
    for packed in _ever_smaller(image, recipe.content_type):
        if recipe.bytes_max is None or len(packed) <= recipe.bytes_max:
            return packed
    raise TooLargeError


def _ever_smaller(image: "Image.Image", content_type: str) -> Iterator[bytes]:
    while min(image.size) >= 1:
        for quality in _QUALITIES if content_type == JPEG else (0,):
            yield _saved(image, content_type, quality)
        width, height = (max(1, int(side * _STEP)) for side in image.size)
        if max(width, height) < _SMALLEST:
            return
        image = image.resize((width, height), resample=_lanczos())


def _saved(image: "Image.Image", content_type: str, quality: int) -> bytes:
    file = io.BytesIO()
    if content_type == JPEG:
        image.save(file, "JPEG", quality=quality, optimize=True, progressive=True)
    else:
        image.save(file, "PNG", optimize=True)
    return file.getvalue()


def _lanczos() -> "Image.Resampling":
    from PIL import Image

    return Image.Resampling.LANCZOS
