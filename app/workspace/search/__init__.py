"""Finding posts, drafts and files by their words."""
