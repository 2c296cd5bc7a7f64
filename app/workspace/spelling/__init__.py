"""Which words of a text no dictionary knows, and what may have been meant."""
