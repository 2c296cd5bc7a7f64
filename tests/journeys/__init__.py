"""The real programs together: practice platforms, service, and a window operated with mouse and keyboard."""
