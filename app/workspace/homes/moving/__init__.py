"""Moving a calendar from this computer to a server, and back.

The service that has the calendar hands it over and publishes nothing of it any more. Its export is sent to
the other service, which publishes only once all of it has arrived. A note in the calendar's folder makes it
possible to continue after any interruption: every step can be repeated. The calendar is only taken back once
the other service has refused the export, so it's never on both.
"""
