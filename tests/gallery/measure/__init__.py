"""Measures the pictures: whether every text stands out from its ground, and whether all of it is there."""
