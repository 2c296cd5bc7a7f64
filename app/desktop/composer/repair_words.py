"""What a repair does to a file, in a person's words."""

from app.desktop.words import joined
from app.language import figure, tr
from app.media.recipe import JPEG, PNG, Recipe, Step

_KINDS = {JPEG: "JPEG", PNG: "PNG"}


def verb(recipe: Recipe) -> str:
    """Return what is done, for a button: "Crop and convert to JPEG"."""
    said = [_step(step, recipe) for step in recipe.steps]
    words = joined(said or [tr("make a copy")])
    return words[:1].upper() + words[1:]


def outcome(recipe: Recipe) -> str:
    """Return what comes of it."""
    size = recipe.size or (recipe.crop[2:] if recipe.crop else None)
    if size:
        return tr(
            "Makes a copy of {width} by {height} pixels. Your file doesn't change.",
            width=size[0],
            height=size[1],
        )
    return tr("Makes a copy. Your file doesn't change.")


def progress(share: float) -> str:
    """Return how far a copy is."""
    return tr("Making a copy · {share} %", share=int(share * 100)) if share else tr("Making a copy")


def _step(step: Step, recipe: Recipe) -> str:
    match step:
        case Step.FIRST_PICTURE:
            return tr("keep only the first image")
        case Step.CROP:
            return tr("crop")
        case Step.TRIM:
            return tr("trim to {length}", length=length(recipe.length_ms or 0))
        case Step.SHRINK:
            return tr("scale down")
        case Step.FRAME_RATE:
            return tr("change to {rate} frames per second", rate=figure(f"{recipe.frame_rate or 0:g}"))
        case Step.CONVERT:
            return tr("convert to {kind}", kind=_KINDS.get(recipe.content_type, "MP4"))
        case Step.COMPRESS:
            return tr("compress")


def length(milliseconds: int) -> str:
    """Return a length of time: "2:20" for 140 seconds, "1:00:00" for an hour."""
    minutes, seconds = divmod(round(milliseconds / 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
