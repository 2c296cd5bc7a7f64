"""Tables coming in and going out, in a window."""
