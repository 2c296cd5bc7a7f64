"""The wire: what client and service say to each other, and nothing else.

Models, enums, limits, error codes and events of the service's specification, one module per subject.
Nothing here performs I/O and nothing here imports another room.
"""
