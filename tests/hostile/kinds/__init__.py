"""The variations, by what is bent."""
