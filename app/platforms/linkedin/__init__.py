"""LinkedIn."""
