"""Videos that are watched: their pictures at any moment, decoded by a program of its own."""
