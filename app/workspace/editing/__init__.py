"""What is being written: drafts, their contents, and what people reuse in them."""
