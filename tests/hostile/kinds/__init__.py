"""The variations, by what they change."""
