"""`python -m tests.language CODE`: print the window's texts in a language as JSON.

Runs as a separate program, because module constants keep the first language.
"""

import sys

from app import language

if __name__ == "__main__":
    language.use(sys.argv[1])
    from tests.language.window import main

    main()
