"""Plans in the forms of other programs."""
