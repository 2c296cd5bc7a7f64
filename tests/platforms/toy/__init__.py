"""A platform that doesn't exist, as its author would add it: card, adapter, stand-in, and a trial."""
