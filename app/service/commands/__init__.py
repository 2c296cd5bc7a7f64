"""The service's command line, with one module per group of commands.

Each module has a function ``add`` that adds its commands to the parser. ``app.service.cli`` lists the
modules. A command imports its own dependencies when it runs, so the others start faster.
"""
