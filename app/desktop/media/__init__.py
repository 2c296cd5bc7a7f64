"""Media: the files at the service, and those on their way there."""
