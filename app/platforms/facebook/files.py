"""Uploading pictures, videos and Reels to a Page."""

from typing import Final, Literal

from pydantic import AwareDatetime, BaseModel

from app.contract.enums import PostingPlatform
from app.platforms.base import Clock, FailureKind, Media, PlatformError, Publication
from app.platforms.http import Body
from app.platforms.meta.graph import Graph, GraphId
from app.platforms.publication import alt_text_of, file_of, pass_on_cover, recall, remember, usable
from app.platforms.rest import in_form, part_of, whole

_FEWEST_REEL_PIXELS: Final = 540
_REEL_MS: Final = (4_000, 90_000)


class Uploaded(BaseModel):
    """An uploaded file that isn't published yet.

    Attributes:
        session: Session to finish the upload with; empty for pictures and Reels.
        complete: Whether all bytes were uploaded.
        alt_text: The picture's alt text; None if it wasn't noted.
    """

    kind: Literal["photo", "video", "reel"]
    id: str
    at: AwareDatetime
    session: str = ""
    address: str = ""
    complete: bool = False
    alt_text: str | None = None


class _Photo(BaseModel):
    id: GraphId


class _Reel(BaseModel):
    video_id: GraphId
    upload_url: str


class _Session(BaseModel):
    upload_session_id: GraphId
    video_id: GraphId
    start_offset: int
    end_offset: int


class _Offsets(BaseModel):
    start_offset: int
    end_offset: int


class _Phase(BaseModel):
    status: str = ""
    bytes_transferred: int = 0


class _Status(BaseModel):
    uploading_phase: _Phase = _Phase()


class _Video(BaseModel):
    status: _Status = _Status()


class FacebookFiles:
    """Uploads to a Page: whole pictures, videos in chunks, Reels in one request.

    ``videos`` is the API for uploading and publishing ordinary videos.
    """

    def __init__(self, graph: Graph, videos: Graph, clock: Clock) -> None:
        self.videos = videos
        self._graph = graph
        self._clock = clock

    async def photo(self, publication: Publication, page: str) -> Uploaded:
        """Upload the publication's picture, unpublished."""
        uploaded = await self._known(publication)
        alt_text = alt_text_of(PostingPlatform.FACEBOOK, publication) or ""
        if uploaded is not None and uploaded.alt_text in {None, alt_text}:
            return uploaded
        fields = {"published": "false"} | ({"alt_text_custom": alt_text} if alt_text else {})
        body = in_form(fields, "source", "picture", whole(file_of(publication)))
        await publication.departure.depart()
        photo = await self._graph.post(f"{page}/photos", publication.access_token, _Photo, body=body)
        uploaded = Uploaded(kind="photo", id=photo.id, at=self._clock(), complete=True, alt_text=alt_text)
        return await self._keep(publication, uploaded)

    async def video(self, publication: Publication, page: str) -> Uploaded:
        """Upload the publication's video completely, as a Reel if it has the format of one."""
        media = file_of(publication)
        uploaded = await self._known(publication)
        if uploaded is not None and uploaded.complete:
            return uploaded
        await publication.departure.depart()
        if uploaded is not None:
            try:
                return await self._send(publication, page, uploaded, media)
            except PlatformError as error:
                # Facebook has more bytes than we know of, because a response was lost: start over.
                if error.kind is not FailureKind.INVALID:
                    raise
        begin = self._begin_reel if _is_reel(media) else self._begin_video
        return await self._send(publication, page, await begin(publication, page, media), media)

    async def set_cover(self, publication: Publication, video_id: str) -> None:
        """Set the chosen cover instead of Facebook's choice. May be repeated."""

        async def send(picture: Body) -> None:
            body = in_form({"is_preferred": "true"}, "source", "cover.jpg", picture)
            token = publication.access_token
            await self._graph.ask(self._graph.call("POST", f"{video_id}/thumbnails", token, body=body))

        await pass_on_cover(PostingPlatform.FACEBOOK, publication, send)

    async def _send(self, publication: Publication, page: str, uploaded: Uploaded, media: Media) -> Uploaded:
        if uploaded.kind == "reel":
            await self._send_reel(publication, uploaded, media)
        else:
            await self._send_video(publication, page, uploaded, media)
        return await self._keep(publication, uploaded.model_copy(update={"complete": True}))

    async def _begin_reel(self, publication: Publication, page: str, media: Media) -> Uploaded:
        del media
        form = {"upload_phase": "start"}
        reel = await self._graph.post(f"{page}/video_reels", publication.access_token, _Reel, form=form)
        uploaded = Uploaded(kind="reel", id=reel.video_id, at=self._clock(), address=reel.upload_url)
        return await self._keep(publication, uploaded)

    async def _begin_video(self, publication: Publication, page: str, media: Media) -> Uploaded:
        form = {"upload_phase": "start", "file_size": str(media.size)}
        session = await self.videos.post(f"{page}/videos", publication.access_token, _Session, form=form)
        uploaded = Uploaded(
            kind="video", id=session.video_id, at=self._clock(), session=session.upload_session_id
        )
        await remember(publication, "offsets", _Offsets.model_validate(session.model_dump()))
        return await self._keep(publication, uploaded)

    async def _send_reel(self, publication: Publication, uploaded: Uploaded, media: Media) -> None:
        token = publication.access_token
        video = await self._graph.get(uploaded.id, token, _Video, {"fields": "status"})
        there = video.status.uploading_phase.bytes_transferred
        if there < media.size:
            await self._graph.send_file(uploaded.address, token, media, there)

    async def _send_video(
        self, publication: Publication, page: str, uploaded: Uploaded, media: Media
    ) -> None:
        """Send the chunks that Facebook requests, one after the other."""
        token = publication.access_token
        offsets = await recall(publication, "offsets", _Offsets) or _Offsets(start_offset=0, end_offset=0)
        while offsets.start_offset < offsets.end_offset:
            first, size = offsets.start_offset, offsets.end_offset - offsets.start_offset
            if first + size > media.size:
                raise PlatformError(
                    FailureKind.INVALID, "offsets", "Facebook asked for bytes that don't exist."
                )
            fields = {
                "upload_phase": "transfer",
                "upload_session_id": uploaded.session,
                "start_offset": str(first),
            }
            chunk = part_of(media, first, size, "application/octet-stream")
            body = in_form(fields, "video_file_chunk", "part", chunk)
            offsets = await self.videos.post(f"{page}/videos", token, _Offsets, body=body)
            await remember(publication, "offsets", offsets)

    async def _known(self, publication: Publication) -> Uploaded | None:
        uploaded = await recall(publication, "file", Uploaded)
        return uploaded if uploaded is not None and usable(uploaded.at, self._clock) else None

    async def _keep(self, publication: Publication, uploaded: Uploaded) -> Uploaded:
        await remember(publication, "file", uploaded)
        return uploaded


def _is_reel(media: Media) -> bool:
    """Whether a video can be a Reel: 9:16 or narrower, large and short enough."""
    if media.width is None or media.height is None or media.duration_ms is None:
        return False
    shortest, longest = _REEL_MS
    is_upright = media.width >= _FEWEST_REEL_PIXELS and media.height * 9 >= media.width * 16
    return is_upright and shortest <= media.duration_ms <= longest
