"""`python -m attnref`: the checker from the command line."""

import sys

if __name__ == "__main__":
    from attnref.diagnosis._command import main

    sys.exit(main())
