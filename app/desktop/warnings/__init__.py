"""Warnings about scheduled posts that will fail, and how to fix them."""
