"""What platforms count for published posts, and what follows from it."""
