"""Where data is kept unless something else is said."""

from pathlib import Path

import platformdirs


def usual_data() -> Path:
    """This person's folder for what Kalends keeps."""
    return platformdirs.user_data_path("kalends", appauthor=False)
