"""The real programs together: practice platforms, service, and a window that is clicked and dragged."""
