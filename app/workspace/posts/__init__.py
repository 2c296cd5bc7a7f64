"""Posts as the calendar sees them."""
