"""A stand-in for the social platforms on loopback, for trying the app and for tests.

It answers with the paths and bodies of the real platforms, so that an adapter differs only in its base
address (``{base_url}/linkedin``, ``{base_url}/x``). Nothing here reaches a real platform, and every page,
every answer's ``Server`` header and every document of its own says so.
"""
