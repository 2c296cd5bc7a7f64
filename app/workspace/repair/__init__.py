"""Probes files before they're uploaded, and makes copies that the platforms accept.

The user's file is never changed. Decoders run in a helper process (``worker``), which a bad file may crash,
which has limited memory, and which can be stopped at any time.
"""
