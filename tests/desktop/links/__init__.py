"""Links and files that others hand over."""
