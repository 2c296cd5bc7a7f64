"""Stand-ins for the social platforms on loopback, for trying the app and for tests.

They use the paths and bodies of the real platforms, so an adapter only needs a different base URL
(``{base_url}/linkedin``, ``{base_url}/x``). They never contact a real platform. Every page,
``Server`` header and document outside the platforms' APIs says that they're stand-ins.
"""
