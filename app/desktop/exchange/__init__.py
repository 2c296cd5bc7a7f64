"""Tables of other programs coming in, and posts going out as tables."""
