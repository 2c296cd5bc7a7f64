"""Files looked into before they are uploaded, and copies of them that the platforms take.

The file that a person chose is never written to. Decoders run in a program of their own (``worker``), which a
bad file may take down, which has a limit to its memory, and which can be stopped at any moment.
"""
