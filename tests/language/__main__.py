"""`python -m tests.language CODE`: what the window says in a language, as JSON.

A program of its own: what is a constant of a module stays in the language that was spoken first.
"""

import sys

from app import language

if __name__ == "__main__":
    language.use(sys.argv[1])
    from tests.language.window import main

    main()
