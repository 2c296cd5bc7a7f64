"""The media library: stored files, uploads and imports."""
