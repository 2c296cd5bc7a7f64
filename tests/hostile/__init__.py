"""The app with services that aren't ours: the specified API, varied in many ways."""
