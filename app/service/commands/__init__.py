"""The commands of the service's command line, one file for each group.

Each file has a function ``add`` that puts its commands under the parser; ``app.service.cli`` lists the files.
What only one command needs is imported when it runs, so that the others start without it.
"""
