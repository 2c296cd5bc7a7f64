"""Posts: creating, listing, rescheduling and deleting them."""
