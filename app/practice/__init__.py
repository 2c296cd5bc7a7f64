"""Stand-ins for the social platforms on loopback, for trying the app and for tests.

They use the paths and bodies of the real platforms, so an adapter only needs a different base URL
(``{base_url}/linkedin``, ``{base_url}/x``). Nothing here reaches a real platform. Every page, every
``Server`` header and every document of its own says so.
"""
