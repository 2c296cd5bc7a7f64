"""The app against services that are not ours: the specified surface, bent in many ways."""
