"""A shelf of files for each test."""

from tests.service.media.conftest import links, shelf

__all__ = ["links", "shelf"]
