"""The wire format between client and service.

Models, enums, limits, error codes and events of the service's specification, with one module per subject.
This package does no I/O and imports no other package of the app.
"""
