"""Uploading pictures and videos to Instagram, as containers to be published later.

A video is uploaded to its container. Pictures can only be fetched by Instagram: if the account has a Page,
they are uploaded to the Page, unpublished, and Instagram gets their public address there.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Final, Literal
from urllib.parse import quote

from pydantic import AwareDatetime, BaseModel

from app.contract.enums import PostingPlatform, PostType
from app.platforms.base import Cause, Clock, FailureKind, PlatformError, Publication
from app.platforms.http import plain_words
from app.platforms.meta.graph import Graph, GraphId, meaning_of
from app.platforms.publication import alt_text_of, cover_of, file_of, recall, remember, usable
from app.platforms.rest import in_form, no_address, web_address, whole

_Addressing = Callable[[Publication], Awaitable[str]]
_SUBCODE: Final = re.compile(r"\b2207\d{3}\b", re.ASCII)


class Container(BaseModel):
    """A future item. ``sent``: its bytes are uploaded; ``ready``: it can be published.

    If ``alt_text`` or ``cover_ms`` has changed, a new container is needed.
    """

    id: str
    at: AwareDatetime
    address: str = ""
    alt_text: str = ""
    cover_ms: int | None = None
    sent: bool = False
    ready: bool = False


class _Photo(BaseModel):
    """A picture uploaded to the Page."""

    id: str
    at: AwareDatetime


class _PhotoAnswer(BaseModel):
    id: GraphId


class _Source(BaseModel):
    source: str


class _Sources(BaseModel):
    images: list[_Source] = []


class _ContainerAnswer(BaseModel):
    id: GraphId
    uri: str | None = None


class Progress(BaseModel):
    """Instagram's progress with a container."""

    status_code: Literal["IN_PROGRESS", "FINISHED", "ERROR", "EXPIRED", "PUBLISHED"]
    status: str = ""


class InstagramFiles:
    """Containers, and the pictures uploaded for them.

    ``picture_address`` returns the public address of a picture; by default it is uploaded to the account's
    Page.
    """

    def __init__(self, graph: Graph, clock: Clock, *, picture_address: _Addressing | None = None) -> None:
        self._graph = graph
        self._clock = clock
        self._picture_address = picture_address or self._address_beside_page

    async def container(self, publication: Publication) -> Container:
        """Return the publication's container, ready to publish."""
        container = await recall(publication, "container", Container)
        is_known = container is not None and self._fits(container, publication)
        if container is not None and is_known and container.ready:
            return container
        await publication.departure.depart()
        if container is None or not is_known:
            container = await self._begin(publication)
        if not container.sent:
            container = await self._send(publication, container)
        ready = container
        await self._graph.http.until(lambda: self._finished(publication, ready))
        return await self._keep(publication, container.model_copy(update={"ready": True}))

    def _fits(self, container: Container, publication: Publication) -> bool:
        used = container.alt_text, container.cover_ms
        return used == (_alt_text(publication), _cover(publication)) and usable(container.at, self._clock)

    async def progress(self, publication: Publication, container: Container) -> Progress:
        params = {"fields": "status_code,status"}
        return await self._graph.get(container.id, publication.access_token, Progress, params)

    async def forget(self, publication: Publication) -> None:
        """Make the next attempt create a new container."""
        await publication.steps.put("container", "")

    async def tidy_up(self, publication: Publication) -> None:
        """Delete the picture uploaded to the Page. Leaving it would be harmless."""
        photo = await recall(publication, "photo", _Photo)
        if photo is not None:
            try:
                await self._graph.delete(photo.id, publication.access_token)
            except PlatformError:
                return

    async def _begin(self, publication: Publication) -> Container:
        form = {"caption": publication.text} if publication.text else {}
        if publication.post_type is PostType.VIDEO:
            form |= {"media_type": "REELS", "upload_type": "resumable", "share_to_feed": "true"}
            if (cover := _cover(publication)) is not None:
                form["thumb_offset"] = str(cover)
        else:
            form["image_url"] = await self._picture_address(publication)
            if alt_text := _alt_text(publication):
                form["alt_text"] = alt_text
        path = f"{quote(publication.account_identifier, safe='')}/media"
        made = await self._graph.post(path, publication.access_token, _ContainerAnswer, form=form)
        container = Container(
            id=made.id,
            at=self._clock(),
            address=made.uri or "",
            alt_text=_alt_text(publication),
            cover_ms=_cover(publication),
        )
        if publication.post_type is PostType.IMAGE:
            container.sent = True
        elif not made.uri:
            raise no_address(self._graph.http.name)
        return await self._keep(publication, container)

    async def _send(self, publication: Publication, container: Container) -> Container:
        """Upload the video, or start over if the container has bytes already, because a response was lost."""
        token, media = publication.access_token, file_of(publication)
        try:
            await self._graph.send_file(container.address, token, media, 0)
        except PlatformError as error:
            if error.kind is not FailureKind.INVALID:
                raise
            container = await self._begin(publication)
            await self._graph.send_file(container.address, token, media, 0)
        return await self._keep(publication, container.model_copy(update={"sent": True}))

    async def _address_beside_page(self, publication: Publication) -> str:
        """Return the picture's public address. ``me`` is the Page, because the token is the Page's."""
        token = publication.access_token
        photo = await recall(publication, "photo", _Photo)
        if photo is None or not usable(photo.at, self._clock):
            body = in_form({"published": "false"}, "source", "picture", whole(file_of(publication)))
            made = await self._graph.post("me/photos", token, _PhotoAnswer, body=body)
            photo = _Photo(id=made.id, at=self._clock())
            await remember(publication, "photo", photo)
        sources = await self._graph.get(photo.id, token, _Sources, {"fields": "images"})
        address = web_address(sources.images[0].source) if sources.images else None
        if address is None:
            raise no_address(self._graph.http.name)
        return address

    async def _finished(self, publication: Publication, container: Container) -> bool | None:
        progress = await self.progress(publication, container)
        if progress.status_code in {"ERROR", "EXPIRED"}:
            await self.forget(publication)
            raise _container_error(progress)
        return None if progress.status_code == "IN_PROGRESS" else True

    async def _keep(self, publication: Publication, container: Container) -> Container:
        await remember(publication, "container", container)
        return container


def _container_error(progress: Progress) -> PlatformError:
    """Explain a failed container. Its status text contains an error subcode."""
    words = plain_words(progress.status) or "Instagram couldn't use the file."
    if progress.status_code == "EXPIRED":
        return PlatformError(FailureKind.TRANSIENT, progress.status_code, words)
    named = _SUBCODE.search(words)
    kind, cause = meaning_of(0, int(named.group())) if named else (None, None)
    code = named.group() if named else progress.status_code
    return PlatformError(kind or FailureKind.INVALID, code, words, cause=cause or Cause.FILE)


def _cover(publication: Publication) -> int | None:
    return cover_of(PostingPlatform.INSTAGRAM, publication)


def _alt_text(publication: Publication) -> str:
    """Return the file's alt text; empty if Instagram accepts none."""
    return alt_text_of(PostingPlatform.INSTAGRAM, publication) or ""
