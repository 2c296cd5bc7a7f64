"""Setting up platforms."""
