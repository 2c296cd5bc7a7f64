"""Uploading pictures and videos to X."""

from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, BaseModel, Field

from app.contract.enums import PostingPlatform, PostType
from app.platforms.base import Cause, Clock, FailureKind, Media, PlatformError, Publication
from app.platforms.http import NotYet, plain_words
from app.platforms.publication import alt_text_of, file_of, recall, remember, usable
from app.platforms.rest import RestApi, in_form, part_of, whole

_PART: Final = 4 * 1024 * 1024
_Id = Annotated[str, Field(pattern=r"^\d{1,20}$")]


class _Session(BaseModel):
    """A chunked upload, of which ``sent`` bytes are uploaded."""

    id: str
    begun_at: AwareDatetime
    sent: int = 0


class _Uploaded(BaseModel):
    """An uploaded file, and the alt text sent to X; empty if none."""

    id: str
    at: AwareDatetime
    alt_text: str = ""


class _Problem(BaseModel):
    name: str | None = None
    message: str | None = None


class _Processing(BaseModel):
    state: str
    check_after_secs: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    error: _Problem = _Problem()


class _File(BaseModel):
    id: _Id
    processing_info: _Processing | None = None


class _FileAnswer(BaseModel):
    data: _File


class XFiles:
    """The media endpoints; ``clock`` is used to tell whether a file is too old."""

    def __init__(self, rest: RestApi, clock: Clock) -> None:
        self._rest = rest
        self._clock = clock

    async def id_of(self, publication: Publication) -> str:
        """Return the id of the publication's file on X, uploading it if necessary."""
        uploaded = await recall(publication, "file", _Uploaded)
        if uploaded is None or not usable(uploaded.at, self._clock):
            await publication.departure.depart()
            uploaded = _Uploaded(id=await self._send(publication), at=self._clock())
            await remember(publication, "file", uploaded)
        alt_text = alt_text_of(PostingPlatform.X, publication) or ""
        if uploaded.alt_text != alt_text:
            await publication.departure.depart()
            await self._describe(publication, uploaded.id, alt_text)
            await remember(publication, "file", uploaded.model_copy(update={"alt_text": alt_text}))
        return uploaded.id

    async def _send(self, publication: Publication) -> str:
        media, token = file_of(publication), publication.access_token
        if publication.post_type is PostType.IMAGE and media.content_type != "image/gif":
            return await self._send_whole(media, token)
        return await self._resume(publication, media, token)

    async def _describe(self, publication: Publication, file_id: str, alt_text: str) -> None:
        """Send the picture's alt text. If X refuses it, the post is published anyway."""
        about = {"id": file_id, "metadata": {"alt_text": {"text": alt_text}}}
        try:
            await self._rest.ask(
                self._rest.call("POST", "media/metadata", publication.access_token, json=about)
            )
        except PlatformError as error:
            if error.kind not in {FailureKind.INVALID, FailureKind.PERMISSION}:
                raise

    async def _send_whole(self, media: Media, token: str) -> str:
        body = in_form({"media_category": "tweet_image"}, "media", "picture", whole(media))
        return (await self._rest.post("media/upload", token, _FileAnswer, body=body)).data.id

    async def _resume(self, publication: Publication, media: Media, token: str) -> str:
        """Continue the upload in progress, or start over if X doesn't know it any more."""
        session = await recall(publication, "session", _Session)
        if session is not None and usable(session.begun_at, self._clock):
            try:
                return await self._send_parts(publication, media, session, token)
            except PlatformError as error:
                if error.kind is not FailureKind.INVALID:
                    raise
        return await self._send_parts(publication, media, await self._begin(publication, media, token), token)

    async def _send_parts(self, publication: Publication, media: Media, session: _Session, token: str) -> str:
        while session.sent < media.size:
            size = min(_PART, media.size - session.sent)
            fields = {"segment_index": str(session.sent // _PART)}
            body = in_form(
                fields, "media", "part", part_of(media, session.sent, size, "application/octet-stream")
            )
            await self._rest.ask(
                self._rest.call("POST", f"media/upload/{session.id}/append", token, body=body)
            )
            session.sent += size
            await remember(publication, "session", session)
        finalized = (await self._rest.post(f"media/upload/{session.id}/finalize", token, _FileAnswer)).data
        answers = iter([finalized])

        async def processed() -> Literal[True] | NotYet | None:
            return _is_ready(next(answers, None) or await self._file(session.id, token))

        await self._rest.http.until(processed)
        return session.id

    async def _begin(self, publication: Publication, media: Media, token: str) -> _Session:
        category = "tweet_gif" if media.content_type == "image/gif" else "tweet_video"
        about = {"media_type": media.content_type, "total_bytes": media.size, "media_category": category}
        file = (await self._rest.post("media/upload/initialize", token, _FileAnswer, json=about)).data
        session = _Session(id=file.id, begun_at=self._clock())
        await remember(publication, "session", session)
        return session

    async def _file(self, file_id: str, token: str) -> _File:
        params = {"command": "STATUS", "media_id": file_id}
        return (await self._rest.get("media/upload", token, _FileAnswer, params)).data


def _is_ready(file: _File) -> Literal[True] | NotYet | None:
    """Return True once the file can be posted. Raises PlatformError (INVALID) if X can't use it."""
    info = file.processing_info
    if info is None or info.state == "succeeded":
        return True
    if info.state == "failed":
        message = info.error.message or "X couldn't process the file."
        code = info.error.name or "processing_failed"
        cause = Cause.FILE_LENGTH if "duration" in message.lower() else Cause.FILE
        raise PlatformError(FailureKind.INVALID, plain_words(code), plain_words(message), cause=cause)
    return None if info.check_after_secs is None else NotYet(info.check_after_secs)
